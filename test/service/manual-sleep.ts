interface Sleeper {
  ms: number;
  signal: AbortSignal;
  wake: () => void;
}

/** A sleep from which only the test wakes. */
export interface ManualSleep {
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Resolves with one who sleeps so long and was not taken yet, once there is one. */
  take(ms: number): Promise<Sleeper>;
}

export function createManualSleep(): ManualSleep {
  let sleepers: Sleeper[] = [];
  let waiters: { ms: number; resolve: (sleeper: Sleeper) => void }[] = [];

  const match = () => {
    waiters = waiters.filter(({ ms, resolve }) => {
      const found = sleepers.find((sleeper) => sleeper.ms === ms && !sleeper.signal.aborted);
      if (found === undefined) return true;
      sleepers = sleepers.filter((sleeper) => sleeper !== found);
      resolve(found);
      return false;
    });
  };

  return {
    sleep: (ms, signal = new AbortController().signal) =>
      new Promise((wake, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        sleepers.push({ ms, signal, wake });
        match();
      }),
    take: (ms) =>
      new Promise((resolve) => {
        waiters.push({ ms, resolve });
        match();
      }),
  };
}
