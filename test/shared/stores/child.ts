import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Another process, with which the test exchanges lines. */
export interface Child {
  /** Its output, until it ends. */
  lines: AsyncIterator<string>;
  send(line: string): void;
  /** Kills it, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts a script with one argument. */
export function startChild(script: URL, argument: string): Child {
  const child = spawn(process.execPath, [script.pathname, argument], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => end(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    lines,
    send: (line) => child.stdin.write(`${line}\n`),
    kill: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
