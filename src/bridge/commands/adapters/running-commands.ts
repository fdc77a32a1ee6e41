import type { Log } from '../../conversation/ports.ts';

/** The running commands. */
export interface RunningCommands {
  readonly count: number;
  /** Tracks a command until it has ended, and logs if its result could not be shown. */
  start(task: Promise<void>, command: string): void;
  /**
   * Runs a command that is a message, and tracks it like `start`. Resolves when it has ended or the
   * journal has a row for it; never rejects.
   */
  finish(run: (kept: () => void) => Promise<void>, command: string): Promise<void>;
  /** Resolves once no command is running. */
  idle(): Promise<void>;
}

export function createRunningCommands(log: Log, platform: string): RunningCommands {
  const running = new Set<Promise<void>>();
  function track(task: Promise<void>, command: string): Promise<void> {
    const guarded = task
      .catch((error: unknown) =>
        log.warn({ err: error, command }, `a result was not shown in ${platform}`),
      )
      .finally(() => running.delete(guarded));
    running.add(guarded);
    return guarded;
  }

  return {
    get count() {
      return running.size;
    },
    start: (task, command) => void track(task, command),
    async finish(run, command) {
      const kept = Promise.withResolvers<void>();
      await Promise.race([track(run(kept.resolve), command), kept.promise]);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
