import type { Texts } from '../en.ts';

export const places: Texts['places'] = {
  asks: (name) => `${name} fragt`,
  notThere:
    'In dem Kanal, in dem du den Befehl verwendet hast, kann ich nicht schreiben. Darum antworte ich dir hier.',
  filesSent: 'Ich habe dir die Datei in einer Direktnachricht gesendet.',
  cut: '… der Rest passt nicht in eine Nachricht.',
};
