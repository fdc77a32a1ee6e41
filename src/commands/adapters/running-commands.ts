import type { Log } from '../../conversation/ports.ts';

/** The running commands. */
export interface RunningCommands {
  readonly count: number;
  /** Tracks a command until it has ended, and logs if its result could not be shown. */
  start(task: Promise<void>, command: string): void;
  /** Like `start`. Resolves when the command has ended; never rejects. */
  finish(task: Promise<void>, command: string): Promise<void>;
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
    finish: track,
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
