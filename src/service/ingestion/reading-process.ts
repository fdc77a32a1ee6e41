import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ExtractionOrder, ExtractionReport } from './extract-messages.ts';
import { ExtractionError } from './extraction-error.ts';
import { readMemoryMb } from './process-memory.ts';

/** A process that reads files; it is started by its first order, and anew after it was killed. */
export interface ReadingProcess {
  /**
   * Gives an order and its reports one by one; the process waits while a report is dealt with.
   * Ending before the last report kills it.
   * @throws {ExtractionError} that the process reports, or when it takes too long or too much
   * memory
   * @throws {Error} the signal's reason when it is aborted
   */
  reports(order: ExtractionOrder, signal: AbortSignal): AsyncGenerator<ExtractionReport>;
  isWarm(): boolean;
  kill(): Promise<void>;
}

export interface ReadingLimits {
  /** Of the time that the process works on one file. */
  timeoutMs: number;
  maxMemoryMb: number;
  /** How often its memory is looked at. */
  watchMs: number;
}

/** Of its memory, what the process may use for its heap: short of it, it collects its garbage. */
const heapShare = 0.7;
/** A process that has grown to this share is not kept: what it holds is not the next file's. */
const warmShare = 0.5;

/**
 * The process has no environment, may not write files, nor start processes (Node's permission model),
 * and is killed when it takes too long or too much memory.
 */
export function createReadingProcess(limits: ReadingLimits): ReadingProcess {
  const { timeoutMs, maxMemoryMb } = limits;
  let child: ChildProcess | undefined;

  async function* reports(order: ExtractionOrder, signal: AbortSignal) {
    signal.throwIfAborted();
    const reader = isAlive(child) ? child : startProcess(maxMemoryMb);
    child = reader;
    using watch = watchProcess(reader, limits, signal);
    let leftMs = timeoutMs;
    let isOver = false;
    try {
      for (let next = order; !isOver; next = { goOn: true }) {
        const since = performance.now();
        reader.send(next);
        const report = await watch.report(leftMs);
        leftMs -= performance.now() - since;
        isOver = 'done' in report || 'fault' in report;
        yield report;
      }
    } finally {
      if (!isOver || (await readMemoryMb(reader.pid ?? 0)) > maxMemoryMb * warmShare) {
        await kill(reader);
      }
    }
  }

  return { reports, isWarm: () => isAlive(child), kill: () => kill(child) };
}

function isAlive(child: ChildProcess | undefined): child is ChildProcess {
  return child?.connected === true && child.exitCode === null && child.signalCode === null;
}

function startProcess(maxMemoryMb: number): ChildProcess {
  const child = fork(new URL('extract-process.ts', import.meta.url), {
    env: {},
    execArgv: [
      '--permission',
      '--allow-fs-read=*',
      '--disable-warning=ExperimentalWarning',
      `--max-old-space-size=${Math.floor(maxMemoryMb * heapShare)}`,
    ],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Without a listener, an error after the last order would end the whole service.
  child.on('error', () => {});
  return child;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Waits for a process's reports, and rejects with whatever keeps them from coming. */
function watchProcess(
  child: ChildProcess,
  { timeoutMs, maxMemoryMb, watchMs }: ReadingLimits,
  signal: AbortSignal,
) {
  let waiting = createWait();
  const fail = (error: unknown): void => waiting.reject(error);
  const onMessage = (report: ExtractionReport): void => waiting.resolve(report);
  const onAbort = (): void => fail(signal.reason);
  const onExit = (): void => fail(tooMuchMemory(maxMemoryMb));
  const checkMemory = async (): Promise<void> => {
    if ((await readMemoryMb(child.pid ?? 0)) > maxMemoryMb) fail(tooMuchMemory(maxMemoryMb));
  };
  const watch = setInterval(() => void checkMemory(), watchMs);
  child.on('message', onMessage).once('exit', onExit).once('error', fail);
  signal.addEventListener('abort', onAbort, { once: true });

  return {
    async report(withinMs: number): Promise<ExtractionReport> {
      const deadline = setTimeout(() => fail(tooSlow(timeoutMs)), withinMs);
      try {
        return await waiting.promise;
      } finally {
        clearTimeout(deadline);
        waiting = createWait();
      }
    },
    [Symbol.dispose]() {
      clearInterval(watch);
      child.off('message', onMessage).off('exit', onExit).off('error', fail);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** What goes wrong while nobody waits is met by the next who does. */
function createWait(): PromiseWithResolvers<ExtractionReport> {
  const wait = Promise.withResolvers<ExtractionReport>();
  wait.promise.catch(() => {});
  return wait;
}

function tooSlow(timeoutMs: number): ExtractionError {
  return new ExtractionError(
    'too-slow',
    `The file took longer than ${timeoutMs / 1000} seconds to read. Split it into parts or simplify it.`,
  );
}

/** An exit without a word is what running out of the heap looks like. */
function tooMuchMemory(maxMemoryMb: number): ExtractionError {
  return new ExtractionError(
    'too-much-memory',
    `The file took more than ${maxMemoryMb} MB of memory to read. Split it into parts or simplify it.`,
  );
}
