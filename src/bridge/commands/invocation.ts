import type { TextFile } from '../conversation/thread.ts';
import type { Action, Command, CommandContext } from './command.ts';
import type { DescriptionKey } from '../texts/texts.ts';
import type { OpenFile } from './files.ts';
import type { RawValues } from './option.ts';
import type { CommandEntry, GivenCommand, Giver } from './runner/command-record.ts';
import type { Forms } from './runner/kept-forms.ts';

/** A command as a platform received it: names and raw values, not yet checked. */
export interface Invocation extends CommandUse {
  values: RawValues;
}

/** A command, and where somebody uses it. */
export interface CommandUse {
  /** Its own name, such as `source`. */
  command: string;
  /** The subcommand, if the command has subcommands. */
  action?: string;
  context: CommandContext;
}

/** What a platform shows: Markdown, with buttons and files. */
export interface Result {
  markdown: string;
  buttons?: readonly CommandButton[];
  files?: readonly TextFile[];
  /** It concerns only the requester, although the command's results are for everyone. */
  isPrivate?: true;
  /** It was not done: the form that it came from can be opened again. */
  isRefused?: true;
  /** More of it follows, so it is not worth a message of its own. */
  isInterim?: true;
}

/** A button below a result; `id`, at most 64 characters, identifies it to the runner. */
export interface CommandButton {
  id: string;
  label: string;
  danger?: true;
}

/** A command's results, each in place of the one before. The last two methods never reject. */
export interface Results extends AsyncIterable<Result> {
  /** Called when a result stands in messages that the bot can edit at any later time. */
  shownIn?(shown: OwnMessages): Promise<void>;
  /** Called at the end: the last result was shown, or can't be. */
  ended?(isShown: boolean): Promise<void>;
}

/** Messages of the bot's own in a channel or thread, by their ids. */
export interface OwnMessages {
  channel: string;
  messages: string[];
}

/** Where somebody is, and where else they may act from there. */
export interface Elsewhere {
  context: CommandContext;
  /** The same person's context in another place; undefined if the platform knows nothing of it here. */
  contextIn(place: Place): CommandContext | undefined;
}

/** A press of a result's button. */
export interface Press extends Elsewhere {
  id: string;
  /** What the button says, as the platform tells. */
  label?: string;
  openFile: OpenFile;
}

/** Where a command was used. */
export interface Place {
  workspace: string;
  channel: string;
  thread?: string;
}

/**
 * What a pressed button shows:
 * - `here`: in place of its result
 * - `channel`: publicly in the channel; its result stays
 * - `instead`: publicly in the channel, and its result, which only the requester sees, goes
 * - `private`: the press was refused, which is told only to the person who pressed, beside the result
 */
export interface Pressed {
  place: 'here' | 'channel' | 'instead' | 'private';
  /** With `channel` and `instead`: where the command was used, which may be elsewhere. */
  at?: { channel: string; thread?: string };
  results: Results;
}

/** A possible value of an option, and its label. */
export interface Suggestion {
  label: string;
  value: string;
  /** Another name for the value. */
  name?: string;
}

/** A request for suggestions while someone fills in an option. */
export interface Completion extends CommandUse {
  option: string;
  /** The text typed so far. */
  typed: string;
  /** Max suggestions; 25 by default. */
  limit?: number;
}

/** The commands and their names: manifest, registration, forms and help derive from these. */
export interface CommandSet {
  readonly names: CommandNames;
  readonly commands: readonly Command[];
}

/** The commands, and how platforms run them. */
export interface CommandRunner extends CommandSet {
  readonly forms: Forms;
  /**
   * Stores a command that is about to run, before the platform acknowledges it: then people hear of
   * it if it is cut off. For the context of `run`, which ends it. Takes a second at most and never
   * rejects: where it can't be stored, the command runs all the same. Undefined if it has no effect.
   */
  accept(given: GivenCommand): Promise<CommandEntry | undefined>;
  /**
   * As `accept`, for a press of a result's button; for the context of `press`. Undefined if the button
   * runs no command. The platform ends it, because not every press runs it.
   */
  acceptPress(id: string, by: Giver): Promise<CommandEntry | undefined>;
  /** Checks the values and runs the action. Never throws: a failure is shown as the last result. */
  run(invocation: Invocation): Results;
  /**
   * Does what a result's button is for, on behalf of the person who pressed it. Never rejects.
   */
  press(press: Press): Promise<Pressed>;
  /**
   * Where this person used the command whose result has a button that opens a form; undefined if that
   * is forgotten. Never rejects.
   */
  placeOf(result: string, person: string): Promise<Place | undefined>;
  /**
   * The context of a form that was opened elsewhere, such as in a direct message that shows the
   * result; undefined if the person is no longer in the workspace. Never rejects.
   */
  contextAt(place: Place, from: Elsewhere): Promise<CommandContext | undefined>;
  /** Whether the requester may use an action; `run` says why not. Never rejects. */
  mayUse(use: CommandUse): Promise<boolean>;
  /**
   * Whether everyone in the channel sees the result: not if it only says what is wrong with the
   * requester or their values, as far as can be told without the service. Never rejects.
   */
  isShared(invocation: Invocation): Promise<boolean>;
  /** Values that fit what was typed so far, best first. Never rejects. */
  complete(completion: Completion): Promise<Suggestion[]>;
  /** The initial values of a form: the given ones, and current values for the other options. */
  prefill(invocation: Invocation): Promise<Record<string, string>>;
}

/** An action that is offered on messages, and takes their files or text. */
export interface Shortcut extends NonNullable<Action['shortcut']> {
  command: string;
  action?: string;
  description: DescriptionKey;
}

/** Lists the actions that are offered on messages. */
export function listShortcuts(commands: readonly Command[]): Shortcut[] {
  return commands.flatMap((command) => {
    const actions: [name: string | undefined, Action][] =
      'actions' in command ? Object.entries(command.actions) : [[undefined, command.action]];
    return actions.flatMap(([action, { shortcut, description }]) =>
      shortcut ? [{ command: command.name, action, description, ...shortcut }] : [],
    );
  });
}

/** Finds an action by command name and subcommand; undefined if there is none. */
export function findAction(
  commands: readonly Command[],
  command: string,
  action?: string,
): Action | undefined {
  const found = commands.find((each) => each.name === command);
  if (!found) return undefined;
  if ('action' in found) return found.action;
  if (action === undefined || !Object.hasOwn(found.actions, action)) return undefined;
  return found.actions[action];
}

/** What people type to give a command. */
export interface CommandNames {
  /** Precedes each command's own name: `kb-` gives `/kb-ask`. */
  prefix: string;
  /** Slack's one command, which takes the others as words: `causeway` gives `/causeway ask`. */
  slack: string;
  /** Whether each command also has its own name on Slack, as on Discord; texts then use these. */
  slackShort: boolean;
}

/**
 * A command as people type it on a platform. For `source list`, that is `/causeway source list` on
 * Slack and `/source list` on Discord.
 */
export function typedCommand(
  { prefix, slack, slackShort }: CommandNames,
  platform: string,
  words: string,
): string {
  const lead = platform === 'slack' && !slackShort ? `${slack} ` : prefix;
  return `/${lead}${words}`;
}
