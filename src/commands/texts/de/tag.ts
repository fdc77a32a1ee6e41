import type { Texts } from '../en.ts';
import { count } from './count.ts';

export const tag: Texts['tag'] = {
  created: (line) => `Angelegt: ${line}`,
  none: (create) => `Es gibt noch keine Schlagwörter. Lege eines mit ${create} an.`,
  count: (number) => count(number, 'Schlagwort', 'Schlagwörter'),
  sources: (number) => count(number, 'Quelle', 'Quellen'),
  deleteAsk: (name, sources) =>
    `Das Schlagwort **${name}** endgültig löschen? ${sources === 1 ? 'Die Quelle darin bleibt.' : `Die ${sources} Quellen darin bleiben.`}`,
};
