import { textsFor } from '../../texts/texts.ts';
import { mayStop } from '../access.ts';
import { addressKey } from '../address.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Author, ThreadAddress } from '../ports.ts';
import type { TurnRecord } from './turn-record.ts';

/** Why a turn ends early: the process shuts down, a person stops it, its question was deleted. */
export type StopReason =
  | { kind: 'restart' }
  | { kind: 'person'; name: string }
  | { kind: 'removed' };

/** A turn was ended early. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`stopped: ${reason.kind}`);
    this.reason = reason;
  }
}

/** The turns running or waiting in this process, so that they can be stopped. */
export interface RunningTurns {
  has(id: string): boolean;
  /** The record of such a turn. */
  find(id: string): TurnRecord | undefined;
  /** Whether the thread has such a turn. */
  hasIn(thread: ThreadAddress): boolean;
  /** Adds a turn. The signal aborts when the turn is stopped; disposing removes the turn. */
  start(record: TurnRecord): { signal: AbortSignal } & Disposable;
  /**
   * Stops a turn for a person. Returns a sentence that says why not if they may not or nothing is
   * running.
   */
  stop(id: string, by: Author): string | undefined;
  /** Stops the streaming turn of a thread, which is its oldest. */
  stopIn(thread: ThreadAddress, by: Author): string | undefined;
  abort(id: string, reason: StopReason): void;
  /** Stops all turns of a thread, including waiting ones. */
  abortIn(thread: ThreadAddress, reason: StopReason): void;
  abortAll(reason: StopReason): void;
}

export function createRunningTurns(): RunningTurns {
  const running = new Map<string, { record: TurnRecord; controller: AbortController }>();

  function abort(id: string, reason: StopReason): void {
    running.get(id)?.controller.abort(new StoppedError(reason));
  }

  /** The turns of a thread, oldest first. */
  function runningIn(thread: ThreadAddress) {
    const key = addressKey(thread);
    return [...running.values()].filter(({ record }) => addressKey(record.address) === key);
  }

  function stop(id: string, by: Author): string | undefined {
    const turn = running.get(id);
    const { notYoursToStop, nothingToStop } = textsFor(by.locale).thread;
    if (!turn) return nothingToStop;
    const { author } = turn.record;
    if (!mayStop(by, author.id)) return notYoursToStop(renderPlainText(author.name));
    abort(id, { kind: 'person', name: by.name });
    return undefined;
  }

  return {
    has: (id) => running.has(id),
    find: (id) => running.get(id)?.record,
    hasIn: (thread) => runningIn(thread).length > 0,
    start(record) {
      const controller = new AbortController();
      running.set(record.id, { record, controller });
      return {
        signal: controller.signal,
        [Symbol.dispose]: () => void running.delete(record.id),
      };
    },
    stop,
    stopIn(thread, by) {
      const [turn] = runningIn(thread);
      return stop(turn?.record.id ?? '', by);
    },
    abort,
    abortIn(thread, reason) {
      for (const { record } of runningIn(thread)) abort(record.id, reason);
    },
    abortAll(reason) {
      for (const id of running.keys()) abort(id, reason);
    },
  };
}
