import { createQueue } from '../../../shared/primitives/queue.ts';
import { addressKey } from '../address.ts';
import type { Log, Thread, ThreadAddress } from '../ports.ts';
import type { Pacer } from '../reply/pacer.ts';
import type { RunningTurns } from './running-turns.ts';
import type { RunTurn } from './run-turn.ts';
import type { TurnRecord } from './turn-record.ts';
import { startWorking } from './working.ts';

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

interface TurnQueueOptions {
  running: RunningTurns;
  pacer: Pacer;
  /** Aborted when the process begins to stop: no further turns are started. */
  closing: AbortSignal;
  log: Log;
}

export function createTurnQueue(
  runTurn: RunTurn,
  { running, pacer, closing, log }: TurnQueueOptions,
): TurnQueue {
  const queue = createQueue();
  const closed = Promise.withResolvers<void>();
  closing.addEventListener('abort', () => closed.resolve(), { once: true });

  return {
    async run(turn, thread, ready) {
      using started = running.start(turn);
      using working = startWorking(turn, thread, { pacer, log });
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
