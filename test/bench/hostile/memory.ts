import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const sampleMs = 20;

/** The most memory that a process, and any of its children, held while it was watched, in MB. */
export interface MemoryWatch extends Disposable {
  process(): number;
  children(): number;
}

/** Watches by /proc, where the system has it: the peak that the kernel keeps is set back first. */
export function watchMemory(pid: number): MemoryWatch {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  let children = 0;
  const sample = (): void => {
    for (const child of childrenOf(pid)) children = Math.max(children, readPeak(child));
  };
  const timer = setInterval(sample, sampleMs);
  return {
    process: () => readPeak(pid),
    children: () => children,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readOr(`/proc/${pid}/task/${task}/children`, '').split(' ').filter(Boolean).map(Number),
  );
}

function readPeak(pid: number): number {
  const peak = /^VmHWM:\s*(\d+)/mu.exec(readOr(`/proc/${pid}/status`, ''))?.[1];
  return Number(peak ?? 0) / 1024;
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return otherwise;
  }
}
