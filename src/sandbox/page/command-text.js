/** @param {{ name: string, subcommand?: string }} command */
export function commandLabel({ name, subcommand }) {
  return `/${name}${subcommand ? ` ${subcommand}` : ''}`;
}

/** Whether a text is a command; after a space, it is a message. */
export function isCommand(text) {
  return /^\/\S/.test(text);
}

/**
 * The command that a text begins with: the longest one that fits.
 *
 * @param {any[]} commands
 * @param {string} text
 */
export function findCommand(commands, text) {
  const fitting = commands.filter((one) => `${text} `.startsWith(`${commandLabel(one)} `));
  return fitting.toSorted((one, other) => commandLabel(other).length - commandLabel(one).length)[0];
}

/** The options that can be typed. */
export function typable(fields) {
  return fields.filter(({ input }) => input.kind !== 'file');
}

/**
 * Splits what is typed after a command's name, as on Discord: `name:value`, where a value ends at
 * the next name. `loose` is what comes before the first name.
 *
 * @param {any[]} fields
 * @param {string} text
 * @returns {{ loose: string, options: { name: string, value: string }[] }}
 */
export function splitOptions(fields, text) {
  const names = typable(fields).map(({ name }) => name);
  const pattern = new RegExp(`(?<=^|\\s)(${names.join('|')}):\\s*`, 'g');
  const marks = names.length > 0 ? [...text.matchAll(pattern)] : [];
  const options = marks.map((mark, index) => ({
    name: mark[1],
    value: text.slice(mark.index + mark[0].length, marks[index + 1]?.index),
  }));
  return { loose: text.slice(0, marks[0]?.index), options };
}

/**
 * The options in what is typed after a command's name. Text without a name is for the first option
 * that is missing; `surplus` is text that no option takes.
 *
 * @param {any[]} fields
 * @param {string} text
 * @returns {{ typed: Record<string, string>, surplus: string }}
 */
export function readOptions(fields, text) {
  const { loose, options } = splitOptions(fields, text);
  const named = options.map(({ name, value }) => [name, value.trim()]);
  const typed = Object.fromEntries(named.filter(([, value]) => value !== ''));
  const rest = loose.trim();
  const taker = typable(fields).find(({ name }) => !(name in typed));
  if (!rest || !taker) return { typed, surplus: rest };
  return { typed: { ...typed, [taker.name]: rest }, surplus: '' };
}
