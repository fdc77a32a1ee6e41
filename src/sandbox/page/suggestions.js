import * as api from './api.js';

/**
 * The values of options as people know them: by name, where the bot and the platform take ids.
 *
 * @param {any} directory
 */
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
     * @param {import('./place.js').Place} place
     * @param {any} command
     * @param {{ name: string, text: string }} focused
     * @param {Record<string, any>} given the values of all options
     * @returns {Promise<{ label: string, value: string }[]>}
     */
    async ask({ platform, channel, thread }, { name, subcommand }, focused, given) {
      const options = { ...given, [focused.name]: toIds(focused.name, focused.text) };
      const call = { user: directory.me(platform).id, channel, thread, name, subcommand };
      const asked = { ...call, options, focused: focused.name };
      const { choices } = await api.post(`${platform}/complete`, asked);
      const known = suggested.get(focused.name) ?? new Map();
      for (const { label, value } of choices) known.set(label, value);
      suggested.set(focused.name, known);
      return choices;
    },

    /** The value of an option for a text that people typed or chose. */
    valueOf,

    /**
     * The values for what people typed, by option.
     *
     * @param {any[]} fields
     * @param {Record<string, any>} typed
     */
    valuesOf: (fields, typed) =>
      Object.fromEntries(
        fields.flatMap((field) =>
          typed[field.name] === undefined ? [] : [[field.name, valueOf(field, typed[field.name])]],
        ),
      ),
  };
}

/** Whether a text names something: case, and an @ or # before it, make no difference. */
export function isNamed(name, text) {
  const plain = (words) => words.replace(/^[@#]/, '').toLowerCase();
  return plain(name) === plain(text);
}
