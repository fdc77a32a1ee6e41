import {
  commandLabel,
  findCommand,
  isNamed,
  readOptions,
  splitOptions,
  typable,
} from './commands.js';

/** @typedef {import('./option-list.js').Completion} Completion */
/** @typedef {import('./option-list.js').Completions} Completions */

/** @type {Completions} */
const nothing = { choices: [], isMarked: false };

/**
 * Completes commands, and their options: `--name value` on Slack, `name:value` on Discord.
 *
 * @param {object} page
 * @param {(place: import('./directory.js').Place, command: any, typed: object) => Promise<boolean>} page.run
 */
export function createCommandCompletion({ directory, suggestions, run }) {
  /** @returns {Completion} */
  function toCompletion(command, place, replaces) {
    const needed = command.fields.filter(({ required }) => required);
    const usage = needed.map(({ name }) => `<${name}>`).join(' ');
    return {
      label: commandLabel(command),
      hint: [usage, command.description].filter(Boolean).join(' '),
      replaces,
      choose: () => choose(command, place),
    };
  }

  /**
   * Returns what to put into the composer. On Discord, a form asks for what is required, and a
   * command that takes nothing runs at once.
   */
  function choose(command, place) {
    const isAskedFor = command.fields.some(({ required }) => required);
    if (place.platform === 'slack' || (command.fields.length > 0 && !isAskedFor)) {
      return `${commandLabel(command)} `;
    }
    void run(place, command, {});
    return '';
  }

  /** What can follow in `name:value`. Enter sends where a text is complete as it is. */
  async function completeNamed(place, command, rest) {
    const { options } = splitOptions(command.fields, rest);
    const last = options.at(-1);
    const field = command.fields.find(({ name }) => name === last?.name);
    const values = field ? await findValues(place, command, field, rest, last.value) : [];
    const isChosen = values.some(({ label }) => isNamed(label, last.value.trim()));
    const word = rest.split(/\s/).at(-1);
    const isBlank = rest.trim() === '';
    const isText = field ? values.length === 0 : rest.trim() !== word;
    const others = typable(command.fields).filter(
      ({ name }) => name.startsWith(word) && !options.some((option) => option.name === name),
    );
    const names = others.map(({ name, hint }) => ({
      label: `${name}:`,
      hint,
      replaces: word.length,
      choose: () => `${name}:`,
    }));
    const areNamesDue = isBlank || isChosen || (word !== '' && !rest.endsWith(`${last?.name}:`));
    return {
      choices: [...(isChosen ? [] : values), ...(areNamesDue ? names : [])],
      isMarked: isChosen || isText ? false : field !== undefined || word !== '',
    };
  }

  /** @returns {Promise<Completion[]>} */
  async function findValues(place, command, field, rest, text) {
    const toChoice = (label) => toValue(label, text);
    if (field.input.kind === 'choice') return fitting(field, text.trim()).map(toChoice);
    if (!field.input.completed) return [];
    const focused = { name: field.name, text: text.trim() };
    const given = suggestions.valuesOf(command.fields, readOptions(command.fields, rest).typed);
    const found = await suggestions.ask(place, command, focused, given).catch(() => []);
    return found.map(({ label }) => toChoice(label));
  }

  /**
   * @param {import('./directory.js').Place} place
   * @param {string} before the text before the caret, which begins with a slash
   * @returns {Promise<Completions>}
   */
  return async function complete(place, before) {
    if (place.platform === 'slack' && place.thread) return nothing;
    const commands = directory.commands(place.platform);
    const typed = before.toLowerCase();
    const longer = findLonger(commands, typed);
    if (longer.length > 0) {
      const isWhole = commands.some((one) => commandLabel(one) === typed.trimEnd());
      const choices = longer.map((one) => toCompletion(one, place, before.length));
      return { choices, isMarked: !isWhole };
    }
    const command = findCommand(commands, before);
    const rest = command ? before.slice(commandLabel(command).length) : '';
    if (!rest) return nothing;
    return place.platform === 'slack'
      ? completeDashed(command.fields, rest)
      : completeNamed(place, command, rest);
  };
}

/** The commands that begin with the text, or else have such a word: `/sour` finds `/causeway source`. */
function findLonger(commands, typed) {
  const begun = commands.filter((one) => {
    return commandLabel(one).startsWith(typed) && commandLabel(one) !== typed;
  });
  if (begun.length > 0 || findCommand(commands, typed)) return begun;
  return commands.filter((one) => commandLabel(one).includes(` ${typed.slice(1)}`));
}

/**
 * What can follow in `value --name value`.
 *
 * @returns {Completions}
 */
function completeDashed(fields, rest) {
  const words = rest.trimStart().split(/\s+/);
  const [before, word] = [words.at(-2), words.at(-1)];
  const named = fields.find(({ name }) => name === readDashed(before));
  if (named) return completeValue(named, word);
  const typed = readDashed(word);
  if (typed === undefined && words.length > 1) return nothing;
  if (typed === undefined) {
    const first = fields.find(({ required }) => required) ?? fields[0];
    const values = first ? completeValue(first, word) : nothing;
    if (values.choices.length > 0 || word !== '') return values;
  }
  const given = new Set(words.slice(0, -1).map(readDashed));
  const others = fields.filter(
    ({ required, name }) => !required && name.startsWith(typed ?? '') && !given.has(name),
  );
  const choices = others.map(({ name, hint }) => ({
    label: `--${name}`,
    hint,
    replaces: word.length,
    choose: () => `--${name} `,
  }));
  return { choices, isMarked: Boolean(typed) };
}

/** The name in `--name`, where a keyboard may have made -- a dash. */
function readDashed(word) {
  return /^(?:--|[—–])([\w-]*)$/.exec(word ?? '')?.[1];
}

/** @returns {Completions} */
function completeValue(field, text) {
  if (field.input.kind !== 'choice') return nothing;
  const labels = fitting(field, text);
  if (labels.some((label) => isNamed(label, text))) return nothing;
  return { choices: labels.map((label) => toValue(label, text)), isMarked: text !== '' };
}

/** @returns {Completion} a value in place of what is typed of it */
function toValue(label, text) {
  return { label, hint: '', replaces: text.length, choose: () => `${label} ` };
}

/** The names of an option's choices. On Discord they have no @ or # before them. */
function fitting({ input }, text) {
  const typed = text.toLowerCase().replace(/^[@#]/, '');
  return input.options
    .map(({ label }) => label)
    .filter((label) => label.toLowerCase().includes(typed));
}
