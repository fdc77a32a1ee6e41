/** Runs tasks of the same key one after another, in the order they came; other keys at once. */
export interface Queue {
  /** Resolves or rejects as the task does; an earlier task's failure fails no later one. */
  run(key: string, task: () => Promise<void>): Promise<void>;
  /** How many tasks of the key have not ended. */
  length(key: string): number;
  /** Resolves once nothing runs and nothing waits. */
  idle(): Promise<void>;
}

export function createQueue(): Queue {
  const lines = new Map<string, { length: number; last: Promise<void> }>();

  async function run(key: string, task: () => Promise<void>): Promise<void> {
    const line = lines.get(key) ?? { length: 0, last: Promise.resolve() };
    lines.set(key, line);
    line.length += 1;
    const result = line.last.then(task);
    line.last = result.then(
      () => leave(key),
      () => leave(key),
    );
    await result;
  }

  function leave(key: string): void {
    const line = lines.get(key);
    if (line && --line.length === 0) lines.delete(key);
  }

  async function idle(): Promise<void> {
    while (lines.size > 0) await Promise.all([...lines.values()].map((line) => line.last));
  }

  return { run, length: (key) => lines.get(key)?.length ?? 0, idle };
}
