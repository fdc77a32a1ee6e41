import { cut } from '../primitives/shorten.ts';

/** docs.discord.com/developers/resources/channel#start-thread-from-message, `name`. */
const longestName = 100;

/** A thread's name, from the question that it answers. */
export function toThreadName(question: string): string {
  const plain = question
    .replace(/^[#>\s]+|[`*]+|~~|\|\|/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (plain === '') return 'Conversation';
  if (plain.length <= longestName) return plain;
  const start = cut(plain, longestName - 1);
  const space = start.lastIndexOf(' ');
  return `${space > longestName / 2 ? start.slice(0, space) : start}…`;
}
