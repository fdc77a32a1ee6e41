import * as api from './api.js';

/** @param {{ name: string, subcommand?: string }} command */
export function commandLabel({ name, subcommand }) {
  return `/${name}${subcommand ? ` ${subcommand}` : ''}`;
}

/** Whether a text is a command; after a space, it is a message. */
export function isCommand(text) {
  return /^\/\S/.test(text);
}

/** The command that a text begins with: the longest one that fits. */
export function findCommand(commands, text) {
  const fitting = commands.filter((one) => `${text} `.startsWith(`${commandLabel(one)} `));
  return fitting.toSorted((one, other) => commandLabel(other).length - commandLabel(one).length)[0];
}

/** Whether an option takes a file, which is attached. */
export function isFile({ input }) {
  return input.kind === 'file';
}

/** The options that can be typed. */
export function typable(fields) {
  return fields.filter((field) => !isFile(field));
}

/**
 * Splits what is typed after a command's name, as on Discord: `name:value`, where a value ends at
 * the next name. `loose` is what comes before the first name.
 *
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

/** The values of options as people know them: by name, where the bot and the platform take ids. */
export function createSuggestions(directory) {
  /** By option, the ids of what the bot has suggested, by name. */
  const suggested = new Map();

  function valueOf({ name, input }, text) {
    if (input.kind !== 'choice') return toIds(name, text);
    const isMeant = ({ value, label }) => value === text || isNamed(label, text);
    return input.options.find(isMeant)?.value ?? text;
  }

  /** In a list, what was chosen comes before what is typed after a comma. */
  function toIds(option, text) {
    const known = suggested.get(option) ?? new Map();
    if (known.has(text)) return known.get(text);
    const chosen = [...known.keys()].filter((label) => text.startsWith(`${label},`));
    const [longest] = chosen.toSorted((one, other) => other.length - one.length);
    return longest ? known.get(longest) + text.slice(longest.length) : text;
  }

  return {
    /**
     * What the bot suggests for the text typed into an option.
     *
     * @param {import('./directory.js').Place} place
     * @param {{ name: string, text: string }} focused
     * @param {Record<string, any>} given the values of all options
     * @returns {Promise<{ label: string, value: string }[]>}
     */
    async ask(place, { name, subcommand }, focused, given) {
      const options = { ...given, [focused.name]: toIds(focused.name, focused.text) };
      const call = { ...directory.at(place), name, subcommand, options, focused: focused.name };
      const { choices } = await api.post(`${place.platform}/complete`, call);
      const known = suggested.get(focused.name) ?? new Map();
      for (const { label, value } of choices) known.set(label, value);
      suggested.set(focused.name, known);
      return choices;
    },

    /** The value of an option for a text that people typed or chose. */
    valueOf,

    /** The values for what people typed, by option. */
    valuesOf(fields, typed) {
      const given = fields.filter(({ name }) => typed[name] !== undefined);
      return Object.fromEntries(
        given.map((field) => [field.name, valueOf(field, typed[field.name])]),
      );
    },
  };
}

/** Whether a text names something: case, and an @ or # before it, make no difference. */
export function isNamed(name, text) {
  const plain = (words) => words.replace(/^[@#]/, '').toLowerCase();
  return plain(name) === plain(text);
}
