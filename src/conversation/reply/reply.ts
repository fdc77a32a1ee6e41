import type { Messages } from '../../messages/messages.ts';
import {
  createEditedMessage,
  type GrowingMessage,
  removeMessage,
  showsSame,
} from './growing-message.ts';
import type { Pacer, Urgency } from './pacer.ts';
import { createPosts } from './posts.ts';
import { maxWaitMs, retryWrite } from './retry-write.ts';
import { isRefusal, type PlatformError } from '../platform-error.ts';
import type { MessageContent, ReplyStats, Thread, WriteBudget } from '../ports.ts';
import { createReplyContents, type Ending } from './reply-contents.ts';
import { createReplyMeter } from './reply-stats.ts';
import { monotonicMs } from '../../primitives/monotonic.ts';

/** A reply that is being written into a thread: one message, or several if it is long. */
export interface Reply extends Disposable {
  /** All the text so far. */
  readonly text: string;
  /** Adds a delta; it becomes visible as soon as the pacer allows. */
  append(delta: string): void;
  /**
   * Shows the last text, with its footer and buttons. Resolves once the platform has accepted it.
   * @throws {PlatformError}
   * @throws {Error} the signal's reason
   */
  finish(ending: Ending): Promise<void>;
  stats(): ReplyStats;
}

export interface ReplyOptions {
  thread: Thread;
  pacer: Pacer;
  /** The turn of the buttons below the reply. */
  turn: string;
  /** The id of the message that is answered. */
  question: string;
  /**
   * Starts the key of each message (`Thread.post`), at most 30 characters. Another reply of the same
   * turn needs another one.
   */
  key: string;
  messages: Messages;
  /** Max characters to show; a longer reply is attached whole as a file. Default: no limit. */
  maxCharacters?: number;
  /** Ids of the messages that an earlier run posted for this reply. */
  posted?: readonly string[];
  /**
   * Whether an earlier run may have posted a message that is not in `posted`, because it died in
   * between. The reply looks for it before its first write.
   */
  resumed?: boolean;
  /**
   * Called with the ids of the reply's messages whenever there is a new one, before anything else
   * is done with it.
   */
  onPosted?: (ids: string[]) => Promise<void>;
  /** Aborted at shutdown: waiting writes are dropped. */
  signal: AbortSignal;
  now?: () => number;
}

export function createReply(options: ReplyOptions): Reply {
  const { thread, pacer, maxCharacters = Infinity, now = monotonicMs } = options;
  const contents = createReplyContents({ ...options, maxCharacters });
  const meter = createReplyMeter(now);
  const written: GrowingMessage[] = (options.posted ?? []).map((id) =>
    createEditedMessage(thread, thread.message(id)),
  );
  const wanted = () => contents.list(written, isHeldBack);
  const contentAt = (index: number) => wanted()[index];
  const posts = createPosts({ ...options, written, contentAt, now });

  let text = '';
  /** White space alone can't be shown. */
  let hasText = false;
  let ending: Ending | undefined;
  let staleSince: number | undefined;
  let failure: unknown;
  /** What the platform refuses for good: it is not written again. */
  let refused: { next: Difference; error: PlatformError } | undefined;
  let writing: Promise<void> | undefined;
  /** Whether the platform accepts no further message for long: the last one says so meanwhile. */
  let isHeldBack = false;
  /** Aborts a waiting interim write once the text is final. */
  const hurry = new AbortController();
  const place = pacer.join(thread.budgets.edit);

  /** The first message whose content is out of date, or that should not exist. */
  async function findDifference(): Promise<Difference | undefined> {
    await contents.update(text, ending);
    const hasEnded = contents.ending !== undefined;
    const all = wanted();
    const index = all.findIndex((content, at) => !showsSame(content, written[at]?.shown));
    const last = hasEnded || index < all.length - 1;
    if (index >= 0) return { index, content: all[index], last };
    return hasEnded && written.length > all.length
      ? { index: all.length, content: undefined, last }
      : undefined;
  }

  async function writeAll(): Promise<void> {
    await contents.update(text, ending);
    await adoptLost();
    for (let next = await findDifference(); next; next = await findDifference()) {
      await permitAndWrite(next);
    }
  }

  async function permitAndWrite({ index, last }: Difference): Promise<void> {
    const permit = await findPermit(index, last);
    const next = await findDifference();
    if (!permit || next?.index !== index) return;
    if (refused && isSame(next, refused.next)) throw refused.error;
    const since = staleSince;
    const write = meter.writing();
    staleSince = undefined;
    try {
      await show(next, permit.isNew);
      write.shown();
    } catch (error) {
      staleSince = since;
      const isLimited = isRefusal(error, 'rate_limited');
      write.failed(isLimited);
      if (isRefusal(error, 'refused')) refused = { next, error };
      if (!isLimited) throw error;
      pacer.refused(permit.budget, error.retryAfterMs ?? 1000);
    }
  }

  /**
   * Waits until a message may be written: undefined if meanwhile something else is to be written.
   * Where the platform accepts no edits for long, the last text becomes a new message (`isNew`).
   */
  async function findPermit(
    index: number,
    last: boolean,
  ): Promise<{ budget: WriteBudget; isNew: boolean } | undefined> {
    const edit = written[index]?.budget(last);
    const { post: posts } = thread.budgets;
    const isNew = { budget: posts, isNew: true };
    try {
      if (!edit) return (await mayPost(posts)) ? isNew : undefined;
      const maxBlockedMs = ending ? maxWaitMs : undefined;
      if (await permitted(edit, maxBlockedMs)) return { budget: edit, isNew: false };
      if (pacer.blockedMs(posts) < pacer.blockedMs(edit)) {
        return (await permitted(posts)) ? isNew : undefined;
      }
      return (await permitted(edit)) ? { budget: edit, isNew: false } : undefined;
    } catch {
      options.signal.throwIfAborted();
      // The reply has ended: the write is requested again as a final one.
      return undefined;
    }
  }

  /** Before it waits for long, the messages that exist say why. */
  async function mayPost(budget: WriteBudget): Promise<boolean> {
    const canSayWhy = ending !== undefined && written.length > 0 && !isHeldBack;
    const isPermitted = await permitted(budget, canSayWhy ? maxWaitMs : undefined);
    isHeldBack = !isPermitted;
    return isPermitted;
  }

  function permitted(budget: WriteBudget, maxBlockedMs?: number): Promise<boolean> {
    const urgency: Urgency = written.length === 0 ? 'first' : ending ? 'final' : 'interim';
    const signal = urgency === 'interim' ? hurry.signal : options.signal;
    return pacer.permit(budget, { urgency, since: staleSince ?? now(), signal, maxBlockedMs });
  }

  async function show({ index, content, last }: Difference, isNew: boolean): Promise<void> {
    const target = written[index];
    if (!content) return removeFrom(index);
    if (!target) return post(index, content, last);
    if (isNew) return replace(target, { index, content, last });
    try {
      const write = () => target.write(content, last);
      await (last ? retried(write) : write());
    } catch (error) {
      if (!isRefusal(error, 'gone', 'uneditable')) throw error;
      // The text is already visible; only the footer and buttons stay out of date.
      const readable = error.kind === 'uneditable' && content.markdown === target.shown?.markdown;
      if (readable)
        written[index] = createEditedMessage(thread, thread.message(target.id), content);
      else await post(index, content, last);
    }
  }

  /** The old message has only a part of the text; if it can't be removed, it stays as it is. */
  async function replace(
    target: GrowingMessage,
    { index, content, last }: Difference & { content: MessageContent },
  ): Promise<void> {
    await post(index, content, last);
    await removeMessage(target).catch(() => {});
  }

  async function post(index: number, content: MessageContent, last: boolean): Promise<void> {
    const write = () => posts.post(index, content, last);
    await add(index, await (last ? retried(write) : write()));
  }

  /** Even a message that the text no longer needs must not keep its stop button. */
  async function adoptLost(): Promise<void> {
    const lost = await outlasting(posts.findLost);
    if (lost) await add(lost.index, lost.message);
  }

  async function add(index: number, message: GrowingMessage): Promise<void> {
    written[index] = message;
    await options.onPosted?.(written.map(({ id }) => id));
  }

  const retried = <Result>(write: () => Promise<Result>) =>
    retryWrite(write, { passing: ['failed'], signal: options.signal });

  const outlasting = <Result>(task: () => Promise<Result>) =>
    retryWrite(task, { passing: ['failed', 'rate_limited'], signal: options.signal });

  async function removeFrom(index: number): Promise<void> {
    await retried(() => removeMessage(written[index]));
    written.splice(index, 1);
  }

  /** The reply's note promises the file, so temporary failures are retried. */
  async function attach(whole: string): Promise<void> {
    const file = { name: 'answer.md', text: whole };
    await outlasting(() => thread.postFile(file, `${options.key}.file`));
  }

  /**
   * Starts the write loop, unless it is running already: then it picks up the newest text itself.
   */
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
      staleSince ??= now();
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
      await outlasting(posts.removeLate);
      if (end.text.length > maxCharacters) await attach(end.text);
    },
    stats: () => meter.stats((ending?.text ?? text).length),
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
}

/** A message of the reply whose content is out of date. */
interface Difference {
  index: number;
  /** Undefined if the message should not exist. */
  content: MessageContent | undefined;
  /** Whether this content is final, as far as is known. */
  last: boolean;
}

function isSame(a: Difference, b: Difference): boolean {
  const { content } = a;
  return a.index === b.index && content !== undefined && showsSame(content, b.content);
}
