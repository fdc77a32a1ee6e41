/**
 * What the core needs of the world around it. Adapters, the client and the stores implement these;
 * the core imports none of them.
 *
 * Calls of the service take an AbortSignal, and so do notices, which are retried. Writes in a thread
 * take none: each ends by itself within a minute, and one that is under way can't be taken back. The
 * waits between writes (for a permit, before a retry) are the core's, and end at shutdown.
 */

import type { PlatformError } from './platform-error.ts';

/** Where a conversation takes place: the same address, the same session. */
export interface ThreadAddress {
  platform: string;
  /** A Slack team or Discord guild; `dm` where a direct message belongs to none. */
  workspace: string;
  channel: string;
  /** The platform's id of the thread; in a direct message without threads the channel's. */
  thread: string;
}

export interface Author {
  id: string;
  name: string;
  /** May do what only managers may: as the platform says, and in the core as `managers.ts` decides. */
  isManager: boolean;
  /** Ids of the platform's groups that the person is in, where there are any: user groups, roles. */
  groups?: readonly string[];
  /** The language that the person reads, as BCP 47 has it (`de-AT`); English where it is not known. */
  locale?: string;
}

/** A message that a person wrote where the bot can read it. */
export interface IncomingMessage {
  /** The platform's identity of the message, unique in its channel. */
  id: string;
  author: Author;
  /** What was said, without the mention of the bot, names resolved. */
  text: string;
  /** `overheard`: in a channel or thread, without a mention. */
  addressed: 'mention' | 'direct' | 'overheard';
  /** The thread to answer in; a thread that does not exist yet is opened by its first post. */
  thread: Thread;
  /** It is a command in words: what is done in place of an answer. */
  command?(): Promise<void>;
}

/** What a message shows: Markdown, below it small print such as sources and notes, and buttons. */
export interface MessageContent {
  markdown: string;
  footer?: string;
  buttons?: readonly Button[];
}

/**
 * What a button does: ends the reply that streams, asks again, shows the quoted passages, says what
 * the reader thinks of the reply, asks for a person, or lets the bot answer again after one.
 */
export type ButtonAction =
  | 'stop'
  | 'retry'
  | 'passages'
  | 'helpful'
  | 'unhelpful'
  | 'person'
  | 'resume';

export interface Button {
  action: ButtonAction;
  label: string;
  /** The turn it belongs to, or with `resume` the hand-over; at most 40 characters. */
  turn: string;
}

/** A person pressed a button of ours. */
export interface ButtonPress {
  action: ButtonAction;
  turn: string;
  by: Author;
  /** Where it was pressed. */
  place: Pick<ThreadAddress, 'platform' | 'workspace' | 'channel'>;
}

/** A person took back a message. */
export interface RemovedMessage {
  platform: string;
  workspace: string;
  channel: string;
  id: string;
}

/** What a platform tells the core. None of these rejects. */
export interface Receiver {
  message(message: IncomingMessage): Promise<void>;
  /** A person changed what a message says; never an unfurl or an edit of our own. */
  edited(message: IncomingMessage): Promise<void>;
  removed(message: RemovedMessage): Promise<void>;
  /** Resolves with Markdown for the one who pressed to see, where there is something to say. */
  pressed(press: ButtonPress): Promise<string | undefined>;
  /** The platform's own stop control was used on a thread. */
  stopped(thread: ThreadAddress, by: Author): Promise<void>;
}

/** How much Markdown one message holds, by whatever the platform counts in what it renders. */
export interface MessageLimits {
  fits(markdown: string): boolean;
}

/** `writes` in any `windowMs`, shared by all who draw on `key`. Documented figures; platforms correct them by refusing. */
export interface WriteBudget {
  key: string;
  writes: number;
  windowMs: number;
}

export interface Thread {
  readonly address: ThreadAddress;
  readonly limits: MessageLimits;
  readonly budgets: { post: WriteBudget; edit: WriteBudget };
  /** @throws {PlatformError} */
  post(content: MessageContent): Promise<SentMessage>;
  /** A message of ours posted earlier, by its id. */
  message(id: string): SentMessage;
  /** Shows that a reply is on its way (typing, a status) until the next post; renewed by its caller. */
  showWorking?(): Promise<void>;
  /** Where people open the thread: a web address; undefined where the platform gives none. */
  link?(): Promise<string | undefined>;
  /**
   * Puts a text into the thread as a file.
   * @throws {PlatformError}
   */
  postFile(file: TextFile): Promise<void>;
  /**
   * Opens a message with its first Markdown that grows by what is appended, where the platform has
   * such messages and everyone in the thread sees them grow.
   * @throws {PlatformError} when it refuses
   */
  openStream?(markdown: string): Promise<MessageStream>;
}

export interface TextFile {
  /** With its ending, as `reply.md`. */
  name: string;
  text: string;
}

/** A message that grows. It must be finished, whatever happens. */
export interface MessageStream {
  readonly message: SentMessage;
  readonly budgets: { append: WriteBudget; finish: WriteBudget };
  /** Milliseconds after which the platform may end the message by itself. */
  readonly lastsMs: number;
  /** @throws {PlatformError} */
  append(markdown: string): Promise<void>;
  /**
   * Appends the rest and ends the message, with what stands below it.
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
   * Ends a stream that an earlier run left open, where it is one.
   * @throws {PlatformError}
   */
  endStream?(): Promise<void>;
}

/** A chat platform: hears messages and knows its threads. */
export interface Platform extends AsyncDisposable {
  readonly name: string;
  /** Whether it hears people now: not before it has started, nor while it tries to come back. */
  readonly isConnected: boolean;
  /** Resolves once it is cut off for good, with what a person can do about it. Never rejects. */
  readonly fatalError: Promise<PlatformError>;
  /** Connects, and tells the receiver what people do from then on. */
  start(receiver: Receiver): Promise<void>;
  /** A thread known from an earlier run. */
  thread(address: ThreadAddress): Thread;
  /**
   * Tells people something outside of any thread.
   * @throws {PlatformError}
   */
  notify?(notice: Notice, signal?: AbortSignal): Promise<void>;
}

/** Something to tell people outside of any thread. */
export interface Notice {
  workspace: string;
  /** A channel, or a person, who gets a direct message: by the platform's id. */
  to: { channel: string } | { person: string };
  markdown: string;
  /** Ids of people whom it mentions, so that the platform calls them. */
  people?: readonly string[];
}

/** Which chatbot answers where. */
export interface Bindings {
  chatbotFor(address: Pick<ThreadAddress, 'platform' | 'workspace' | 'channel'>): Promise<string>;
  /** Ends every choice of a chatbot; resolves with how many there were. */
  release(chatbot: string): Promise<number>;
}

/** What the service stored of a turn. */
export interface StoredReply {
  query: string;
  response: string;
  sources: Source[];
  /** `whole`; `cut` at the model's length limit; `partial` where the service was interrupted. */
  state: 'whole' | 'cut' | 'partial';
}

/** A source that a reply cites; `marker` stands in the text as `[marker]`. */
export interface Source {
  marker: string;
  title: string;
  quote: string;
  url?: string;
}

/** What the core needs of the chatbot service. Everything throws ChatbotError. */
export interface Chatbot {
  createSession(chatbot: string, signal: AbortSignal): Promise<string>;
  /** The reply to a query, delta by delta; `context` is what people said before among themselves. */
  reply(
    session: string,
    asked: { query: string; context?: string },
    signal: AbortSignal,
  ): AsyncIterable<string>;
  /** The session's newest turn as the service stored it, or undefined where it has none. */
  lastReply(session: string, signal: AbortSignal): Promise<StoredReply | undefined>;
  /** How the chatbot hands threads over to people; undefined where it does not. */
  handOver(chatbot: string, signal: AbortSignal): Promise<HandOverSettings | undefined>;
}

/** How a chatbot hands a thread over to people. Texts may be empty: the core has some of its own. */
export interface HandOverSettings {
  /** Messages by which somebody asks for a person. */
  monitored: readonly string[];
  /** Said when somebody asks for a person, when one takes over, and when the bot answers again. */
  says: { requested: string; started: string; ended: string };
  /** Whether people are notified that somebody asks for one. */
  notifies: boolean;
}

/** Whom to tell that somebody asks for a person. */
export interface HandOverContacts {
  /** By the platform's ids. */
  contactsFor(address: ThreadAddress): Promise<{ channel?: string; people: readonly string[] }>;
}

/** Makes sure that what must happen once happens once. */
export interface Coordinator {
  /** Takes a key once: true for the first caller, false for any other until `ttl` ms have passed. */
  claim(key: string, ttl: number): Promise<boolean>;
}

/** JSON values by key, kept over restarts. A store that is down rejects: it never looks empty. */
export interface KeyedStore<Value> {
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** All keys with their values. */
  entries(): AsyncIterable<[string, Value]>;
}

/** How a turn ended, and how its reply came to the readers. */
export interface TurnReport extends ReplyStats {
  platform: string;
  outcome: Outcome;
}

/** Told what happened, for whoever counts. */
export interface Reports {
  turnEnded(turn: TurnReport): void;
  /** A reader said what they think of a reply. */
  rated(platform: string, choice: 'helpful' | 'unhelpful'): void;
}

/** `cut` at the model's length limit; `stopped` by a person, or because the process stops. */
export type Outcome = 'answered' | 'cut' | 'failed' | 'stopped';

/** How a reply came to its readers. Times in milliseconds. */
export interface ReplyStats {
  /** From the first delta to the first visible text; absent where none was seen. */
  firstTextMs?: number;
  /** The mean age of the oldest delta that nobody could see yet, weighted by time. */
  stalenessMs: number;
  /** From the end of the stream to the last text visible. */
  tailMs: number;
  writes: number;
  /** Writes that the platform refused as too many. */
  refused: number;
  /** Characters of the last text. */
  length: number;
}

/** Structured logging: pino has this shape. */
export interface Log {
  /** Whether lines of a level are written: what is costly to make need not be. Default: they are. */
  isLevelEnabled?(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
