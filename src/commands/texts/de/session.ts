import type { Texts } from '../en.ts';
import { count } from './count.ts';

export const session: Texts['session'] = {
  noneHere: (list) =>
    `Dies ist kein Thread mit einer Sitzung. Nenne eine mit ihrer Kennung: ${list} zeigt sie.`,
  elsewhere:
    'Diese Sitzung gehört zu einem anderen Kanal oder zu keinem, den ich kenne. Du kannst die dieses Kanals sehen; Verwalter sehen alle dieses Arbeitsbereichs.',
  count: (number) => count(number, 'Sitzung', 'Sitzungen'),
  inThisChannel: 'in diesem Kanal',
  messages: (number) => count(number, 'Nachricht', 'Nachrichten'),
  exported: (number) =>
    `Hier ${number === 1 ? 'ist' : 'sind'} ${count(number, 'Nachricht', 'Nachrichten')} als Datei.`,
  notOurs: 'Kein Thread, den ich kenne, setzt diese Sitzung fort.',
  stopped: 'Angehalten.',
  retried: 'Ich habe die letzte Frage noch einmal beantwortet, in ihrem Thread.',
  resumed: 'Ich antworte in diesem Thread wieder.',
  withPeople: (askedBy) => `bei Menschen, gerufen von ${askedBy}`,
  deleteAsk: (session, messages) =>
    `Die Sitzung ${session} mit ${count(messages, 'Nachricht', 'Nachrichten')} endgültig löschen? Was im Thread steht, bleibt; die nächste Nachricht dort beginnt eine neue Sitzung.`,
  askAnew:
    'Jeder Thread ist eine eigene Sitzung: Erwähne mich mit einer Frage oder gib hier eine an, und ich antworte in einem neuen Thread.',
  started: 'Dieser Thread beginnt neu: Ich habe vergessen, was hier vorher gesagt wurde.',
  title: (session) => `Sitzung ${session}`,
};
