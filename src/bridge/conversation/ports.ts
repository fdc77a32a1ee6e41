/**
 * The core's ports. Adapters, the chatbot client and the stores implement them; the core imports
 * none of those.
 *
 * Calls to the service take an AbortSignal, and so do notices, which are retried. Writes in a
 * thread take none: each ends within a minute, and a running one can't be undone. The waits between
 * writes (for a permit, before a retry) belong to the core, and end at shutdown.
 */

import type { Texts } from '../texts/texts.ts';
import type { Problem } from '../../shared/problems/problem.ts';
import type { PlatformError } from './platform-error.ts';

/** Where a conversation takes place. One address has one session. */
export interface ThreadAddress {
  platform: string;
  /** A Slack team or Discord guild; `dm` for a direct message outside any. */
  workspace: string;
  channel: string;
  /** The platform's id of the thread; in a direct message without threads, the channel's id. */
  thread: string;
}

export interface Author {
  id: string;
  name: string;
  /**
   * Whether they are a manager: adapters report what the platform says, `managers.ts` decides for
   * the core.
   */
  isManager: boolean;
  /** Present if they are not of the workspace, or the platform does not tell whether they are. */
  outsider?: Outsider;
  /** Ids of the person's groups on the platform: Slack user groups, Discord roles. */
  groups?: readonly string[];
  /** The person's language in BCP 47, such as `de-AT`; English if unknown. */
  locale?: string;
}

/**
 * Somebody who is not of the workspace: a guest in it, a stranger of another workspace that shares a
 * channel with it, or a person of whom the platform tells nothing.
 */
export type Outsider = 'guest' | 'stranger' | 'unknown';

/** A person's message that the bot can read. */
export interface IncomingMessage {
  /** The platform's id of the message, unique in its channel. */
  id: string;
  author: Author;
  /** The text without the mention of the bot, and with names instead of ids. */
  text: string;
  /** `overheard`: in a channel or thread, without a mention. */
  addressed: 'mention' | 'direct' | 'overheard';
  /** The thread to answer in. If it does not exist yet, its first post opens it. */
  thread: Thread;
  /**
   * Present if the message is a command: runs it, instead of asking the chatbot. Resolves when it
   * has ended.
   */
  command?(): Promise<void>;
}

/** What identifies a message, however it is delivered. */
export interface MessageAddress {
  platform: string;
  workspace: string;
  channel: string;
  /** The platform's id of the message, unique in its channel. */
  id: string;
}

/** A message as the platform delivered it. */
export interface Delivery extends MessageAddress {
  /** What `Platform.read` needs to read the message after a restart; JSON. */
  event: unknown;
  /** Reads the message. Undefined if there is nothing to act on. */
  read(): Promise<IncomingMessage | undefined>;
}

/** An edit of a message by a person. */
export interface Edit extends MessageAddress {
  /** When the message itself was sent, in milliseconds since the epoch. */
  sentAt: number;
  /** Reads the message as it is now. Undefined if there is nothing to act on. */
  read(): Promise<IncomingMessage | undefined>;
}

/** The content of a message: Markdown, with small print (sources, notes) and buttons below it. */
export interface MessageContent {
  markdown: string;
  footer?: string;
  buttons?: readonly Button[];
}

/**
 * What a button does: stops the streaming reply, asks again, shows the cited passages, gives
 * feedback, asks for a person, ends a hand-over, or chooses the workspace of a direct message.
 */
export const buttonActions = [
  'stop',
  'retry',
  'passages',
  'helpful',
  'unhelpful',
  'person',
  'resume',
  'choose',
] as const;
export type ButtonAction = (typeof buttonActions)[number];

export interface Button {
  action: ButtonAction;
  label: string;
  /**
   * The id of its turn or, with `resume`, of its hand-over; with `choose`, also the workspace after a
   * dot. At most 64 characters.
   */
  turn: string;
}

/** A press of one of our buttons. */
export interface ButtonPress {
  action: ButtonAction;
  turn: string;
  by: Author;
  /** Where it was pressed; outside a thread, `thread` is the channel. */
  place: ThreadAddress;
}

/** What a platform reports to the core. Only `received` rejects. */
export interface Receiver {
  /**
   * The bot is in these workspaces: when it connects, before anything else is reported, all of
   * them; later each that it joins. `byAnyone`: whoever likes can add it to theirs. Resolves with
   * those that it does not serve.
   */
  joined(platform: string, workspaces: readonly string[], byAnyone: boolean): Promise<string[]>;
  /**
   * A message was delivered; a message that is already stored is ignored. Resolves once it is
   * stored: now it may be acknowledged, and is handled whatever happens.
   * @throws {Error} when it can't be stored; its author is told
   */
  received(delivery: Delivery): Promise<void>;
  /**
   * A question that the platform did not deliver. Resolves when the reply has ended; while it can't
   * be handled because the store fails, after the first try.
   */
  message(message: IncomingMessage): Promise<void>;
  /**
   * A person edited a message. Not called for unfurls or for our own edits. A message that becomes a
   * question by it, because the bot is mentioned now, is handled like a new one.
   */
  edited(edit: Edit): Promise<void>;
  /** A person deleted a message. Resolves when nothing more comes of it. */
  removed(message: MessageAddress): Promise<void>;
  /** Resolves with Markdown to show only to the person who pressed, or undefined. */
  pressed(press: ButtonPress): Promise<string | undefined>;
  /** Someone used the platform's own stop button in a thread. */
  stopped(thread: ThreadAddress, by: Author): Promise<void>;
}

/** How much Markdown fits into one message, by the platform's own way of counting. */
export interface MessageLimits {
  fits(markdown: string): boolean;
}

/**
 * A rate limit: `writes` per sliding `windowMs`, shared by all writes with the same `key`. The
 * figures are the documented ones; a platform's refusals correct them.
 */
export interface WriteBudget {
  key: string;
  writes: number;
  windowMs: number;
  /** How many of them a write takes, by default one. */
  calls?: number;
  /** A budget shared more widely, which each write takes from as well. */
  within?: WriteBudget;
}

export interface ThreadBudgets {
  post: WriteBudget;
  edit: WriteBudget;
  /** For opening streaming messages. */
  stream?: WriteBudget;
  /** For showing that the bot is working. */
  working?: WriteBudget;
}

export interface Thread {
  readonly address: ThreadAddress;
  readonly limits: MessageLimits;
  readonly budgets: ThreadBudgets;
  /**
   * Posts a message. A key, at most 40 characters, identifies it across retries and restarts: the
   * platform, or `findPosted`, recognises the message by it if the response was lost.
   * @throws {PlatformError}
   */
  post(content: MessageContent, key?: string): Promise<SentMessage>;
  /**
   * Looks for the message of a post whose response may have been lost: the try ended in a `failed`
   * error, or the process died. Removes streaming messages that nobody will finish. Called only
   * then, since it reads the thread. Undefined if there is no such message, or if the platform
   * doesn't let the bot read the thread.
   * @throws {PlatformError}
   */
  findPosted?(post: UncertainPost): Promise<SentMessage | undefined>;
  /** A message that the bot posted earlier, by its id. */
  message(id: string): SentMessage;
  /**
   * Shows a typing indicator or status until the next post. It expires, so the caller renews it.
   *
   * @param doing what the bot does instead of thinking, such as `answers 3 others first`, where the
   *   platform can show it
   */
  showWorking?(doing?: string): Promise<void>;
  /** Ends what `showWorking` shows, where no new message does so. */
  hideWorking?(): Promise<void>;
  /** The URL of the thread; undefined if the platform has none. */
  link?(): Promise<string | undefined>;
  /**
   * Posts a text in the thread as a file. The key is that of a post; `texts` are for what is said
   * where no file is accepted.
   * @throws {PlatformError}
   */
  postFile(file: TextFile, key?: string, texts?: Texts): Promise<void>;
  /**
   * Opens a streaming message with its first Markdown. Present if the platform has such messages
   * and everyone in the thread sees them grow. The key is that of a post.
   * @throws {PlatformError} when the platform refuses
   */
  openStream?(markdown: string, key?: string): Promise<MessageStream>;
}

/** A post of which nobody knows whether it was carried out. */
export interface UncertainPost {
  /** The key it was posted with. */
  key: string;
  /** The id of the message that it answers. */
  question: string;
  /** The turn of its buttons. */
  turn: string;
  /** What it shows, unless its text has grown since. */
  content?: MessageContent;
  /** The ids of the reply's other messages. */
  known: readonly string[];
}

export interface TextFile {
  /** With its extension, such as `reply.md`. */
  name: string;
  text: string;
}

/** A streaming message. It must be finished, whatever happens. */
export interface MessageStream {
  readonly message: SentMessage;
  readonly budgets: { append: WriteBudget; finish: WriteBudget };
  /** Milliseconds after which the platform may end the stream itself. */
  readonly lastsMs: number;
  /** @throws {PlatformError} */
  append(markdown: string): Promise<void>;
  /**
   * Appends the rest and ends the stream, with the final footer and buttons.
   * @throws {PlatformError}
   */
  finish(rest: MessageContent): Promise<void>;
}

export interface SentMessage {
  readonly id: string;
  /** @throws {PlatformError} */
  edit(content: MessageContent): Promise<void>;
  /** @throws {PlatformError} */
  remove(): Promise<void>;
  /**
   * Ends the message's stream, if an earlier run left one open.
   * @throws {PlatformError}
   */
  endStream?(): Promise<void>;
}

/**
 * The narrowest place whose members read a conversation: a private thread, a direct message, or else
 * the channel.
 */
export interface Room {
  /** The platform's id of the channel or thread. */
  id: string;
  /** Whether everyone of its workspace may read it. */
  isPublic: boolean;
  /** Present if it is a direct message between one person and the bot. */
  isDirect?: true;
}

/** Who reads what, as the platform tells right now; the core keeps its answers for a minute. */
export interface Rooms {
  /** The room of a conversation. Undefined if the platform does not tell. Never rejects. */
  of(address: ThreadAddress): Promise<Room | undefined>;
  /**
   * Whether a person is in a room that is not public. A direct message proves itself only: nobody
   * is in it as far as this tells. False if the platform does not tell. Never rejects.
   */
  has(address: ThreadAddress, room: Room, person: string): Promise<boolean>;
  /**
   * Those of these workspaces that a person is in and no guest of, with their names: for direct
   * messages outside any workspace. Undefined if the platform does not tell. Never rejects.
   */
  sharedWith?(person: string, workspaces: readonly string[]): Promise<NamedWorkspace[] | undefined>;
  /**
   * What a person is in a workspace. Undefined if they are not in it, or the platform does not tell.
   * Never rejects.
   */
  standing?(workspace: string, person: string): Promise<Standing | undefined>;
}

/** What a person is in a workspace. */
export type Standing = Pick<Author, 'isManager' | 'outsider' | 'groups'>;

/** A workspace as people know it. */
export interface NamedWorkspace {
  id: string;
  name: string;
}

/** A chat platform: receives messages and gives access to threads. */
export interface Platform extends AsyncDisposable {
  readonly name: string;
  /** The host of its API, such as `slack.com`. */
  readonly host: string;
  /** Whether it receives events now: false before it has started and while it reconnects. */
  readonly isConnected: boolean;
  /**
   * Resolves once the connection is permanently lost, with what a person can do about it. Never
   * rejects.
   */
  readonly fatalError: Promise<PlatformError>;
  /**
   * Connects, and from then on reports what people do to the receiver. Can be called again if it
   * fails.
   * @throws {PlatformError}
   */
  start(receiver: Receiver): Promise<void>;
  readonly rooms: Rooms;
  /** A thread known from an earlier run. */
  thread(address: ThreadAddress): Thread;
  /** Reads a message from its stored event, as `Delivery.read` does; called once it has started. */
  read(event: unknown): Promise<IncomingMessage | undefined>;
  /**
   * Posts a notice outside any thread.
   * @throws {PlatformError}
   */
  notify?(notice: Notice, signal?: AbortSignal): Promise<void>;
}

/** A message outside any thread. */
export interface Notice {
  workspace: string;
  /**
   * A channel or a person, by the platform's id. A person gets it where nobody else sees it: in the
   * channel, and its thread, if `in` names one and the platform can do that there, else in a direct
   * message.
   */
  to: { channel: string } | { person: string; in?: { channel: string; thread?: string } };
  markdown: string;
  /** Ids of people to mention, so that the platform notifies them. */
  people?: readonly string[];
}

/** Which chatbot answers in which channel. */
export interface Bindings {
  /** @throws {ChatbotError} `no_chatbot` if the workspace has none */
  chatbotFor(address: Pick<ThreadAddress, 'platform' | 'workspace' | 'channel'>): Promise<string>;
  /** Whether a chatbot may answer there: it belongs to the workspace. */
  mayAnswer(
    address: Pick<ThreadAddress, 'platform' | 'workspace' | 'channel'>,
    chatbot: string,
  ): Promise<boolean>;
  /** Removes every binding of a chatbot that is gone; resolves with how many there were. */
  release(chatbot: string): Promise<number>;
}

/** A reply as the service stored it. */
export interface StoredReply {
  /** The service's id of the message. */
  id: string;
  query: string;
  response: string;
  sources: Source[];
  /**
   * `whole`; `cut` at the model's length limit; `running` if it may still grow; `partial` if it
   * failed, or the service was interrupted.
   */
  state: 'whole' | 'cut' | 'running' | 'partial';
  /** Why it failed, in the service's words. The response may end with it. Absent if interrupted. */
  reason?: string;
  /** Why it is partial, if the service says so in a way we know. */
  failure?: Problem;
}

/** A source that a reply cites; the text contains its marker as `[marker]`. */
export interface Source {
  marker: string;
  title: string;
  quote: string;
  url?: string;
}

/** The chatbot service, as the core needs it. All methods throw ChatbotError. */
export interface Chatbot {
  createSession(chatbot: string, signal: AbortSignal): Promise<string>;
  /**
   * Streams the reply to a query, delta by delta. `context` is what people said among themselves
   * before it.
   */
  reply(
    session: string,
    asked: { query: string; context?: string },
    signal: AbortSignal,
  ): AsyncIterable<string>;
  /** The session's newest reply as the service stored it; undefined if it has none. */
  lastReply(session: string, signal: AbortSignal): Promise<StoredReply | undefined>;
  /** How the chatbot hands threads over to people; undefined if it does not. */
  handOver(chatbot: string, signal: AbortSignal): Promise<HandOverSettings | undefined>;
}

/** How a chatbot hands a thread over to people. Texts may be empty: the core has defaults. */
export interface HandOverSettings {
  /** Texts that count as asking for a person. */
  monitored: readonly string[];
  /**
   * What the bot says when somebody asks for a person, when a person takes over, and when the bot
   * answers again.
   */
  says: { requested: string; started: string; ended: string };
  /** Whether contacts are notified when somebody asks for a person. */
  notifies: boolean;
}

/** Who is notified when somebody asks for a person. */
export interface HandOverContacts {
  /** The platform's ids. */
  contactsFor(address: ThreadAddress): Promise<{ channel?: string; people: readonly string[] }>;
}

/**
 * A persistent store of JSON values by key. It rejects when it is down, so that it never looks
 * empty.
 */
export interface KeyedStore<Value> {
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** All keys with their values. */
  entries(): AsyncIterable<[string, Value]>;
}

/** How a turn ended, and how its reply was delivered. */
export interface TurnReport extends ReplyStats {
  platform: string;
  outcome: Outcome;
}

/** Receives reports of what happened, for metrics. */
export interface Reports {
  turnEnded(turn: TurnReport): void;
  /** A reader gave feedback on a reply. */
  rated(platform: string, choice: 'helpful' | 'unhelpful'): void;
  /** Follows each reply, where somebody watches: the sandbox's page does. */
  replies?: ReplyWatcher;
}

/** Follows replies as they come from the service. */
export interface ReplyWatcher {
  began(turn: { id: string; query: string; address: ThreadAddress }): void;
  /** All characters so far of the turn's reply; called for each delta. */
  received(turn: string, characters: number): void;
  ended(turn: string, outcome: Outcome): void;
}

/** `cut` at the model's length limit; `stopped` by a person, or because the process stops. */
export type Outcome = 'answered' | 'cut' | 'failed' | 'stopped';

/** How a reply was delivered. Times are in milliseconds. */
export interface ReplyStats {
  /** From the first delta to the first visible text; absent if no text was shown. */
  firstTextMs?: number;
  /** The age of the oldest delta not yet visible, averaged over time. */
  stalenessMs: number;
  /** From the end of the stream until the last text was visible. */
  tailMs: number;
  writes: number;
  /** Writes refused by a rate limit. */
  refused: number;
  /** The length of the last text in characters. */
  length: number;
}

/** Structured logging; pino fits this interface. */
export interface Log {
  /**
   * Whether a level is written, to skip building costly lines. If absent, every level counts as
   * written.
   */
  isLevelEnabled?(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
