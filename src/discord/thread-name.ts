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
  const cut = plain.slice(0, longestName - 1);
  const space = cut.lastIndexOf(' ');
  const whole = space > longestName / 2 ? cut.slice(0, space) : cut;
  return `${whole.replace(/[\uD800-\uDBFF]$/, '')}…`;
}
