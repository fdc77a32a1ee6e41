/** Waits for some milliseconds, or rejects when the signal aborts. Tests pass their own. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/** Longer timers fire at once: nodejs.org/api/timers.html#settimeoutcallback-delay-args */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Waits with the global timer, which tests can replace with a fake clock, unlike `node:timers/promises`.
 * @throws {unknown} the signal's reason when it aborts
 */
export const sleep: Sleep = async (ms, signal) => {
  let leftMs = ms;
  for (; leftMs > maxTimerMs; leftMs -= maxTimerMs) await wait(maxTimerMs, signal);
  await wait(leftMs, signal);
};

async function wait(ms: number, signal?: AbortSignal): Promise<void> {
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
}
