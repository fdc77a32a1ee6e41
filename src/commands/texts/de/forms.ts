import type { Texts } from '../en.ts';

export const forms: Texts['forms'] = {
  send: 'Senden',
  cancel: 'Abbrechen',
  outdated: 'Dieses Formular ist veraltet. Bitte nutze den Befehl noch einmal.',
  notOpened: (reason) =>
    `Das Formular ging nicht auf. Bitte nutze den Befehl noch einmal. (${reason})`,
  more: 'Weitere Felder',
  noFiles: 'Diese Nachricht hat keine Dateien.',
  tooManyFiles: (given, most) =>
    `Diese Nachricht hat ${given} Dateien; höchstens ${most} gehen auf einmal.`,
};
