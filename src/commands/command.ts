import type { Author, TextFile, ThreadAddress } from '../conversation/ports.ts';
import type { CommandTools } from './command-tools.ts';
import type { Formats } from './formats.ts';
import type { ChannelAccess } from './channel-access.ts';
import type { Names } from './names.ts';
import type { Options, RawValues, Values } from './option.ts';
import type { DescriptionKey, Messages } from '../messages/messages.ts';

/** Where and by whom a command was used, and what its platform does for it. */
export interface CommandContext {
  requester: Author;
  platform: string;
  workspace: string;
  channel: string;
  /** The thread it was used in, where that is one that answers are given in. */
  thread?: ThreadAddress;
  /** BCP 47, such as `en-US`. */
  locale: string;
  /** The requester's, as `Europe/Berlin`; UTC where the platform does not say. */
  timeZone?: string;
  /** What the platform calls its channels, people and groups. */
  names: Names;
  /** What the bot hears there, as of now. Never rejects. */
  channelAccess(): Promise<ChannelAccess>;
  /** A moment as the platform shows it in each reader's own time zone, for Markdown. Seconds since the epoch. */
  renderMoment?: (seconds: number) => string;
  /** Puts a question to the chatbot where everyone in the channel sees it; it is answered in a thread. */
  ask(question: string): Promise<void>;
  signal: AbortSignal;
}

/** What an action knows and can do: what its platform tells it, the process's tools, and more. */
export interface ActionContext extends CommandContext, CommandTools {
  /** All that there are, for help. */
  commands: readonly Command[];
  /** In the requester's language. */
  texts: Messages;
  formats: Formats;
  /** `requester` may do what only managers may. */
  isManager: boolean;
  /** The requester was asked whether they are sure, and is. */
  confirmed: boolean;
  /** Long texts are to be shown whole. */
  isWhole: boolean;
  /** What was given, before it was parsed. */
  raw: RawValues;
  /** A command as it is typed here, such as `/kb-source list` for `source list`. */
  slash(words: string): string;
  /**
   * Tells the requester alone, by a direct message: wherever they are by now, they hear of it, as
   * they would not of a message that is edited. Never rejects.
   */
  tell(markdown: string): Promise<void>;
  /** Notes for the audit log, and tells the audit channel, that something was changed. */
  changed(change: Change): void;
}

/** A change: what of, and what is different now. */
export interface Change {
  /** Its uuid or the platform's id, and its name where it has one. */
  what: { uuid: string; name?: string };
  before?: object;
  after?: object;
}

/** Something to show, and what may be done from there. */
export interface Outcome {
  markdown: string;
  buttons?: readonly OutcomeButton[];
  files?: readonly TextFile[];
}

/** A button below a result, and what it does when it is pressed. */
export interface OutcomeButton {
  label: string;
  danger?: true;
  onPress: PressAction;
}

/**
 * - `run`: runs a command, often the same with other values, in place of the result
 * - `show`: shows a text in place of the result
 * - `share`: shows the result to everyone in the channel
 */
export type PressAction =
  | {
      kind: 'run';
      command: string;
      action?: string;
      values: RawValues;
      confirmed?: true;
      isWhole?: true;
    }
  | { kind: 'show'; markdown: string }
  | { kind: 'share'; markdown: string };

/**
 * One thing a person can do by command. `run` yields what to show: the first is posted, each
 * further one takes the place of the one before.
 */
export interface Action<Declared extends Options = Options> {
  description: DescriptionKey;
  options: Declared;
  /** Who sees the result: `private`, the requester alone; `channel`, everyone there. */
  shownTo: 'private' | 'channel';
  /** Also offered on messages, by this name: at most 24 characters in English. It takes their files. */
  shortcut?: DescriptionKey;
  /** It changes what the chatbot knows or how it answers, so not everyone may. */
  managersOnly?: true;
  run(context: ActionContext, values: Values<Declared>): AsyncIterable<string | Outcome>;
  /** What options not given stand at now, as they would be typed, for a form to begin with. */
  initialValues?(values: Partial<Values<Declared>>): Record<string, string> | undefined;
}

/** A command with one action, or with several as subcommands. */
export type Command =
  | { name: string; description: DescriptionKey; action: Action }
  | { name: string; description: DescriptionKey; actions: Record<string, Action> };

/** Types an action's `run` by its options; the list, which holds actions of all kinds, forgets them. */
export function defineAction<const Declared extends Options>(action: Action<Declared>): Action {
  return action;
}
