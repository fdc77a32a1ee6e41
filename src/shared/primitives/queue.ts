/**
 * Runs tasks of the same key one after another, in order of arrival; different keys run in
 * parallel.
 */
export interface Queue {
  /** Resolves or rejects as the task does; a failed task does not affect later ones. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
  /** How many tasks of the key are running or waiting. */
  length(key: string): number;
  /** Resolves once no task is running or waiting. */
  idle(): Promise<void>;
}

export function createQueue(): Queue {
  const lines = new Map<string, { length: number; last: Promise<void> }>();

  async function run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const line = lines.get(key) ?? { length: 0, last: Promise.resolve() };
    lines.set(key, line);
    line.length += 1;
    const result = line.last.then(task);
    line.last = result.then(
      () => leave(key),
      () => leave(key),
    );
    return result;
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

/**
 * Prepares tasks of the same key one after another, and starts each as soon as it is prepared: a
 * slow preparation keeps its place in the order, and a slow task does not block the next.
 */
export async function beginInOrder(
  queue: Queue,
  key: string,
  prepare: () => Promise<() => Promise<void> | undefined>,
): Promise<void> {
  const { done } = await queue.run(key, async () => {
    const task = await prepare();
    return { done: task() };
  });
  await done;
}
