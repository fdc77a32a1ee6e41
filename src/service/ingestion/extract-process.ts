import { readSync } from 'node:fs';
import type { Block, ExtractedDocument } from './document.ts';
import { IngestionError } from './ingestion-error.ts';
import type { ExtractionOrder, ExtractionReport, Pieces, ReadOrder } from './extract-messages.ts';
import { eachPassage, type Passage } from './passages.ts';
import { readDocument } from './read-document.ts';

/**
 * The child process that reads possibly hostile files. `createExtractor` starts it, and it reads
 * one file at a time. It sends a batch only after the previous one is processed, so that the
 * service never holds more of a document than that.
 */
const passagesPerBatch = 10;
const charactersPerBatch = 100_000;

let goOn: (() => void) | undefined;
process.on('message', (order: ExtractionOrder) => {
  if ('goOn' in order) goOn?.();
  else void work(order);
});
process.on('disconnect', () => process.exit());

async function work({ named, size, as, maxCharacters }: ReadOrder): Promise<void> {
  try {
    const document = await readDocument(readInput(size), named, maxCharacters);
    for (const batch of toBatches(document, as)) {
      const dealtWith = new Promise<void>((resolve) => (goOn = resolve));
      send({ title: document.title, batch });
      await dealtWith;
    }
    send({ done: true });
  } catch (error) {
    send(toFailure(error));
  }
}

/** The file's bytes. They come on standard input, because the process may open no file. */
function readInput(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let arrived = 0;
  while (arrived < size) {
    const count = readSync(0, bytes.subarray(arrived));
    if (count === 0) throw new Error('The input ended within the file');
    arrived += count;
  }
  return bytes;
}

function send(report: ExtractionReport): void {
  process.send?.(report);
}

function* toBatches(document: ExtractedDocument, as: keyof Pieces): Generator<(Passage | Block)[]> {
  const pieces = as === 'passages' ? eachPassage(document) : document.blocks;
  let batch: (Passage | Block)[] = [];
  let characters = 0;
  for (const piece of pieces) {
    batch.push(piece);
    characters += piece.text.length;
    if (batch.length < passagesPerBatch && characters < charactersPerBatch) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

function toFailure(error: unknown): ExtractionReport {
  if (error instanceof IngestionError) return { problem: error.problem };
  const code = error instanceof RangeError ? 'reading_overflowed' : 'reading_failed';
  return { problem: { code } };
}
