/** Limits how many turns are asked at once. Workspaces that wait take turns. */
export interface Capacity {
  /** Whether so many turns wait that another one is refused. */
  readonly isFull: boolean;
  /**
   * Runs a task once there is a free place.
   * @throws {unknown} the signal's reason when it aborts, or what the task throws
   */
  run<Result>(workspace: string, signal: AbortSignal, task: () => Promise<Result>): Promise<Result>;
}

/** This many turns may wait for each that may run. */
const maxWaitingPerPlace = 10;

export function createCapacity(max: number): Capacity {
  /** By workspace; the first in the map is next. */
  const waiting = new Map<string, (() => void)[]>();
  let waitingTotal = 0;
  let running = 0;

  /** The place goes to whoever waits, so that nobody slips in between. */
  function leave(): void {
    const [next] = waiting;
    if (!next) {
      running -= 1;
      return;
    }
    const [workspace, [admit, ...others]] = next;
    waiting.delete(workspace);
    if (others.length > 0) waiting.set(workspace, others);
    admit?.();
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
    get isFull() {
      return waitingTotal >= max * maxWaitingPerPlace;
    },
    async run(workspace, signal, task) {
      signal.throwIfAborted();
      if (running < max) running += 1;
      else await waitForPlace(workspace, signal);
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
}
