import type { ReferenceKind } from '../../option.ts';
import { kinds } from './kinds.ts';

export const problems = {
  noOption: (name: string) => `There is no option “${name}” here.`,
  missing: (name: string, description: string) => `**${name}** is missing: ${description}.`,
  needed: 'This is needed.',
  noText: 'Write a text.',
  noFile: 'Choose a file.',
  tooManyFiles: (given: number, most: number) =>
    `That is ${given} files; at most ${most} can be taken at once.`,
  tooLong: (length: number, most: number) => `This has ${length} characters; ${most} are allowed.`,
  noNumber: (min: number, max: number, whole: boolean) =>
    `Give a ${whole ? 'whole number' : 'number'} from ${min} to ${max}.`,
  noBoolean: 'Answer yes or no.',
  noChoice: (choices: readonly string[]) => `Choose one of ${choices.join(', ')}.`,
  noColor: (names: readonly string[]) =>
    `Give a colour such as #1f2937, or one of ${names.join(', ')}.`,
  noChannel: 'Choose a channel: write # and pick it from the list.',
  noPerson: 'Choose a person whom I can see here: write @ and pick them from the list.',
  noGroup:
    'Choose a group that I can see: a user group in Slack, a role other than @everyone in Discord.',
  noDate: 'Give a day such as 2026-09-12, today or yesterday.',
  unknownName: (kind: ReferenceKind, name: string) =>
    `There is no ${kinds[kind]} called “${name}” here.`,
};
