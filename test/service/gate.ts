/** A sleep that nobody wakes from but by an abort. */
export interface Gate {
  sleep: (ms: number, signal?: AbortSignal) => Promise<never>;
  /** Resolves when someone sleeps. */
  reached: Promise<void>;
  wasAborted(): boolean;
}

export function createGate(): Gate {
  const reached = Promise.withResolvers<void>();
  let wasAborted = false;
  return {
    sleep: (_ms, signal) =>
      new Promise((_resolve, reject) => {
        reached.resolve();
        signal?.addEventListener('abort', () => {
          wasAborted = true;
          reject(signal.reason);
        });
      }),
    reached: reached.promise,
    wasAborted: () => wasAborted,
  };
}
