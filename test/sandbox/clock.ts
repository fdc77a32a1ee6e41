import type { Sleep } from '../../src/shared/primitives/time.ts';

interface Sleeper {
  duration: number;
  until: number;
  wake: () => void;
}

/** A clock that stands still until it is put forward, and sleeps that go by it. */
export function createClock(start = Date.now()) {
  let time = start;
  let sleepers: Sleeper[] = [];
  const watchers = new Set<() => void>();

  const sleep: Sleep = (duration, signal) =>
    new Promise<void>((resolve, reject) => {
      const sleeper = { duration, until: time + duration, wake: resolve };
      signal?.addEventListener('abort', () => {
        sleepers = sleepers.filter((other) => other !== sleeper);
        reject(new DOMException('The sleep was cut short.', 'AbortError'));
      });
      if (duration === 0) return resolve();
      sleepers.push(sleeper);
      for (const watch of watchers) watch();
    });

  return {
    now: () => time,
    sleep,
    advance(milliseconds: number): void {
      time += milliseconds;
      const due = sleepers.filter(({ until }) => until <= time);
      sleepers = sleepers.filter(({ until }) => until > time);
      for (const { wake } of due) wake();
    },
    /** Resolves when somebody sleeps for so long. */
    sleeping(duration: number): Promise<void> {
      return new Promise((resolve) => {
        const watch = () => {
          if (!sleepers.some((sleeper) => sleeper.duration === duration)) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      });
    },
  };
}
