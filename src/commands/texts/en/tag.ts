import { count } from './count.ts';

export const tag = {
  created: (line: string) => `Created: ${line}`,
  none: (create: string) => `There are no tags yet. Create one with ${create}.`,
  count: (number: number) => count(number, 'tag', 'tags'),
  sources: (number: number) => count(number, 'source', 'sources'),
  deleteAsk: (name: string, sources: number) =>
    `Delete the tag **${name}** for good? ${sources === 1 ? 'The source in it stays.' : `The ${sources} sources in it stay.`}`,
};
