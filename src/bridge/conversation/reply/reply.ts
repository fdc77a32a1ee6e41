import { showsSame } from './growing-message.ts';
import type { Urgency } from './ledger.ts';
import type { Pacer, Permit } from './pacer.ts';
import { maxWaitMs, type WriteBudget } from '../thread.ts';
import { isRefusal, type PlatformError } from '../errors.ts';
import { type ReplyStats, createReplyMeter } from '../reports.ts';
import { createReplyContents, type Ending } from './reply-contents.ts';
import {
  createReplyMessages,
  type Difference,
  type ReplyMessagesOptions,
} from './reply-messages.ts';
import { monotonicMs } from '../../../shared/primitives/time.ts';

/** A reply that is being written into a thread: one message, or several if it is long. */
export interface Reply extends Disposable {
  /** All the text so far. */
  readonly text: string;
  /** Adds a delta; it becomes visible as soon as the pacer allows. */
  append(delta: string): void;
  /** Whether people see some of it, or are about to. */
  readonly hasBegun: boolean;
  /** Whether its first message waits until the platform accepts another one. */
  readonly isLinedUp: boolean;
  /** Whether further messages are to follow. */
  readonly isGrowingByMessages: boolean;
  /** How many replies in the channel show their first text before this one. */
  countAhead(): number;
  /**
   * Shows the last text, with its footer and buttons. Resolves once the platform has accepted it.
   * @throws {PlatformError}
   * @throws {Error} the signal's reason
   */
  finish(ending: Ending): Promise<void>;
  stats(): ReplyStats;
}

export interface ReplyOptions extends Omit<
  ReplyMessagesOptions,
  'contentAt' | 'mayStream' | 'now'
> {
  pacer: Pacer;
  /** Called when others' first texts go before this one's, which waits. */
  onLinedUp?(): void;
  /** Called for each delta with the length of all the text so far. */
  onReceived?(characters: number): void;
  /** Max characters to show; a longer reply is attached whole as a file. Default: no limit. */
  maxCharacters?: number;
  now?: () => number;
}

/** The last text waits so long for an edit; then it becomes a new message, where that is sooner. */
const editPatienceMs = 1_500;

/** A reply that grows by edits has at least this many: one to grow, one to end. */
const minEdits = 2;

/** Without a whole paragraph after that time, a reply that grows by messages begins with sentences. */
const firstParagraphMs = 600;

/** Why its waits end. The reason that `abort` makes by default has a stack, which takes long. */
const isOver = new Error('The reply is over');

export function createReply(options: ReplyOptions): Reply {
  const { thread, pacer, maxCharacters = Infinity, now = monotonicMs } = options;
  const contents = createReplyContents({ ...options, maxCharacters });
  const meter = createReplyMeter(now);
  const wanted = () => contents.list(written, isHeldBack);
  const contentAt = (index: number) => wanted()[index];
  const shown = createReplyMessages({ ...options, contentAt, mayStream, now });
  const { written } = shown;
  const beganAt = now();

  let text = '';
  /** White space alone can't be shown. */
  let hasText = false;
  let ending: Ending | undefined;
  /** Chosen when the first text has come: the message is edited, or further messages follow. */
  let growsBy: 'edits' | 'messages' | undefined;
  let staleSince: number | undefined;
  let failure: unknown;
  /** What the platform refuses for good: it is not written again. */
  let refused: { next: Difference; error: PlatformError } | undefined;
  let writing: Promise<void> | undefined;
  let isPosting = false;
  /** Whether all that the last message lacks is the text that has come since it was written. */
  let isUpToDate = false;
  let isLinedUp = false;
  /** Whether the platform accepts no further message for long: the last one says so meanwhile. */
  let isHeldBack = false;
  /** Aborts a waiting write once the text is final, which is more urgent. */
  const hurry = new AbortController();
  const disposed = new AbortController();
  const signal = AbortSignal.any([options.signal, disposed.signal]);
  /** Its places in the pacer's budgets. */
  const places = new DisposableStack();

  /**
   * Edits are few, and all replies of a workspace share them. Where there are none left for one more
   * reply, its text is posted in parts, each of them final.
   */
  function chooseGrowth(): void {
    const { edit, post, stream } = thread.budgets;
    const hasEdits = (stream && pacer.hasRoom(stream, 1)) || pacer.hasRoom(edit, minEdits);
    growsBy = written.length > 0 || hasEdits ? 'edits' : 'messages';
    places.use(pacer.join(growsBy === 'edits' ? edit : post));
    if (growsBy === 'edits') return;
    contents.limitTo('paragraphs');
    const timer = setTimeout(() => {
      if (written.length > 0 || isPosting) return;
      contents.limitTo('sentences');
      startWriting();
    }, firstParagraphMs);
    places.defer(() => clearTimeout(timer));
  }

  /** Whether a new message may be a stream. Each has a place of its own. */
  function mayStream(): boolean {
    const { stream } = thread.budgets;
    if (!stream || growsBy === 'messages' || !pacer.hasRoom(stream, 1)) return false;
    places.use(pacer.join(stream));
    void pacer
      .permit(stream, { urgency: 'first', since: beganAt })
      .then((permit) => permit?.[Symbol.dispose]());
    return true;
  }

  /** The first message whose content is out of date, or that should not exist. */
  async function findDifference(): Promise<Difference | undefined> {
    await contents.update(text, ending);
    const hasEnded = contents.ending !== undefined;
    const all = wanted();
    const index = all.findIndex((content, at) => !showsSame(content, written[at]?.shown));
    const last = hasEnded || growsBy === 'messages' || index < all.length - 1;
    if (index >= 0) return { index, content: all[index], last };
    return hasEnded && written.length > all.length
      ? { index: all.length, content: undefined, last }
      : undefined;
  }

  /**
   * What is to be written next. While a message grows by edits, that is known without splitting and
   * closing all of the text, which changes until the edit is permitted.
   */
  async function findNext(): Promise<Place | undefined> {
    const grows = isUpToDate && !ending && growsBy === 'edits' && contents.text !== text;
    return grows ? { index: written.length - 1, last: false } : findDifference();
  }

  async function writeAll(): Promise<void> {
    if (!isUpToDate) {
      await contents.update(text, ending);
      await shown.adoptLost();
    }
    for (let next = await findNext(); next; next = await findNext()) {
      await permitAndWrite(next);
    }
  }

  async function permitAndWrite({ index, last }: Place): Promise<void> {
    using permit = await findPermit(index, last);
    const next = await findDifference();
    isUpToDate = false;
    if (!permit || next?.index !== index) return;
    // Its question may have been deleted meanwhile.
    signal.throwIfAborted();
    if (refused && isSame(next, refused.next)) throw refused.error;
    const since = staleSince;
    const write = meter.writing();
    staleSince = undefined;
    try {
      isPosting = permit.isNew;
      await shown.show(next, permit.isNew);
      write.shown();
      isUpToDate = index === wanted().length - 1;
      if (growsBy === 'messages' && !contents.ending && isUpToDate) {
        contents.settle();
        contents.limitTo('paragraphs');
      }
    } catch (error) {
      staleSince = since;
      const isLimited = isRefusal(error, 'rate_limited');
      write.failed(isLimited);
      if (isRefusal(error, 'refused')) refused = { next, error };
      if (!isLimited) throw error;
      const { budget } = permit;
      const limited = error.isGlobal ? (budget.within ?? budget) : budget;
      pacer.refused(limited, error.retryAfterMs ?? 1000);
    } finally {
      isPosting = false;
    }
  }

  /**
   * Waits until a message may be written: undefined if meanwhile something else is to be written.
   * Where the last text would wait for an edit, it becomes a new message (`isNew`).
   */
  async function findPermit(index: number, last: boolean): Promise<WritePermit | undefined> {
    const edit = written[index]?.budget(last);
    const { post: posts } = thread.budgets;
    try {
      if (!edit) return toWrite(await mayPost(posts), posts, true);
      // A message above others keeps its place.
      const mayMove = ending !== undefined && index === written.length - 1;
      if (!mayMove) return toWrite(await permitted(edit), edit);
      const patienceMs = written[index]?.appends ? maxWaitMs : editPatienceMs;
      const permit = await permitted(edit, patienceMs);
      if (permit) return toWrite(permit, edit);
      // Where all calls wait alike, a new message is no sooner.
      const isNew = pacer.waitMs(posts) + patienceMs < pacer.waitMs(edit);
      const sooner = isNew ? posts : edit;
      // Where that takes longer than expected, it is chosen again.
      const expectedMs = pacer.waitMs(sooner) + patienceMs;
      return toWrite(await permitted(sooner, expectedMs), sooner, isNew);
    } catch {
      signal.throwIfAborted();
      // The reply has ended: the write is requested again as a final one.
      return undefined;
    }
  }

  /** Before it waits for long, the messages that exist say why. */
  async function mayPost(budget: WriteBudget): Promise<Permit | undefined> {
    const canSayWhy = ending !== undefined && written.length > 0 && !isHeldBack;
    const permit = await permitted(budget, canSayWhy ? maxWaitMs : undefined);
    isHeldBack = !permit;
    return permit;
  }

  function permitted(budget: WriteBudget, maxWaitMs?: number): Promise<Permit | undefined> {
    const urgency = findUrgency();
    const since = written.length === 0 ? beganAt : (staleSince ?? now());
    const request = { urgency, since, signal: ending ? signal : hurry.signal, maxWaitMs };
    isLinedUp = written.length === 0;
    if (countAhead() > 0) options.onLinedUp?.();
    return pacer.permit(budget, request).finally(() => {
      isLinedUp = false;
    });
  }

  function findUrgency(): Urgency {
    const isFirst = written.length === 0;
    if (ending) return 'final';
    if (growsBy === 'messages') return isFirst ? 'opening' : 'further';
    return isFirst ? 'first' : 'interim';
  }

  function countAhead(): number {
    return written.length > 0 ? 0 : pacer.countAhead(thread.budgets.post, beganAt);
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
      options.onReceived?.(text.length);
      staleSince ??= now();
      if (!hasText || isRefusal(failure, 'forbidden')) return;
      if (!growsBy) chooseGrowth();
      startWriting();
    },
    get hasBegun() {
      return written.length > 0 || isPosting;
    },
    get isLinedUp() {
      return isLinedUp;
    },
    get isGrowingByMessages() {
      return growsBy === 'messages' && !ending;
    },
    countAhead,
    async finish(end) {
      ending = end;
      meter.ended();
      hurry.abort(isOver);
      await writing;
      failure = undefined;
      startWriting();
      await writing;
      if (failure) throw failure;
      await shown.removeLate();
      if (end.text.length > maxCharacters) await shown.attach(end.text);
    },
    stats: () => meter.stats((ending?.text ?? text).length),
    [Symbol.dispose]() {
      disposed.abort(isOver);
      hurry.abort(isOver);
      places.dispose();
    },
  };
}

/** Where a message is to be written, and whether its content is final, as far as is known. */
type Place = Pick<Difference, 'index' | 'last'>;

/** A permit on a budget; `isNew` for a new message. */
interface WritePermit extends Permit {
  budget: WriteBudget;
  isNew: boolean;
}

function toWrite(
  permit: Permit | undefined,
  budget: WriteBudget,
  isNew = false,
): WritePermit | undefined {
  return permit && { ...permit, budget, isNew };
}

function isSame(a: Difference, b: Difference): boolean {
  const { content } = a;
  return a.index === b.index && content !== undefined && showsSame(content, b.content);
}
