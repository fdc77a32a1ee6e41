import type { Log } from '../../conversation/ports.ts';

/** The running commands. */
export interface RunningCommands {
  readonly count: number;
  /** Tracks a command until it has ended, and logs if its result could not be shown. */
  start(task: Promise<void>, command: string): void;
  /** Resolves once no command is running. */
  idle(): Promise<void>;
}

export function createRunningCommands(log: Log, platform: string): RunningCommands {
  const running = new Set<Promise<void>>();
  return {
    get count() {
      return running.size;
    },
    start(task, command) {
      const guarded = task
        .catch((error: unknown) =>
          log.warn({ err: error, command }, `a result was not shown in ${platform}`),
        )
        .finally(() => running.delete(guarded));
      running.add(guarded);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
