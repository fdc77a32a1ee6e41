import { showsSame } from './growing-message.ts';
import type { Pacer, Urgency } from './pacer.ts';
import { maxWaitMs } from './retry-write.ts';
import { isRefusal, type PlatformError } from '../platform-error.ts';
import type { ReplyStats, WriteBudget } from '../ports.ts';
import { createReplyContents, type Ending } from './reply-contents.ts';
import {
  createReplyMessages,
  type Difference,
  type ReplyMessagesOptions,
} from './reply-messages.ts';
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

export interface ReplyOptions extends Omit<ReplyMessagesOptions, 'contentAt' | 'now'> {
  pacer: Pacer;
  /** Max characters to show; a longer reply is attached whole as a file. Default: no limit. */
  maxCharacters?: number;
  now?: () => number;
}

export function createReply(options: ReplyOptions): Reply {
  const { thread, pacer, maxCharacters = Infinity, now = monotonicMs } = options;
  const contents = createReplyContents({ ...options, maxCharacters });
  const meter = createReplyMeter(now);
  const wanted = () => contents.list(written, isHeldBack);
  const contentAt = (index: number) => wanted()[index];
  const shown = createReplyMessages({ ...options, contentAt, now });
  const { written } = shown;

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
    await shown.adoptLost();
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
      await shown.show(next, permit.isNew);
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
      await shown.removeLate();
      if (end.text.length > maxCharacters) await shown.attach(end.text);
    },
    stats: () => meter.stats((ending?.text ?? text).length),
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
}

function isSame(a: Difference, b: Difference): boolean {
  const { content } = a;
  return a.index === b.index && content !== undefined && showsSame(content, b.content);
}
