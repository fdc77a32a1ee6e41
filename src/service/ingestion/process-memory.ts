import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

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
