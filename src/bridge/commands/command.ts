import type { Viewer, Access } from '../conversation/access.ts';
import type { Author, IncomingMessage, Notice } from '../conversation/platform.ts';
import type { TextFile } from '../conversation/thread.ts';
import type { ThreadAddress } from '../conversation/address.ts';
import type { Formats } from './formats.ts';
import type { Options, RawValues, Values } from './option.ts';
import type { CommandEntry } from './runner/command-record.ts';
import type { SourceWatch } from './source/source-watch.ts';
import type { DescriptionKey, Texts } from '../texts/texts.ts';
import type { Admission } from '../conversation/questions.ts';
import type { Forgetting } from '../conversation/forgetting.ts';
import type { Bindings } from '../conversation/bindings.ts';
import type { Gaps } from '../conversation/gaps.ts';
import type { Managers, Settings } from '../conversation/settings.ts';
import type { Tenancy } from '../conversation/tenancy.ts';
import type { ThreadControl } from './thread-control.ts';
import type { Sleep } from '../../shared/primitives/time.ts';
import type { Problem } from '../../shared/problems/problem.ts';
import type { FileLimits } from './files.ts';
import type { RegisteredClient } from './registry/registry-client.ts';
import type { Registry } from './registry/registry.ts';

/** Where and by whom a command was used, and what its platform offers. */
export interface CommandContext {
  requester: Author;
  platform: string;
  workspace: string;
  channel: string;
  /** The thread it was used in, if it is one that the chatbot can answer in. */
  thread?: ThreadAddress;
  /** BCP 47, such as `en-US`. */
  locale: string;
  /** The requester's time zone, such as `Europe/Berlin`; UTC if the platform does not know it. */
  timeZone?: string;
  /** Names of the platform's channels, people and groups. */
  names: Names;
  /** Present if it was used in a forum. */
  forum?: Forum;
  /** What the bot can read there right now. Never rejects. */
  channelAccess(): Promise<ChannelAccess>;
  /**
   * Renders a time so that each reader sees it in their own time zone, as Markdown. Takes seconds
   * since the epoch.
   */
  renderMoment?: (seconds: number) => string;
  /**
   * Asks the chatbot a question publicly in the channel. `posted` is called with the posted question
   * before the core gets it. Resolves with where the answer appears: in a thread of its own, where
   * the command was used, or in a direct message with the bot.
   */
  ask(
    question: string,
    posted?: (message: IncomingMessage) => Promise<void>,
  ): Promise<'thread' | 'here' | 'direct'>;
  /**
   * Present if the command is a message: its row says that it runs. Called once the journal has a
   * row for what it watches.
   */
  kept?(): void;
  /** Present if the command was stored before its interaction was acknowledged. */
  accepted?: CommandEntry;
  /** Present if a button was pressed elsewhere, such as in a direct message that shows the result. */
  isElsewhere?: true;
  signal: AbortSignal;
}

/** The thread that a command is used in; outside of threads, the channel. */
export function threadOf({ platform, workspace, channel, thread }: CommandContext): ThreadAddress {
  return thread ?? { platform, workspace, channel, thread: channel };
}

/** The requester, and where they are: what they are shown depends on that. */
export function toViewer(context: CommandContext): Viewer {
  const { requester: person, platform, workspace, channel, thread, isElsewhere } = context;
  if (isElsewhere) return { person, platform, workspace };
  return { person, platform, workspace, channel, thread: thread?.thread };
}

/**
 * What an action's `run` receives: the platform's context, the process's tools, and details of this
 * invocation.
 */
export interface ActionContext extends CommandContext, CommandTools {
  /** The command that runs: buttons below its results run it again. */
  invoked: { command: string; action?: string };
  /** All commands, for help. */
  commands: readonly Command[];
  /** In the requester's language. */
  texts: Texts;
  formats: Formats;
  /** Whether `requester` is a manager. */
  isManager: boolean;
  /** Whether the requester has confirmed the action. */
  confirmed: boolean;
  /** Whether to show long texts in full. */
  isWhole: boolean;
  /** The values before parsing. */
  raw: RawValues;
  /**
   * Renders a command as people type it here: for `source list`, `/causeway source list` on Slack and
   * `/source list` on Discord.
   */
  slash(words: string): string;
  /**
   * Notifies the requester by direct message. Unlike an edit of the result, this reaches them
   * wherever they are. Never rejects.
   */
  tell(markdown: string): Promise<void>;
  /** Stores what the command watches now, so that a restart continues it. Never rejects. */
  keepWatch(watch: SourceWatch): Promise<void>;
  /** The process stops: the next one continues the watch. */
  leaveWatch(): void;
  /** Records a change, or what a manager read, in the audit log and in the audit channel. */
  changed(change: Change): void;
}

/** A change: what changed, and its values before and after. */
export interface Change {
  /** Its uuid or the platform's id, and its name if it has one. */
  what: { uuid: string; name?: string };
  before?: object;
  after?: object;
}

/** What an action shows, with buttons for what to do next. */
export interface Outcome {
  markdown: string;
  buttons?: readonly OutcomeButton[];
  files?: readonly TextFile[];
  /** It concerns only the requester, although the action's results are for everyone. */
  isPrivate?: true;
  /** As in `Result`. */
  isRefused?: true;
  /** As in `Result`. */
  isInterim?: true;
}

/** A button below a result, and what it does when pressed. */
export interface OutcomeButton {
  label: string;
  danger?: true;
  onPress: PressAction;
}

/**
 * - `run`: runs a command, often the same with other values, and replaces the result
 * - `show`: replaces the result with a text
 * - `share`: shows the result to everyone in the channel
 * - `ask`: asks the chatbot what the button says, as the person who pressed, and leaves the result
 * - `teach`: opens the form that teaches the answer to an open question, and leaves the result
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
  | { kind: 'share'; markdown: string }
  | { kind: 'ask' }
  | { kind: 'teach'; turn: string };

/** One thing that a command can do. */
export interface Action<Declared extends Options = Options> {
  description: DescriptionKey;
  options: Declared;
  /** Who sees the result: `private`, only the requester; `channel`, everyone there. */
  shownTo: 'private' | 'channel';
  /**
   * Also offered on messages, by this name: at most 24 characters in English. The option that it names
   * takes their files or text; the form does not ask for `values`.
   */
  shortcut?: { name: DescriptionKey; takes: string; values?: Record<string, string> };
  /** Only managers may run it: it changes something for others, or shows what only managers may see. */
  managersOnly?: true;
  /** Works where no chatbot belongs to the workspace, too. */
  needsNoChatbot?: true;
  /** Needs a workspace: a direct message outside any has none. */
  inWorkspace?: true;
  /** It concerns only what is the requester's own, so guests and strangers may run it, too. */
  isOwn?: true;
  /** It changes something, although everyone may run it: people hear of it if it is cut off. */
  changes?: true;
  /** What to show: one outcome or, while it goes on, several, each in place of the one before. */
  run(
    context: ActionContext,
    values: Values<Declared>,
  ): Promise<string | Outcome> | AsyncIterable<string | Outcome>;
  /**
   * Current values of options that were not given, as people type them: a form starts with them.
   */
  initialValues?(values: Partial<Values<Declared>>): Record<string, string> | undefined;
}

/** What an action shows, one outcome after another. */
export async function* outcomesOf(
  running: ReturnType<Action['run']>,
): AsyncGenerator<string | Outcome> {
  if (Symbol.asyncIterator in running) yield* running;
  else yield await running;
}

/** A command with one action, or with several as subcommands. */
export type Command =
  | { name: string; description: DescriptionKey; action: Action }
  | { name: string; description: DescriptionKey; actions: Record<string, Action> };

/**
 * Infers the values of an action's `run` from its options, and erases the type for the list of
 * commands.
 */
export function defineAction<const Declared extends Options>(action: Action<Declared>): Action {
  return action;
}

/** What commands need from the rest of the process; part of every action's context. */
export interface CommandTools {
  client: RegisteredClient;
  registry: Registry;
  fileLimits: FileLimits;
  bindings: Bindings;
  threads: ThreadControl;
  gaps: Pick<Gaps, 'list' | 'take' | 'release' | 'taught'>;
  admission: Pick<Admission, 'check' | 'explain'>;
  forgetting: Forgetting;
  settings: Settings;
  managers: Managers;
  access: Access;
  tenancy: Tenancy;
  /**
   * Posts a notice on a platform, outside any thread.
   * @throws {PlatformError}
   */
  notify(platform: string, notice: Notice, signal?: AbortSignal): Promise<void>;
  sleep: Sleep;
  /** Milliseconds since the epoch, for what is stored or shown. */
  now: () => number;
  /** Milliseconds that pass however the clock is set, for waits. */
  monotonicMs: () => number;
}

/** A channel that has only posts, each a thread of its own. */
export interface Forum {
  /** What its posts can have as tags. */
  tags: readonly { id: string; name: string }[];
  /** What keeps the bot from changing the tags of posts. */
  lacks?: Problem;
}

/** What a platform has names for. */
export type NamedKind = 'channel' | 'person' | 'group';

/** A group of people on a platform: a Slack user group or a Discord role. */
export interface Group {
  id: string;
  /** As people write it, such as `@support`. */
  name: string;
}

/** Looks up names of channels, people and groups where a command was used. */
export interface Names {
  /**
   * The name as people write it, such as `#general`, `Ada` or `@support`; undefined if the id is
   * unknown or the platform does not answer. Never rejects.
   */
  nameOf(kind: NamedKind, id: string): Promise<string | undefined>;
  /** All groups; empty if the platform does not list them. Never rejects. */
  groups(): Promise<readonly Group[]>;
}

/**
 * What the bot can read where a command was used:
 * - `everything`: all messages
 * - `mentions`: messages that mention it; others arrive without text
 * - `uninvited`: nothing, because it is not a member of the channel
 * - `unseen`: nothing, because it may not view the channel
 * - `direct`: all messages, in a direct message with it
 */
export type ChannelAccess = 'everything' | 'mentions' | 'uninvited' | 'unseen' | 'direct';
