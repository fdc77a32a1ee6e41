import { createQueue } from '../../../shared/primitives/queue.ts';
import { textsFor } from '../../texts/texts.ts';
import { mayStop } from '../access.ts';
import { addressKey, type ThreadAddress } from '../address.ts';
import { StoppedError, type StopReason } from '../errors.ts';
import { lostSignal } from '../leases.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Author } from '../platform.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Thread } from '../thread.ts';
import type { Pacer } from '../reply/pacer.ts';
import type { Reply } from '../reply/reply.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { TurnRecord } from '../inbox/row.ts';
import type { Work } from '../inbox/scheduler.ts';
import { toEarlyEnd } from './end.ts';
import { monotonicMs } from '../../../shared/primitives/time.ts';

/** The turns that run or wait in this process: one at a time per thread. */
export interface TurnQueue {
  /** Sets what runs a turn. Called before the first one. */
  handle(runTurn: RunTurn): void;
  /**
   * Runs a turn after the thread's earlier ones, once `ready` resolves. Resolves when it has ended,
   * with when there is more to do, or is left to the next start.
   * @throws {Error} when it is to be tried again
   */
  run(turn: TurnRecord, thread: Thread, work: Work): Promise<number | undefined>;
  /** Whether another question in the thread is refused, because too many wait already. */
  isFull(thread: ThreadAddress): boolean;
  /** A turn that runs or waits, by its id. */
  find(id: string): TurnRecord | undefined;
  /** Whether a thread has such a turn. */
  hasIn(thread: ThreadAddress): boolean;
  /**
   * Stops a turn for a person, at once. Resolves once that is stored for one that is not asked yet,
   * with a sentence that says why not if they may not or nothing is running. Never rejects.
   */
  stop(id: string, by: Author): Promise<string | undefined>;
  /** Stops the streaming turn of a thread, which is its oldest. */
  stopIn(thread: ThreadAddress, by: Author): Promise<string | undefined>;
  abort(id: string, reason: StopReason): void;
  /** Stops all turns of a thread, including waiting ones. */
  abortIn(thread: ThreadAddress, reason: StopReason): void;
  abortAll(reason: StopReason): void;
}

/**
 * Takes a turn from the state it is in to its end. Resolves when it has ended, with when there is
 * more to do, or is left to the next start.
 * @throws {Error} when it is to be tried again
 */
export type RunTurn = (
  turn: TurnRecord,
  thread: Thread,
  run: {
    /** Aborted with a StoppedError to end the turn early. */
    stopped: AbortSignal;
    /** Disposed of once the reply is visible, or grows in its first message. */
    working: Working;
    /** Whether nothing was tried yet: neither an earlier run nor an earlier try has posted. */
    isFresh: boolean;
  },
) => Promise<number | undefined>;

/** Max questions running or waiting per thread. */
const maxWaiting = 10;

/** @param options.closing aborted when the process begins to stop: no further turns are started */
export function createTurnQueue(options: {
  inbox: Inbox;
  pacer: Pacer;
  closing: AbortSignal;
  log: Log;
}): TurnQueue {
  const { inbox, pacer, closing, log } = options;
  let runTurn: RunTurn;
  const order = createQueue();
  const running = new Map<string, { turn: TurnRecord; stopping: AbortController }>();

  async function run(turn: TurnRecord, thread: Thread, { ready, isFresh }: Work) {
    const stopping = new AbortController();
    running.set(turn.id, { turn, stopping });
    const leave = () => abort(turn.id, { kind: 'restart' });
    const lost = lostSignal();
    lost?.addEventListener('abort', leave, { once: true });
    using working = startWorking(turn, thread, { pacer, log });
    // An answer that needed no service does not wait for the thread's questions.
    const isAtOnce = turn.state === 'ending' && turn.session === undefined;
    try {
      return await order.run(isAtOnce ? turn.id : addressKey(turn.address), async () => {
        await ready;
        if (closing.aborted) return undefined;
        return runTurn(turn, thread, { stopped: stopping.signal, working, isFresh });
      });
    } finally {
      lost?.removeEventListener('abort', leave);
      running.delete(turn.id);
    }
  }

  function abort(id: string, reason: StopReason): void {
    running.get(id)?.stopping.abort(new StoppedError(reason));
  }

  /** The turns of a thread, oldest first. */
  function turnsIn(thread: ThreadAddress): TurnRecord[] {
    const key = addressKey(thread);
    const turns = [...running.values()].map(({ turn }) => turn);
    return turns.filter(({ address }) => addressKey(address) === key);
  }

  async function stop(id: string, by: Author): Promise<string | undefined> {
    const { notYoursToStop, nothingToStop } = textsFor(by.locale).thread;
    const turn = running.get(id)?.turn;
    if (!turn) return nothingToStop;
    if (!mayStop(by, turn.author.id)) return notYoursToStop(renderPlainText(turn.author.name));
    const reason = { kind: 'person', name: by.name } as const;
    abort(id, reason);
    await storeStop(turn, reason);
    return undefined;
  }

  /** A question that was not asked yet is not asked by the next process either. */
  async function storeStop(turn: TurnRecord, reason: StopReason): Promise<void> {
    const { ending } = toEarlyEnd(turn, new StoppedError(reason));
    const stopped = { state: 'ending', ending } as const;
    try {
      await inbox.update(turn.id, stopped, ['accepted']);
    } catch (error) {
      log.error({ err: error, turn: turn.id }, 'the stop of a question was not stored');
    }
  }

  return {
    handle(given) {
      runTurn = given;
    },
    run,
    isFull: (thread) => order.length(addressKey(thread)) >= maxWaiting,
    find: (id) => running.get(id)?.turn,
    hasIn: (thread) => turnsIn(thread).length > 0,
    stop,
    stopIn: (thread, by) => stop(turnsIn(thread)[0]?.id ?? '', by),
    abort,
    abortIn(thread, reason) {
      for (const { id } of turnsIn(thread)) abort(id, reason);
    },
    abortAll(reason) {
      for (const id of running.keys()) abort(id, reason);
    },
  };
}

/** Shows a typing indicator or status in the thread of a turn until it is disposed. */
interface Working extends Disposable {
  /** Shows it at once: there is more to say. */
  renew(): void;
  /** A new message has ended it. It is shown again if others are to follow. */
  posted(isGrowing: boolean): void;
  /** From now on it says how many replies go before this one. */
  follow(reply: Pick<Reply, 'countAhead'>): void;
}

/** Discord's typing indicator lasts ten seconds, Slack's status two minutes. */
const renewEveryMs = 8000;

/** Why a wait ends. The default reason of `abort` has a stack, which is slow to create. */
const isOver = new Error('Nothing more is to be shown');

/** Nothing is shown for a turn whose answer is known or has begun, as after a restart. */
function startWorking(
  turn: TurnRecord,
  thread: Thread,
  { pacer, log }: { pacer: Pacer; log: Log },
): Working {
  const ended = new AbortController();
  const { working: budget } = thread.budgets;
  const texts = textsFor(turn.author.locale).thread;
  /** The last time it was shown, if no message has ended it since. */
  let shown: Promise<void> | undefined;
  let followed: Pick<Reply, 'countAhead'> | undefined;
  const isNeeded = turn.state !== 'ending' && turn.posted.length === 0 && !turn.quiet;

  async function show(): Promise<void> {
    try {
      const request = {
        urgency: 'interim',
        since: monotonicMs(),
        maxWaitMs: renewEveryMs,
      } as const;
      using permit = budget && (await pacer.permit(budget, { ...request, signal: ended.signal }));
      const ahead = followed?.countAhead() ?? 0;
      if ((budget && !permit) || ended.signal.aborted) return;
      shown = thread.showWorking?.(ahead > 0 ? texts.answersOthers(ahead) : texts.thinking);
      await shown;
    } catch (error) {
      // The reply itself does not depend on it.
      if (!ended.signal.aborted) log.debug({ err: error }, 'typing could not be shown');
    }
  }

  async function hideAfter(before: Promise<void>): Promise<void> {
    try {
      await before;
      await thread.hideWorking?.();
    } catch (error) {
      log.debug({ err: error }, 'typing could not be ended');
    }
  }

  const working: Working = {
    renew: () => void show(),
    posted(isGrowing) {
      shown = undefined;
      if (isGrowing) working.renew();
      else working[Symbol.dispose]();
    },
    follow(reply) {
      followed = reply;
    },
    [Symbol.dispose]() {
      ended.abort(isOver);
      clearInterval(timer);
      if (shown) void hideAfter(shown);
      shown = undefined;
    },
  };
  const timer = isNeeded ? setInterval(working.renew, renewEveryMs) : undefined;
  if (isNeeded) working.renew();
  return working;
}
