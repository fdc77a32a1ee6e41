/** Waits for some milliseconds, or rejects when the signal aborts. Tests pass their own. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/**
 * Waits by the global timer, which tests with a fake clock replace (`node:timers/promises` they
 * can't).
 * @throws {unknown} the signal's reason when it aborts
 */
export const sleep: Sleep = async (ms, signal) => {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
};
