import { type Block, type ExtractedDocument, IngestionError } from './document.ts';
import type { ExtractionReport, Pieces } from './extract-process.ts';
import type { Passage } from './passages.ts';
import { createReadingProcess, type ReadingProcess, type SourceFile } from './reading-process.ts';

export interface ExtractorOptions {
  /** Timeout for reading a file, not counting the time to store its passages. Default 30 000. */
  timeoutMs?: number;
  /** A reading process that uses more memory is killed. Default 512. */
  maxMemoryMb?: number;
  /** Default 64 MiB. */
  maxBytes?: number;
  /** Max length of a document's text. Default 16 million. */
  maxCharacters?: number;
  /** Max length of a document read whole. Default 1 million. */
  maxWholeCharacters?: number;
  /** Interval between checks of a process's memory. Default 100. */
  watchMs?: number;
  /** Number of files read at once, so that a slow one does not block the others. Default 3. */
  processes?: number;
  /** How long a file waits for a busy process before another one is started. Default 500. */
  patienceMs?: number;
}

/** Some passages of a document, with its title. */
export interface PassageBatch {
  title: string;
  passages: Passage[];
}

/** Reads files into text in separate processes. */
export interface Extractor extends AsyncDisposable {
  /**
   * The passages of a file in small batches: the reading process waits until each is processed.
   * @throws {IngestionError} with a sentence for the person who added the file
   * @throws {Error} the signal's reason when it is aborted; the reading process is killed
   */
  passages(file: SourceFile, signal: AbortSignal): AsyncGenerator<PassageBatch>;
  /** The whole of a document that is short enough; throws like `passages`. */
  extract(file: SourceFile, signal: AbortSignal): Promise<ExtractedDocument>;
}

/**
 * A hostile file can exhaust the process that reads it, so child processes do it. One is started
 * for the first file and kept for the next; more only while it is busy for long, because a start
 * takes longer than reading most files.
 */
export function createExtractor(options: ExtractorOptions = {}): Extractor {
  const { timeoutMs = 30_000, maxMemoryMb = 512, watchMs = 100, processes = 3 } = options;
  const { patienceMs = 500 } = options;
  const { maxBytes = 64 * 1024 * 1024, maxCharacters = 16_000_000 } = options;
  const { maxWholeCharacters = 1_000_000 } = options;
  const all = Array.from({ length: processes }, () =>
    createReadingProcess({ timeoutMs, maxMemoryMb, watchMs }),
  );
  const idle = [...all];
  const waiting: ((reader: ReadingProcess) => void)[] = [];
  let closed = false;

  /** A running process if one is idle or soon will be; otherwise one that the order will start. */
  async function takeReader(): Promise<ReadingProcess> {
    const first = idle.at(-1);
    if (first && (first.isWarm() || idle.length === all.length)) {
      idle.pop();
      return first;
    }
    const { promise, resolve } = Promise.withResolvers<ReadingProcess>();
    waiting.push(resolve);
    const patience = setTimeout(() => {
      const other = idle.pop();
      if (!other) return;
      waiting.splice(waiting.indexOf(resolve), 1);
      resolve(other);
    }, patienceMs);
    try {
      return await promise;
    } finally {
      clearTimeout(patience);
    }
  }

  async function giveBack(reader: ReadingProcess): Promise<void> {
    if (waiting.length === 0 && idle.some((other) => other.isWarm())) await reader.kill();
    const next = waiting.shift();
    if (next) next(reader);
    // The warm one comes last, so that it is taken first.
    else if (reader.isWarm()) idle.push(reader);
    else idle.unshift(reader);
  }

  async function* read<As extends keyof Pieces>(
    file: SourceFile,
    as: As,
    signal: AbortSignal,
  ): AsyncGenerator<{ title: string; batch: Pieces[As][] }> {
    const order = {
      file,
      as,
      maxBytes,
      maxCharacters: as === 'blocks' ? maxWholeCharacters : maxCharacters,
    };
    const reader = await takeReader();
    try {
      if (closed) throw new Error('The extractor is closed');
      for await (const report of reader.reports(order, signal)) {
        const told = report as ExtractionReport<Pieces[As]>;
        if ('problem' in told) throw new IngestionError(told.problem);
        if ('batch' in told) yield told;
      }
    } finally {
      await giveBack(reader);
    }
  }

  return {
    async *passages(file, signal) {
      for await (const { title, batch } of read(file, 'passages', signal)) {
        yield { title, passages: batch };
      }
    },
    async extract(file, signal) {
      const blocks: Block[] = [];
      let document = { title: '', blocks };
      for await (const { title, batch } of read(file, 'blocks', signal)) {
        blocks.push(...batch);
        document = { title, blocks };
      }
      return document;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await Promise.all(all.map((reader) => reader.kill()));
    },
  };
}
