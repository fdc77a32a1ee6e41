import { type ChildProcess, execFile, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A running script that reads foreign files. Its input carries their bytes, its channel messages. */
export type ConfinedProcess = ChildProcess & { stdin: NonNullable<ChildProcess['stdin']> };

const root = new URL('../../../', import.meta.url);
/** The code, its packages, and what tells Node.js that the code is modules. No data, no .env. */
const readableFiles = ['src/', 'node_modules/', 'package.json'];

/**
 * Starts a script that may do nothing but compute. It can read the code, and no other file; it can't
 * write files, reach the network, start processes or threads, or turn strings into code; it has no
 * environment variables. Node.js's permission model enforces it
 * (https://nodejs.org/api/permissions.html). That model does not cover `node:sqlite`, which opens
 * any file, so the process does without.
 * @param maxHeapMb the heap that it may use, in MiB
 */
export function startConfined(script: URL, maxHeapMb: number): ConfinedProcess {
  const child = fork(script, {
    env: {},
    execArgv: [
      '--permission',
      ...readableFiles.map((path) => `--allow-fs-read=${fileURLToPath(new URL(path, root))}`),
      '--no-experimental-sqlite',
      '--disallow-code-generation-from-strings',
      `--max-old-space-size=${maxHeapMb}`,
    ],
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
  // Without listeners, late errors would end the whole service.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  return child as ConfinedProcess;
}

/**
 * The resident memory of a process in MiB, from /proc or `ps`. 0 if unknown, because the process
 * has exited or the system has neither; the heap limit then applies.
 */
export async function readMemoryMb(pid: number): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s*(\d+)/mu.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return process.platform === 'linux' ? 0 : await askPs(pid);
  }
}

async function askPs(pid: number): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout.trim()) / 1024;
  } catch {
    return 0;
  }
}
