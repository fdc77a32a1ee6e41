import type { CommandOption } from '../../../src/sandbox/discord/application-commands/command-schema.ts';

/** A command as it is registered, as far as we have a say in it. */
export interface Registered {
  name: string;
  description: string;
  options?: CommandOption[] | null;
}

/** Breaks one of Discord's documented limits: somewhere, and by how much. */
type Mutation = (commands: Registered[], place: number, excess: number) => void;

const at = <Item>(items: readonly Item[], place: number): Item => {
  const item = items[place % items.length];
  if (item === undefined) throw new Error('nothing to change');
  return item;
};

export const textOption = (name: string): CommandOption => ({
  type: 3,
  name,
  description: 'A text',
});

/** The options that stand together: of a command, or of a subcommand. */
const levelsOf = (commands: Registered[]): CommandOption[][] =>
  commands.flatMap(({ options }) => {
    const own = options ?? [];
    const nested = own.flatMap((option) => (option.type === 1 ? [option.options ?? []] : []));
    return nested.length > 0 ? nested : [own];
  });

const optionsOf = (commands: Registered[]): CommandOption[] => levelsOf(commands).flat();

const named = (name: (excess: number) => string): Mutation[] => [
  (commands, place, excess) => void (at(commands, place).name = name(excess)),
  (commands, place, excess) => void (at(optionsOf(commands), place).name = name(excess)),
];

/**
 * What Discord does not take, each as a change to a payload that it does:
 * docs.discord.com/developers/interactions/application-commands.
 */
export const mutations: Record<string, Mutation> = {
  ...both(
    'a name of more than 32 characters',
    named((excess) => 'x'.repeat(32 + excess)),
  ),
  ...both(
    'a name with capitals',
    named((excess) => 'X'.repeat(Math.min(excess, 32))),
  ),
  ...both(
    'a name with spaces',
    named((excess) => `x${' '.repeat(Math.min(excess, 30))}x`),
  ),
  ...both(
    'no name',
    named(() => ''),
  ),
  ...both('a description of more than 100 characters', [
    (commands, place, excess) => void (at(commands, place).description = 'x'.repeat(100 + excess)),
    (commands, place, excess) =>
      void (at(optionsOf(commands), place).description = 'x'.repeat(100 + excess)),
  ]),
  ...both('no description', [
    (commands, place) => void (at(commands, place).description = ''),
    (commands, place) => void (at(optionsOf(commands), place).description = ''),
  ]),
  'more than 25 options': (commands, place, excess) => {
    const options = at(levelsOf(commands), place);
    while (options.length < 25 + excess) options.push(textOption(`more-${options.length}`));
  },
  'more than 25 subcommands': (commands, place, excess) => {
    const nested = commands.filter(({ options }) => options?.some(({ type }) => type === 1));
    const options = at(nested, place).options ?? [];
    while (options.length < 25 + excess) {
      options.push({ ...textOption(`more-${options.length}`), type: 1 });
    }
  },
  'more than 25 choices': (commands, place, excess) => {
    const choices = Array.from({ length: 25 + excess }, (_, index) => `${index}`);
    Object.assign(at(optionsOf(commands), place), {
      type: 3,
      autocomplete: false,
      choices: choices.map((value) => ({ name: value, value })),
    });
  },
  'a choice of more than 100 characters': (commands, place, excess) => {
    const value = 'x'.repeat(100 + excess);
    Object.assign(at(optionsOf(commands), place), {
      type: 3,
      autocomplete: false,
      choices: [{ name: 'long', value }],
    });
  },
  'both choices and autocompletion': (commands, place) => {
    Object.assign(at(optionsOf(commands), place), {
      type: 3,
      autocomplete: true,
      choices: [{ name: 'one', value: 'one' }],
    });
  },
  'autocompletion of what is no text or number': (commands, place) => {
    Object.assign(at(optionsOf(commands), place), { type: 5, autocomplete: true, choices: [] });
  },
  'two options of one name': (commands, place) => {
    const options = at(levelsOf(commands), place);
    options.push(textOption('same'), textOption('same'));
  },
  'an option that is needed behind one that is not': (commands, place) => {
    const options = at(levelsOf(commands), place);
    options.push(textOption('first'), { ...textOption('then'), required: true });
  },
  'options beside subcommands': (commands, place) => {
    const nested = commands.filter(({ options }) => options?.some(({ type }) => type === 1));
    at(nested, place).options?.push(textOption('beside'));
  },
  'an option of no known type': (commands, place, excess) => {
    at(optionsOf(commands), place).type = 11 + excess;
  },
  'a longest text that is longer than 6000': (commands, place, excess) => {
    Object.assign(at(optionsOf(commands), place), { type: 3, max_length: 6000 + excess });
  },
  'two commands of one name': (commands, place) => {
    commands.push({ ...at(commands, place) });
  },
  'more than 100 commands': (commands, _, excess) => {
    for (let index = commands.length; index < 100 + excess; index += 1) {
      commands.push({ name: `more-${index}`, description: 'One more' });
    }
  },
  'a command of more than 8000 characters': (commands, place) => {
    at(commands, place).options = Array.from({ length: 25 }, (_, index) => ({
      ...textOption(`group-${index}`),
      type: 1,
      options: Array.from({ length: 4 }, (_, own) => ({
        ...textOption(`option-${own}`),
        description: 'x'.repeat(100),
      })),
    }));
  },
};

function both(what: string, [ofCommand, ofOption]: readonly Mutation[]): Record<string, Mutation> {
  if (!ofCommand || !ofOption) throw new Error('two mutations are needed');
  return { [`${what}, of a command`]: ofCommand, [`${what}, of an option`]: ofOption };
}
