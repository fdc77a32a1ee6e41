import { count } from './count.ts';

export const agent = {
  enabled: 'enabled',
  disabled: 'disabled',
  allSources: 'all',
  noSources: 'none',
  count: (number: number) => count(number, 'agent', 'agents'),
  created: (name: string, enable: string) =>
    `${name} was created and is disabled. ${enable} lets it answer.`,
  deleteAsk: (name: string, isLast: boolean) =>
    `Delete the agent ${name} with its prompt and settings for good?${isLast ? ' It is the last one that answers people: the chatbot will not answer without it.' : ''} The sources stay.`,
  sourcesOrAll: 'Name the sources that the agent sees, or say that it sees all.',
  wrongTag: (piece: string) =>
    `“${piece}” is not a tag. Write \`name | #1f2937 | criteria\`, a line or ; between several.`,
  wrongVariable: (piece: string) =>
    `“${piece}” is not a variable. Write \`name | string | description | example | default\`, a line or ; between several. The type is string, number or boolean.`,
};
