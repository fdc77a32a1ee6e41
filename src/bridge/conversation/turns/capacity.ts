import type { Texts } from '../../texts/texts.ts';
import { type ThreadAddress, workspaceKey } from '../address.ts';
import type { TurnQueue } from './turn-queue.ts';

/** Limits how many turns are asked at once. Workspaces that wait take turns. */
export interface Capacity {
  /** Whether so many turns wait that another one of a workspace is refused. */
  isFull(workspace: string): boolean;
  /**
   * Runs a task once there is a free place.
   * @throws {unknown} the signal's reason when it aborts, or what the task throws
   */
  run<Result>(workspace: string, signal: AbortSignal, task: () => Promise<Result>): Promise<Result>;
}

/** Why a question is not asked now: too many wait already, in its thread or anywhere. */
export function whyNotNow(
  address: ThreadAddress,
  { queue, capacity }: { queue: Pick<TurnQueue, 'isFull'>; capacity: Pick<Capacity, 'isFull'> },
  texts: Texts['thread'],
): string | undefined {
  if (queue.isFull(address)) return texts.tooManyWaiting;
  return capacity.isFull(workspaceKey(address)) ? texts.tooBusy : undefined;
}

/** This many turns may wait for each that may run. */
const maxWaitingPerPlace = 10;
/** Once several workspaces have asked, each gets at most this part of the places. */
const maxPart = 3 / 4;

/** At most `readMax` turns run at once, which may change. One place is always shared. */
export function createCapacity(readMax: () => number): Capacity {
  /** By workspace; the first in the map is next. */
  const waiting = new Map<string, (() => void)[]>();
  const runningIn = new Map<string, number>();
  let waitingTotal = 0;
  let running = 0;
  let first: string | undefined;
  let isShared = false;

  /** What one workspace gets of so many places. */
  function shareOf(places: number): number {
    return isShared ? Math.max(1, Math.floor(places * maxPart)) : places;
  }

  function isFree(workspace: string): boolean {
    const max = readMax();
    return running < max && (runningIn.get(workspace) ?? 0) < shareOf(max);
  }

  function enter(workspace: string): void {
    running += 1;
    runningIn.set(workspace, (runningIn.get(workspace) ?? 0) + 1);
  }

  /** The place goes to whoever waits, so that nobody slips in between. */
  function leave(workspace: string): void {
    const left = (runningIn.get(workspace) ?? 1) - 1;
    if (left > 0) runningIn.set(workspace, left);
    else runningIn.delete(workspace);
    running -= 1;
    // When another process has ended, there are several places more.
    while (admitNext());
  }

  function admitNext(): boolean {
    const next = [...waiting].find(([each]) => isFree(each));
    if (!next) return false;
    const [admitted, [admit, ...others]] = next;
    waiting.delete(admitted);
    if (others.length > 0) waiting.set(admitted, others);
    enter(admitted);
    admit?.();
    return true;
  }

  function waitForPlace(workspace: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = waiting.get(workspace) ?? [];
    waiting.set(workspace, [...line, admit]);
    waitingTotal += 1;
    signal.addEventListener('abort', giveUp, { once: true });
    return promise;

    function admit(): void {
      waitingTotal -= 1;
      signal.removeEventListener('abort', giveUp);
      resolve();
    }
    function giveUp(): void {
      waitingTotal -= 1;
      const others = (waiting.get(workspace) ?? []).filter((each) => each !== admit);
      if (others.length > 0) waiting.set(workspace, others);
      else waiting.delete(workspace);
      reject(signal.reason as Error);
    }
  }

  return {
    isFull(workspace) {
      const places = readMax() * maxWaitingPerPlace;
      const own = waiting.get(workspace)?.length ?? 0;
      return waitingTotal >= places || own >= shareOf(places);
    },
    async run(workspace, signal, task) {
      signal.throwIfAborted();
      first ??= workspace;
      isShared ||= workspace !== first;
      if (isFree(workspace)) enter(workspace);
      else await waitForPlace(workspace, signal);
      try {
        return await task();
      } finally {
        leave(workspace);
      }
    },
  };
}
