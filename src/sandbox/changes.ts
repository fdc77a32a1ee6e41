/** An event emitter: listeners receive every change, in order. */
export interface Changes<Change> {
  announce(change: Change): void;
  /** Calls the listener with every later change, until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void;
  /**
   * The first later change that the predicate accepts. Rejects after `timeout` ms (30,000 by
   * default), listing the changes it saw instead, or when the signal aborts.
   */
  waitFor<Match extends Change>(
    predicate: (change: Change) => change is Match,
    options?: WaitOptions,
  ): Promise<Match>;
  waitFor(predicate: (change: Change) => boolean, options?: WaitOptions): Promise<Change>;
}

/** How long to wait. */
export interface WaitOptions {
  signal?: AbortSignal;
  /** Milliseconds. */
  timeout?: number;
}

const timeoutMs = 30_000;
const maxSeenChanges = 20;
const maxSeenLength = 300;

/**
 * Creates an emitter with no listeners. A listener must not throw, because the error would reach
 * the announcer.
 */
export function createChanges<Change>(): Changes<Change> {
  const listeners = new Set<(change: Change) => void>();

  function subscribe(listener: (change: Change) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  return {
    announce(change) {
      for (const listener of listeners) listener(change);
    },
    subscribe,
    waitFor(
      predicate: (change: Change) => boolean,
      { signal, timeout = timeoutMs }: WaitOptions = {},
    ): Promise<Change> {
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      return new Promise((resolve, reject) => {
        const seen: string[] = [];
        const settle = (finish: () => void) => {
          clearTimeout(timer);
          unsubscribe();
          signal?.removeEventListener('abort', abort);
          finish();
        };
        const abort = () => settle(() => reject(signal?.reason as Error));
        const timer = setTimeout(() => settle(() => reject(missed(timeout, seen))), timeout);
        const unsubscribe = subscribe((change) => {
          try {
            if (predicate(change)) return settle(() => resolve(change));
          } catch (error) {
            return settle(() => reject(error));
          }
          seen.push((JSON.stringify(change) ?? 'undefined').slice(0, maxSeenLength));
          if (seen.length > maxSeenChanges) seen.shift();
        });
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
  };
}

function missed(timeout: number, seen: string[]): Error {
  const list = seen.length === 0 ? ' Nothing changed.' : ` Seen last:\n${seen.join('\n')}`;
  return new Error(`No change matched within ${timeout} ms.${list}`);
}
