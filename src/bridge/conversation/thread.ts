import { retry } from '../../shared/primitives/retry.ts';
import { type Sleep, sleep as realSleep } from '../../shared/primitives/time.ts';
import type { Texts } from '../texts/texts.ts';
import type { ThreadAddress } from './address.ts';
import { isRefusal, type PlatformErrorKind } from './errors.ts';

/**
 * A thread on a platform: posts messages, and gives access to those that the bot posted. Writes take
 * no AbortSignal: each ends within a minute, and a running one can't be undone.
 */
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
   * @param doing what the bot does, such as `is thinking…`, where the platform can show it
   */
  showWorking?(doing: string): Promise<void>;
  /** Ends what `showWorking` shows, where no new message does so. */
  hideWorking?(): Promise<void>;
  /**
   * Reads what others said before a message, in the thread or in its channel: the newest, in order,
   * without the bot's own messages. Absent where the bot is alone with one person.
   * @throws {PlatformError}
   */
  readBefore?(message: string, where: 'thread' | 'channel', max: number): Promise<Spoken[]>;
  /**
   * The bytes of a file that somebody attached there, by its `ref`, until the signal aborts.
   * @throws {PlatformError}
   */
  readFile?(ref: unknown, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Sets or removes the tag that says that a post is solved. Resolves with whether it is so: only the
   * post's own author says. Present where there are forums.
   * @throws {PlatformError}
   */
  markSolved?(tag: string, isSolved: boolean, by: string): Promise<boolean>;
  /**
   * Takes the question out of the title of the thread that was opened for it, if it has one.
   * @throws {PlatformError}
   */
  untitle?(): Promise<void>;
  /** Renders a time so that each reader sees it in their own time zone, as Markdown, if the platform can. */
  renderMoment?(seconds: number): string;
  /**
   * The URL of the thread; undefined if the platform has none.
   * @param unopened the message on which it would be opened, if nothing was posted
   */
  link?(unopened?: string): Promise<string | undefined>;
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

/** What a person, or another bot, said. */
export interface Spoken {
  /** The message's id, where later messages have higher ones. */
  sent: string;
  name: string;
  /** With names instead of ids. */
  text: string;
  /** The person's id. */
  by?: string;
}

export interface ThreadBudgets {
  post: WriteBudget;
  edit: WriteBudget;
  /** For opening streaming messages. */
  stream?: WriteBudget;
  /** For showing that the bot is working. */
  working?: WriteBudget;
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

/** How much Markdown fits into one message, by the platform's own way of counting. */
export interface MessageLimits {
  fits(markdown: string): boolean;
  /** Whether small print fits below Markdown that fits. Absent where any does, shortened if need be. */
  fitsBelow?(markdown: string, footer: string): boolean;
}

/** The content of a message: Markdown, with small print (sources, notes) and buttons below it. */
export interface MessageContent {
  markdown: string;
  footer?: string;
  buttons?: readonly Button[];
}

/**
 * What a button does: stops the streaming reply, asks again, shows the cited passages or the bot's own
 * help, gives feedback, asks for a person, ends a hand-over, teaches an answer, or chooses the workspace
 * of a direct message.
 */
export const buttonActions = [
  'stop',
  'retry',
  'passages',
  'help',
  'helpful',
  'unhelpful',
  'person',
  'resume',
  'teach',
  'choose',
] as const;

export type ButtonAction = (typeof buttonActions)[number];

export interface Button {
  action: ButtonAction;
  label: string;
  /**
   * The id of its turn or, with `resume`, of its hand-over. After a dot, with `choose` the workspace,
   * and with `retry` how often the question had been asked again. At most 64 characters.
   */
  turn: string;
}

/** A post that may or may not have been carried out. */
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

export interface SentMessage {
  readonly id: string;
  /** @throws {PlatformError} */
  edit(content: MessageContent): Promise<void>;
  /**
   * Keeps what the message shows, with a note, if it is not empty, and buttons below it in place of
   * those that it has.
   * @throws {PlatformError}
   */
  keep?(note: string, buttons: readonly Button[]): Promise<void>;
  /** @throws {PlatformError} */
  remove(): Promise<void>;
  /**
   * Ends the message's stream, if an earlier run left one open.
   * @throws {PlatformError}
   */
  endStream?(): Promise<void>;
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

/** Waits before each retry of a write that failed for a temporary reason. */
const waitsMs = [250, 500, 1000, 2000, 4000];

/** The limit for a platform's Retry-After, because the thread's next question waits as well. */
export const maxWaitMs = 60_000;

interface RetryWriteOptions {
  /** The kinds of errors that are temporary. */
  passing: readonly PlatformErrorKind[];
  signal: AbortSignal;
  sleep?: Sleep;
}

/**
 * Retries a write that no later one replaces, while it fails for a temporary reason. It may have
 * been carried out, so it must be one that can be repeated. An abort ends the wait between two
 * tries.
 * @throws {PlatformError}
 * @throws {Error} from `sleep` when the signal aborts
 */
export function retryWrite<Result>(
  write: () => Promise<Result>,
  { passing, signal, sleep = realSleep }: RetryWriteOptions,
): Promise<Result> {
  return retry(write, {
    sleep,
    signal,
    waitMs(error, failures) {
      const waitMs = waitsMs[failures - 1];
      if (waitMs === undefined || !isRefusal(error, ...passing)) return undefined;
      return Math.max(waitMs, Math.min(error.retryAfterMs ?? 0, maxWaitMs));
    },
  });
}
