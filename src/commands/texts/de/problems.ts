import type { Texts } from '../en.ts';
import { kinds } from './kinds.ts';

export const problems: Texts['problems'] = {
  noOption: (name) => `Eine Angabe „${name}“ gibt es hier nicht.`,
  missing: (name, description) => `**${name}** fehlt: ${description}.`,
  needed: 'Das wird gebraucht.',
  noText: 'Schreibe einen Text.',
  noFile: 'Wähle eine Datei.',
  tooManyFiles: (given, most) => `Das sind ${given} Dateien; höchstens ${most} gehen auf einmal.`,
  tooLong: (length, most) => `Das hat ${length} Zeichen; ${most} sind erlaubt.`,
  noNumber: (min, max, whole) =>
    `Gib eine ${whole ? 'ganze Zahl' : 'Zahl'} von ${min} bis ${max} an.`,
  noBoolean: 'Antworte mit ja oder nein.',
  noChoice: (choices) => `Wähle eines von ${choices.join(', ')}.`,
  noColor: (names) => `Gib eine Farbe wie #1f2937 an, oder eine von ${names.join(', ')}.`,
  noChannel: 'Wähle einen Kanal: Schreibe # und nimm ihn aus der Liste.',
  noPerson: 'Wähle eine Person, die ich hier sehe: Schreibe @ und nimm sie aus der Liste.',
  noGroup:
    'Wähle eine Gruppe, die ich sehe: in Slack eine Nutzergruppe, in Discord eine Rolle außer @everyone.',
  noDate: 'Gib einen Tag wie 12.09.2026, heute oder gestern an.',
  unknownName: (kind, name) => `Es gibt hier ${kinds[kind].none} namens „${name}“.`,
};
