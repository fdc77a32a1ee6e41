import type { Texts } from '../en.ts';
import { count } from './count.ts';

export const agent: Texts['agent'] = {
  enabled: 'angeschaltet',
  disabled: 'abgeschaltet',
  allSources: 'alle',
  noSources: 'keine',
  count: (number) => count(number, 'Agent', 'Agenten'),
  created: (name, enable) =>
    `${name} wurde angelegt und ist abgeschaltet. ${enable} lässt ihn antworten.`,
  deleteAsk: (name, isLast) =>
    `Den Agenten ${name} mit seiner Anweisung und seinen Einstellungen endgültig löschen?${isLast ? ' Es ist der letzte, der Menschen antwortet: Ohne ihn antwortet der Chatbot nicht.' : ''} Die Quellen bleiben.`,
  sourcesOrAll: 'Nenne die Quellen, die der Agent sieht, oder dass er alle sieht.',
  wrongTag: (piece) =>
    `„${piece}“ ist kein Schlagwort. Schreibe \`name | #1f2937 | Kriterium\`, mehrere mit Zeilenumbruch oder ; dazwischen.`,
  wrongVariable: (piece) =>
    `„${piece}“ ist keine Variable. Schreibe \`name | string | Beschreibung | Beispiel | Vorgabe\`, mehrere mit Zeilenumbruch oder ; dazwischen. Die Art ist string, number oder boolean.`,
};
