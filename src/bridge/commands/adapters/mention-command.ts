import { ask } from '../ask.ts';
import type { Action, Command } from '../command.ts';
import type { CommandSet } from '../invocation.ts';
import type { IncomingFile } from '../files.ts';
import type { RawValues } from '../option.ts';
import { guess } from './guess.ts';
import type { RunningCommands } from './show-results.ts';

/**
 * A command in a message to the bot, and the text after its name; without one, the text resembles a
 * command.
 */
export interface MentionCommand {
  command?: Command;
  text: string;
}

/** What a message to the bot says: a command, or a question in other words than its own. */
export type Said = { kind: 'command'; found: MentionCommand } | { kind: 'question'; text: string };

/**
 * Reads the text of a message to the bot, without the mention: a command, or a question in other
 * words than its own. Undefined if it is a question as it stands.
 */
export type ReadSaid<Message> = (
  message: Message,
  text: string,
) =>
  | { kind: 'command'; isOwn: boolean; run(): Promise<void> }
  | { kind: 'question'; text: string }
  | undefined;

/** Reads what messages say; their commands are tracked while they run. */
export function createSaidReader<Message>(
  { runner, running }: { runner: CommandSet; running: RunningCommands },
  run: (found: MentionCommand, message: Message, kept: () => void) => Promise<void>,
): ReadSaid<Message> {
  return (message, text) => {
    const said = readMention(runner, text);
    if (said?.kind !== 'command') return said;
    const { found } = said;
    return {
      kind: 'command',
      isOwn: found.command !== undefined && findAction(found.command, found.text)?.isOwn === true,
      run: () =>
        running.finish(
          (kept) => run(found, message, kept),
          found.command?.name ?? 'a mistyped command',
        ),
    };
  };
}

/** `/session show page:2`: whether there is a slash, the name, and the rest. */
const words = /^(\/?)(\S+)\s*([^]*)/;

/**
 * Finds a command in a message to the bot, with or without the slash: in threads, Slack has no slash
 * commands. Without a slash, a message is a command only if an action follows the name, and if it
 * does not end as a question does; with one, a typo of a name is no question either. `ask` asks the
 * rest. Undefined if the message is a question as it stands.
 */
export function readMention({ names, commands }: CommandSet, said: string): Said | undefined {
  const own = new RegExp(`^(/?)${names.slack}\\s+`, 'i');
  const [, slash, name = '', rest = ''] = words.exec(said.trim().replace(own, '$1')) ?? [];
  const called = name.toLowerCase();
  const command = commands.find((each) => [each.name, names.prefix + each.name].includes(called));
  if (!command) {
    const typed = [name, rest].filter(Boolean).join(' ');
    const isTypo = slash !== '' && guess(commands, typed)?.kind === 'command';
    return isTypo ? { kind: 'command', found: { text: typed } } : undefined;
  }
  if (command.name === ask.name) return rest ? { kind: 'question', text: rest } : undefined;
  const found: MentionCommand = { command, text: toText(command, rest) };
  if (slash) return { kind: 'command', found };
  const isNamed =
    'actions' in command
      ? findAction(command, found.text) !== undefined
      : commands.some((each) => each.name === rest.toLowerCase());
  return isNamed && !/[?？]$/.test(rest) ? { kind: 'command', found } : undefined;
}

/** The text with its action in small letters: keyboards of phones capitalise words. */
function toText(command: Command, rest: string): string {
  return 'actions' in command ? rest.replace(/^\S+/, (word) => word.toLowerCase()) : rest;
}

function findAction(command: Command, text: string): Action | undefined {
  if (!('actions' in command)) return command.action;
  const [name = ''] = text.split(/\s/, 1);
  return Object.hasOwn(command.actions, name) ? command.actions[name] : undefined;
}

export function takesFiles(action: Action): boolean {
  return findFileOption(action) !== undefined;
}

/** The values of a command in a message; files of the message are for its file option. */
export function withFiles(
  action: Action,
  values: RawValues,
  files: readonly IncomingFile[],
): RawValues {
  const option = findFileOption(action);
  return option !== undefined && files.length > 0 ? { ...values, [option]: files } : values;
}

function findFileOption({ options }: Action): string | undefined {
  return Object.entries(options).find(([, { type }]) => type === 'file')?.[0];
}
