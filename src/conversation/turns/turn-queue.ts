import { createQueue } from '../../primitives/queue.ts';
import { addressKey } from '../address.ts';
import type { Log, Thread, ThreadAddress } from '../ports.ts';
import type { RunningTurns } from './running-turns.ts';
import type { RunTurn } from './run-turn.ts';
import type { TurnRecord } from './turn-record.ts';

/** Runs turns, one at a time per thread. */
export interface TurnQueue {
  /**
   * Runs a turn after the thread's earlier ones. Resolves when it has ended, or is left to the next
   * start. A turn of an earlier run is continued once `ready` resolves.
   * @throws {PlatformError} when the platform refuses the reply for good
   */
  run(turn: TurnRecord, thread: Thread, ready?: Promise<void>): Promise<void>;
  /** Whether another question in the thread is refused, because too many wait already. */
  isFull(thread: ThreadAddress): boolean;
  /** Resolves once no turn is running or waiting. */
  idle(): Promise<void>;
}

/** Max questions running or waiting per thread. */
const maxWaiting = 10;

/** @param options.closing aborted when the process begins to stop: no further turns are started */
export function createTurnQueue(
  runTurn: RunTurn,
  { running, closing, log }: { running: RunningTurns; closing: AbortSignal; log: Log },
): TurnQueue {
  const queue = createQueue();
  const closed = Promise.withResolvers<void>();
  closing.addEventListener('abort', () => closed.resolve(), { once: true });

  return {
    async run(turn, thread, ready) {
      using started = running.start(turn);
      using working = showWorking(turn, thread, log);
      // An answer that needed no service does not wait for the thread's questions.
      const isAtOnce = turn.state === 'ending' && turn.session === undefined;
      await queue.run(isAtOnce ? turn.id : addressKey(turn.address), async () => {
        await Promise.race([ready, closed.promise]);
        if (closing.aborted) return;
        const isResumed = ready !== undefined;
        await runTurn(turn, thread, { stopped: started.signal, working, isResumed });
      });
    },
    isFull: (thread) => queue.length(addressKey(thread)) >= maxWaiting,
    idle: () => queue.idle(),
  };
}

/** Discord's typing indicator lasts ten seconds, Slack's status two minutes. */
const renewEveryMs = 8000;

/**
 * Shows a typing indicator or status in the thread until disposed, for a turn that is yet to be
 * answered. Failures are only logged, because the reply itself does not depend on it.
 */
function showWorking({ state, posted }: TurnRecord, thread: Thread, log: Log): Disposable {
  if (state === 'ending' || posted.length > 0) return { [Symbol.dispose]: () => {} };
  const show = () =>
    thread
      .showWorking?.()
      .catch((error: unknown) => log.debug({ err: error }, 'typing could not be shown'));
  void show();
  const timer = setInterval(() => void show(), renewEveryMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
