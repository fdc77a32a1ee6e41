import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type ConfinedProcess, readMemoryMb, startConfined } from './confined-process.ts';
import type { ExtractionOrder, ExtractionReport, Pieces } from './extract-process.ts';
import { IngestionError } from './document.ts';
import type { Named } from './sniff.ts';
import { availableParallelism, totalmem } from 'node:os';

/** A file on disk, and what its sender says about it. */
export interface SourceFile extends Named {
  path: string;
}

/** A file to read, as what, and its limits. */
interface ReadingOrder {
  file: SourceFile;
  as: keyof Pieces;
  maxBytes: number;
  /** Max length of its text. */
  maxCharacters: number;
}

/**
 * A process that reads files. Its first order starts it; after a kill, the next order starts it
 * again.
 */
export interface ReadingProcess {
  /**
   * Sends a file and yields the reports on it; the process waits while a report is handled. Leaving
   * before the last report kills it.
   * @throws {IngestionError} from the process, or when it takes too long or too much memory
   * @throws {Error} the signal's reason when it is aborted
   */
  reports(order: ReadingOrder, signal: AbortSignal): AsyncGenerator<ExtractionReport>;
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

const script = new URL('extract-process.ts', import.meta.url);

/**
 * The process may open nothing but its own code, so it gets each file's bytes. It is killed when it
 * takes too long or too much memory.
 */
export function createReadingProcess(limits: ReadingLimits): ReadingProcess {
  const { timeoutMs, maxMemoryMb } = limits;
  let child: ConfinedProcess | undefined;

  async function* reports(order: ReadingOrder, signal: AbortSignal) {
    signal.throwIfAborted();
    const { path, fileName, contentType } = order.file;
    await using file = await open(path).catch(throwUnreadable);
    const size = await readSize(file, order.maxBytes);
    const reader = isAlive(child)
      ? child
      : startConfined(script, Math.floor(maxMemoryMb * heapShare));
    child = reader;
    using watch = watchProcess(reader, limits, signal);
    const { as, maxCharacters } = order;
    let next: ExtractionOrder = { named: { fileName, contentType }, size, as, maxCharacters };
    let leftMs = timeoutMs;
    let isOver = false;
    try {
      void sendBytes(file, size, reader);
      while (!isOver) {
        const since = performance.now();
        reader.send(next);
        const report = await watch.report(leftMs);
        leftMs -= performance.now() - since;
        isOver = 'done' in report || 'problem' in report;
        yield report;
        next = { goOn: true };
      }
    } finally {
      if (!isOver || (await readMemoryMb(reader.pid ?? 0)) > maxMemoryMb * warmShare) {
        await kill(reader);
      }
    }
  }

  return { reports, isWarm: () => isAlive(child), kill: () => kill(child) };
}

/**
 * A file's size in bytes.
 * @throws {IngestionError} when it is empty or larger than `max`
 */
async function readSize(file: FileHandle, max: number): Promise<number> {
  const { size } = await file.stat();
  if (size === 0) throw new IngestionError('document_empty');
  if (size > max) {
    const params = { bytes: size, max };
    throw new IngestionError({ code: 'document_too_large', params });
  }
  return size;
}

/** If it fails, the input ends within the file, and the process reports that it can't read it. */
async function sendBytes(file: FileHandle, size: number, { stdin }: ConfinedProcess) {
  const write = promisify((bytes: Buffer, done: (error?: Error | null) => void) =>
    stdin.write(bytes, done),
  );
  try {
    const pieces = file.createReadStream({ autoClose: false, end: size - 1 });
    for await (const piece of pieces) await write(piece as Buffer);
  } catch {
    stdin.destroy();
  }
}

function isAlive(child: ConfinedProcess | undefined): child is ConfinedProcess {
  if (!child?.connected || !child.stdin.writable) return false;
  return child.exitCode === null && child.signalCode === null;
}

async function kill(child: ConfinedProcess | undefined): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Waits for a process's reports, and rejects when something prevents them. */
function watchProcess(
  child: ConfinedProcess,
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

function throwUnreadable(cause: unknown): never {
  throw new IngestionError('reading_failed', { cause });
}

function tooSlow(timeoutMs: number): IngestionError {
  const params = { seconds: timeoutMs / 1000 };
  return new IngestionError({ code: 'reading_too_slow', params });
}

/** An exit without a report usually means that the heap ran out. */
function tooMuchMemory(maxMemoryMb: number): IngestionError {
  const params = { megabytes: maxMemoryMb };
  return new IngestionError({ code: 'reading_too_big', params });
}

const maxReaders = 8;
/** What a reading process may use, in bytes. */
const readerBytes = 512 * 1024 * 1024;

/**
 * How many files are read at once: one more than there are cores, because downloads and pauses wait,
 * but no more than half of the memory holds. At least two, so that one is left to other owners.
 */
export function countReaders({
  cores = availableParallelism(),
  memoryBytes = availableBytes(),
} = {}): number {
  const byMemory = Math.floor(memoryBytes / 2 / readerBytes);
  return Math.max(2, Math.min(cores + 1, byMemory, maxReaders));
}

/** The memory of the machine, or of the container that limits it. */
function availableBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
