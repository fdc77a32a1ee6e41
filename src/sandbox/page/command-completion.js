import {
  commandLabel,
  findCommand,
  isFile,
  isNamed,
  readOptions,
  splitOptions,
  typable,
} from './commands.js';

/** @typedef {import('./option-list.js').Completion} Completion */
/** @typedef {import('./option-list.js').Completions} Completions */

/**
 * The files that are attached, and what opens the file chooser.
 *
 * @typedef {{ count: number, choose: () => void }} Attached
 */

/** @type {Completions} */
const nothing = { choices: [], isMarked: false };

/** Completes commands as the platforms' clients do: on Discord also their options, `name:value`. */
export function createCommandCompletion({ directory, suggestions }) {
  /** @returns {Completion} */
  function toCompletion(command, replaces) {
    const label = commandLabel(command);
    const needed = command.fields.filter(({ required }) => required);
    const usage = needed.map(({ name }) => `<${name}>`).join(' ');
    const first = needed.length > 0 && !isFile(needed[0]) ? `${needed[0].name}:` : '';
    return {
      label,
      hint: [usage, command.description].filter(Boolean).join(' '),
      replaces,
      choose: () => `${label} ${first}`,
    };
  }

  /** What can follow in `name:value`. Enter sends where nothing more is required. */
  async function completeOptions(place, command, rest, attached) {
    const { fields } = command;
    const last = splitOptions(fields, rest).options.at(-1);
    const field = fields.find(({ name }) => name === last?.name);
    const word = rest.split(/\s/).at(-1);
    const fitting = ({ name }) => name.startsWith(word);
    if (!field && rest.trim() === word) {
      const open = findOpen(fields, '', attached).filter(fitting);
      const sorted = open.toSorted((one, other) => Number(other.required) - Number(one.required));
      const choices = sorted.map((one) => toName(one, word.length, attached));
      return { choices, isMarked: word !== '' || sorted[0]?.required === true };
    }
    const found = field ? await findValues(place, command, field, rest, last.value) : [];
    const isChosen = found.some(({ label }) => isNamed(label, last.value.trim()));
    const values = isChosen ? [] : found;
    if (last?.value.trim() === '') return { choices: values, isMarked: values.length > 0 };
    const open = findOpen(fields, rest, attached);
    const needed = open.filter(({ required }) => required);
    const others = open.filter((one) => !one.required && fitting(one));
    const choices = [
      ...values,
      ...needed.map((one) => toName(one, 0, attached, /\s$/.test(rest) ? '' : ' ')),
      ...(isChosen || word !== '' ? others : []).map((one) => toName(one, word.length, attached)),
    ];
    return { choices, isMarked: values.length + needed.length > 0 };
  }

  /** @returns {Promise<Completion[]>} */
  async function findValues(place, command, field, rest, text) {
    const toChoice = (label) => toValue(label, text);
    if (field.input.kind === 'choice') return fittingChoices(field, text.trim()).map(toChoice);
    if (!field.input.completed) return [];
    const focused = { name: field.name, text: text.trim() };
    const given = suggestions.valuesOf(command.fields, readOptions(command.fields, rest).typed);
    const found = await suggestions.ask(place, command, focused, given).catch(() => []);
    return found.map(({ label }) => toChoice(label));
  }

  /**
   * @param {import('./directory.js').Place} place
   * @param {string} before the text before the caret, which begins with a slash
   * @param {Attached} attached
   * @returns {Promise<Completions>}
   */
  return async function complete(place, before, attached) {
    if (place.platform === 'slack' && place.thread) return nothing;
    const commands = directory.commands(place.platform);
    const typed = before.toLowerCase();
    const longer = findLonger(commands, typed);
    if (longer.length > 0) {
      const isWhole = commands.some((one) => commandLabel(one) === typed.trimEnd());
      const choices = longer.map((one) => toCompletion(one, before.length));
      return { choices, isMarked: !isWhole };
    }
    const command = findCommand(commands, before);
    if (!command || command.fields.length === 0) return nothing;
    const rest = before.slice(commandLabel(command).length);
    if (rest) return completeOptions(place, command, rest, attached);
    const isNeedy = command.fields.some(({ required }) => required);
    return isNeedy ? { choices: [toCompletion(command, before.length)], isMarked: true } : nothing;
  };
}

/** The commands that begin with the text, or else have such a word: `/up` finds `/source upload`. */
function findLonger(commands, typed) {
  const begun = commands.filter((one) => {
    return commandLabel(one).startsWith(typed) && commandLabel(one) !== typed;
  });
  if (begun.length > 0 || findCommand(commands, typed)) return begun;
  return commands.filter((one) => commandLabel(one).includes(` ${typed.slice(1)}`));
}

/** The options that have no value yet. Text without a name is for the first required one. */
function findOpen(fields, rest, { count }) {
  const { loose, options } = splitOptions(fields, rest);
  const given = new Set(options.map(({ name }) => name));
  for (const { name } of fields.filter(isFile).slice(0, count)) given.add(name);
  const open = fields.filter(({ name }) => !given.has(name));
  const taker = loose.trim() ? typable(open).find(({ required }) => required) : undefined;
  return open.filter((one) => one !== taker);
}

/** @returns {Completion} the name of an option; a file is chosen at once */
function toName(field, replaces, attached, before = '') {
  const { name, hint, required } = field;
  return {
    label: `${name}:`,
    hint: [required && 'required', hint].filter(Boolean).join(' · '),
    replaces,
    choose() {
      if (!isFile(field)) return `${before}${name}:`;
      attached.choose();
      return '';
    },
  };
}

/** @returns {Completion} a value in place of what is typed of it */
function toValue(label, text) {
  return { label, hint: '', replaces: text.length, choose: () => `${label} ` };
}

/** The names of an option's choices. On Discord they have no @ or # before them. */
function fittingChoices({ input }, text) {
  const typed = text.toLowerCase().replace(/^[@#]/, '');
  return input.options
    .map(({ label }) => label)
    .filter((label) => label.toLowerCase().includes(typed));
}
