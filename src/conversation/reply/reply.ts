import type { Messages } from '../../messages/messages.ts';
import { streamingButtons } from '../buttons.ts';
import { numberMarkers } from './citations.ts';
import {
  createEditedMessage,
  type GrowingMessage,
  postGrowingMessage,
  showsSame,
} from './growing-message.ts';
import { closeMarkdown, leaveClosingRoom } from '../markdown/close-markdown.ts';
import { createSplitter } from '../markdown/split-markdown.ts';
import type { Pacer, Urgency } from './pacer.ts';
import { retryWrite } from './retry-write.ts';
import { isRefusal } from '../platform-error.ts';
import type { Button, MessageContent, ReplyStats, Thread } from '../ports.ts';
import { createReplyMeter } from './reply-stats.ts';

/** A reply on its way into a thread: one message, or several where it is long. */
export interface Reply extends Disposable {
  /** All the text so far. */
  readonly text: string;
  /** Takes up a delta; it becomes visible as soon as the pacer allows. */
  append(delta: string): void;
  /**
   * Makes the last text visible, with what stands below it. Resolves once the platform has taken
   * it.
   * @throws {PlatformError}
   * @throws {Error} the signal's reason
   */
  finish(ending: Ending): Promise<void>;
  stats(): ReplyStats;
}

/** The last text of a reply, and what stands below it. */
export interface Ending {
  text: string;
  footer: string;
  buttons: readonly Button[];
  /** The markers that have a source; others vanish from the text. */
  markers?: ReadonlySet<string>;
}

export interface ReplyOptions {
  thread: Thread;
  pacer: Pacer;
  /** The turn that the buttons below the reply belong to. */
  turn: string;
  messages: Messages;
  /** Most characters shown; the whole of a longer reply is attached as a file. Default: any number. */
  maxCharacters?: number;
  /** Messages of ours that an earlier run began to write this reply into. */
  posted?: readonly string[];
  /** Told the ids of the reply's messages whenever there is a new one. */
  onPosted?: (ids: string[]) => Promise<void>;
  /** Aborted at shutdown: what waits to be written by then is not. */
  signal: AbortSignal;
  now?: () => number;
}

export function createReply(options: ReplyOptions): Reply {
  const { thread, pacer, messages, maxCharacters = Infinity, now = Date.now } = options;
  const split = createSplitter(leaveClosingRoom(thread.limits));
  const meter = createReplyMeter(now);
  const written: GrowingMessage[] = (options.posted ?? []).map((id) =>
    createEditedMessage(thread, thread.message(id)),
  );

  let text = '';
  /** Of white space alone, nothing can be shown. */
  let hasText = false;
  let ending: Ending | undefined;
  let newest: Rendered | undefined;
  let staleSince = 0;
  let failure: unknown;
  let writing: Promise<void> | undefined;
  /** Calls back a write that waits its turn as an interim one, once it has become the last. */
  const hurry = new AbortController();
  const place = pacer.join(thread.budgets.edit);

  /** What each message of the reply should show now. */
  function wanted(): MessageContent[] {
    const { pieces, last, closed } = rendered();
    const target = written[pieces.length];
    const appends = target ? target.appends : thread.openStream !== undefined;
    const markdown = appends ? last : closed;
    const { footer = '', buttons = streamingButtons(options.turn, messages) } = ending ?? {};
    const whole = pieces.map((piece) => ({ markdown: piece }));
    return markdown === '' ? whole : [...whole, { markdown, footer, buttons }];
  }

  /** The newest text in pieces: made once for all who ask before there is more of it. */
  function rendered(): Rendered {
    if (newest?.text === text && newest.ending === ending) return newest;
    const pieces = split(shownText());
    const last = pieces.pop() ?? '';
    newest = { text, ending, pieces, last, closed: ending ? last : closeMarkdown(last) };
    return newest;
  }

  function shownText(): string {
    const known = ending ? (ending.markers ?? noMarkers) : undefined;
    const numbered = numberMarkers(ending?.text ?? text, known).text;
    if (numbered.length <= maxCharacters) return numbered;
    return `${closeMarkdown(numbered.slice(0, maxCharacters).replace(halfPair, ''))}\n\n*${messages.thread.attached}*`;
  }

  /** The first message that does not show what it should; one too many should not be there. */
  function difference(): Difference | undefined {
    const contents = wanted();
    const index = contents.findIndex((content, at) => !showsSame(content, written[at]?.shown));
    const last = ending !== undefined || index < contents.length - 1;
    if (index >= 0) return { index, content: contents[index], last };
    return ending && written.length > contents.length
      ? { index: contents.length, content: undefined, last }
      : undefined;
  }

  async function writeAll(): Promise<void> {
    for (let next = difference(); next; next = difference()) await permitAndWrite(next);
  }

  async function permitAndWrite({ index, last }: Difference): Promise<void> {
    const budget = written[index]?.budget(last) ?? thread.budgets.post;
    const urgency: Urgency = written.length === 0 ? 'first' : ending ? 'final' : 'interim';
    const signal = urgency === 'interim' ? hurry.signal : options.signal;
    try {
      await pacer.permit(budget, { urgency, since: staleSince, signal });
    } catch {
      options.signal.throwIfAborted();
      // The reply ended meanwhile: the write is asked for again, as a final one.
      return;
    }
    const next = difference();
    if (next?.index !== index) return;
    const since = staleSince;
    const write = meter.writing();
    staleSince = 0;
    try {
      await show(next);
      write.shown();
    } catch (error) {
      staleSince = since;
      const refused = isRefusal(error, 'rate_limited');
      write.failed(refused);
      if (!refused) throw error;
      pacer.refused(budget, error.retryAfterMs ?? 1000);
    }
  }

  async function show({ index, content, last }: Difference): Promise<void> {
    const target = written[index];
    if (!content) return removeFrom(index);
    if (!target) return post(index, content, last);
    try {
      const write = () => target.write(content, last);
      await (last ? retried(write) : write());
    } catch (error) {
      if (!isRefusal(error, 'gone', 'uneditable')) throw error;
      // Nobody misses a text that stands there already; only what stands below it stays as it was.
      const readable = error.kind === 'uneditable' && content.markdown === target.shown?.markdown;
      if (readable)
        written[index] = createEditedMessage(thread, thread.message(target.id), content);
      else await post(index, content, last);
    }
  }

  async function post(index: number, content: MessageContent, last: boolean): Promise<void> {
    const write = () => postGrowingMessage(thread, content, last, now);
    written[index] = await (last ? retried(write) : write());
    await options.onPosted?.(written.map((message) => message.id));
  }

  const retried = <Result>(write: () => Promise<Result>) =>
    retryWrite(write, { passing: ['failed'], signal: options.signal });

  async function removeFrom(index: number): Promise<void> {
    const [surplus] = written.splice(index, 1);
    await surplus?.remove().catch((error: unknown) => {
      if (!isRefusal(error, 'gone')) throw error;
    });
  }

  /** The note in the reply says that the file is there: what refuses it for a while is waited for. */
  async function attach(whole: string): Promise<void> {
    const write = () => thread.postFile({ name: 'answer.md', text: whole });
    await retryWrite(write, { passing: ['failed', 'rate_limited'], signal: options.signal });
  }

  /** Starts the one loop that writes, unless it runs already and will see the newest text itself. */
  function startWriting(): void {
    writing ??= writeAll()
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => {
        writing = undefined;
      });
  }

  return {
    get text() {
      return text;
    },
    append(delta) {
      text += delta;
      hasText ||= /\S/.test(delta);
      meter.received();
      staleSince ||= now();
      if (hasText && !isRefusal(failure, 'forbidden')) startWriting();
    },
    async finish(end) {
      ending = end;
      meter.ended();
      hurry.abort();
      await writing;
      failure = undefined;
      startWriting();
      await writing;
      if (failure) throw failure;
      if (end.text.length > maxCharacters) await attach(end.text);
    },
    stats: () => meter.stats((ending?.text ?? text).length),
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
}

/** A text as messages show it. */
interface Rendered {
  text: string;
  ending: Ending | undefined;
  /** Of all messages but the last. */
  pieces: readonly string[];
  last: string;
  /** The last, with half-finished Markdown closed unless it has ended. */
  closed: string;
}

/** A message of the reply that does not show what it should. */
interface Difference {
  index: number;
  /** Undefined where the message should not be there. */
  content: MessageContent | undefined;
  /** Whether the message stays like that, as far as is known. */
  last: boolean;
}

/** The first half of a character that a cut took the second half of. */
const halfPair = /[\uD800-\uDBFF]$/;

const noMarkers: ReadonlySet<string> = new Set();
