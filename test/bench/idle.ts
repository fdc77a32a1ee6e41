import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { fetch } from 'undici';
import { readMemoryMb } from '../../src/service/ingestion/confined-process.ts';

/**
 * What the process costs while nobody asks anything: its start on an existing data folder until
 * /readyz answers 200, and its memory and processor time over ten seconds, with the sandbox's two
 * platforms and the built-in service. Node.js is started as `npm start` does, without npm. Linux only.
 *
 *     npm run bench -- idle
 *
 * Prints a line of JSON. `readyMs` and `readyCpuMs` are the best of five starts: others are slowed
 * down by what else the machine does.
 */

const starts = 5;
const idleSeconds = 10;
const port = 3990;
const root = join(import.meta.dirname, '../..');

const folder = mkdtempSync(join(tmpdir(), 'causeway-idle-'));
using parts = new DisposableStack();
parts.defer(() => rmSync(folder, { recursive: true, force: true }));

// The first start creates the data, and teaches the chatbot its documentation.
await runOnce(async () => {});
const readings: Awaited<ReturnType<typeof readStart>>[] = [];
for (let start = 0; start < starts; start += 1) readings.push(await runOnce(readStart));
const idle = await runOnce(readIdle);
const min = (key: 'readyMs' | 'readyCpuMs') => Math.min(...readings.map((each) => each[key]));
const row = {
  bench: 'idle',
  readyMs: min('readyMs'),
  readyCpuMs: min('readyCpuMs'),
  rssMb: idle.rssMb,
  cpuMsPerSecond: idle.cpuMsPerSecond,
};
process.stdout.write(`${JSON.stringify(row)}\n`);

/** Starts the process, reads something of it once it is ready, and ends it. */
async function runOnce<Result>(
  read: (pid: number, readyMs: number) => Promise<Result>,
): Promise<Result> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const [, ...args] = scripts.start.split(' ');
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    while (!(await isReady())) {
      if (child.exitCode !== null) throw new Error('the process ended before it was ready');
      await sleep(5);
    }
    return await read(child.pid ?? 0, Math.round(performance.now() - startedMs));
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

async function isReady(): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function readStart(pid: number, readyMs: number) {
  return { readyMs, readyCpuMs: readCpuMs(pid) };
}

async function readIdle(pid: number) {
  // What a start leaves to do after it.
  await sleep(2_000);
  const cpuMs = readCpuMs(pid);
  await sleep(idleSeconds * 1_000);
  const spentMs = readCpuMs(pid) - cpuMs;
  return {
    rssMb: Math.round(await readMemoryMb(pid)),
    cpuMsPerSecond: spentMs / idleSeconds,
  };
}

/** Its processor time: man 5 proc_pid_stat, in hundredths of a second. */
function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
