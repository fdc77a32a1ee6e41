import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ExtractionOrder, ExtractionReport } from './extract-messages.ts';
import { ExtractionError } from './extraction-error.ts';
import { readMemoryMb } from './process-memory.ts';

/**
 * A process that reads files. Its first order starts it; after a kill, the next order starts it
 * again.
 */
export interface ReadingProcess {
  /**
   * Sends an order and yields its reports; the process waits while a report is handled. Leaving
   * before the last report kills it.
   * @throws {ExtractionError} from the process, or when it takes too long or too much memory
   * @throws {Error} the signal's reason when it is aborted
   */
  reports(order: ExtractionOrder, signal: AbortSignal): AsyncGenerator<ExtractionReport>;
  isWarm(): boolean;
  kill(): Promise<void>;
}

export interface ReadingLimits {
  /** Max time that the process works on one file. */
  timeoutMs: number;
  maxMemoryMb: number;
  /** Interval between checks of its memory. */
  watchMs: number;
}

/** The share of its memory that the heap may use before garbage is collected. */
const heapShare = 0.7;
/**
 * A process above this share is not reused, because its memory may not be freed for the next file.
 */
const warmShare = 0.5;

/**
 * The process has no environment variables and can't write files or start processes (Node's
 * permission model). It is killed when it takes too long or too much memory.
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
  // Without a listener, a late error would end the whole service.
  child.on('error', () => {});
  return child;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Waits for a process's reports, and rejects when something prevents them. */
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

/** An error while nobody waits is passed to the next call. */
function createWait(): PromiseWithResolvers<ExtractionReport> {
  const wait = Promise.withResolvers<ExtractionReport>();
  wait.promise.catch(() => {});
  return wait;
}

function tooSlow(timeoutMs: number): ExtractionError {
  const params = { seconds: timeoutMs / 1000 };
  return new ExtractionError('too-slow', { code: 'reading_too_slow', params });
}

/** An exit without a report usually means that the heap ran out. */
function tooMuchMemory(maxMemoryMb: number): ExtractionError {
  const params = { megabytes: maxMemoryMb };
  return new ExtractionError('too-much-memory', { code: 'reading_too_big', params });
}
