import { readSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Problem } from '../../shared/problems/problem.ts';
import { decodeText } from './decode.ts';
import {
  type Block,
  type Draft,
  type ExtractedDocument,
  IngestionError,
  toDocument,
} from './document.ts';
import { eachPassage, type Passage } from './passages.ts';
import { type FileKind, type Named, sniff } from './sniff.ts';

/*
 * The child process that reads possibly hostile files. `createExtractor` starts it, and it reads
 * one file at a time. It sends a batch only after the previous one is processed, so that the
 * service never holds more of a document than that.
 */

/** The two forms of a document: split into passages, or whole. */
export interface Pieces {
  passages: Passage;
  blocks: Block;
}

/** A file to read. Its bytes follow on standard input. */
interface ReadOrder {
  named: Named;
  /** In bytes. */
  size: number;
  as: keyof Pieces;
  /** Max length of its text. */
  maxCharacters: number;
}

/** A message to this process: read a file, or continue after the last batch. */
export type ExtractionOrder = ReadOrder | { goOn: true };

/** A message from this process: a batch of the document, its end, or why it can't be read. */
export type ExtractionReport<Piece = Passage | Block> =
  | { title: string; batch: Piece[] }
  | { done: true }
  | { problem: Problem };

const passagesPerBatch = 10;
const charactersPerBatch = 100_000;

/**
 * Reads a file as each kind. What reads a kind is loaded with its first file: most files are plain
 * text, which needs no library.
 */
const readers: Record<FileKind, (bytes: Uint8Array, contentType?: string) => Promise<Draft>> = {
  text: async (...file) => (await import('./kinds/text.ts')).fromText(decodeText(...file)),
  markdown: async (...file) =>
    (await import('./kinds/markdown.ts')).fromMarkdown(decodeText(...file)),
  html: async (...file) => (await import('./kinds/html.ts')).fromHtml(decodeText(...file)),
  csv: async (...file) => (await import('./kinds/csv.ts')).fromCsv(decodeText(...file)),
  json: async (...file) => (await import('./kinds/json.ts')).fromJson(decodeText(...file)),
  rtf: async (...file) => (await import('./kinds/rtf.ts')).fromRtf(decodeText(...file)),
  eml: async (bytes) => (await import('./kinds/eml.ts')).fromEml(bytes),
  pdf: async (bytes) => (await import('./kinds/pdf.ts')).fromPdf(bytes),
  archived: async (bytes) => (await import('./kinds/archived.ts')).fromArchived(bytes),
};

let goOn: (() => void) | undefined;
process.on('message', (order: ExtractionOrder) => {
  if ('goOn' in order) goOn?.();
  else void work(order);
});
process.on('disconnect', () => process.exit());

async function work(order: ReadOrder): Promise<void> {
  try {
    const document = await readDocument(readInput(order.size), order);
    for (const batch of toBatches(document, order.as)) {
      const processed = new Promise<void>((resolve) => (goOn = resolve));
      send({ title: document.title, batch });
      await processed;
    }
    send({ done: true });
  } catch (error) {
    send({ problem: toProblem(error) });
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

/**
 * A document without a title is named after its file.
 * @throws {IngestionError} when its type is not supported, it is too long, or it has no text
 */
async function readDocument(
  bytes: Uint8Array,
  { named, maxCharacters }: ReadOrder,
): Promise<ExtractedDocument> {
  const sniffed = sniff(bytes, named);
  if ('refused' in sniffed) {
    const params = { kind: sniffed.refused };
    throw new IngestionError({ code: 'document_kind_refused', params });
  }
  const document = toDocument(await readers[sniffed.kind](bytes, named.contentType));
  const length = document.blocks.at(-1)?.end ?? 0;
  if (length === 0) throw new IngestionError('document_without_text');
  if (length > maxCharacters) {
    const params = { characters: length, max: maxCharacters };
    throw new IngestionError({ code: 'document_too_long', params });
  }
  return { ...document, title: document.title || nameWithoutExtension(named.fileName) };
}

/** The name for display, without any path (of Windows or Unix). */
function nameWithoutExtension(fileName: string): string {
  const name = basename(fileName.replaceAll('\\', '/'));
  return basename(name, extname(name));
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

function toProblem(error: unknown): Problem {
  if (error instanceof IngestionError) return error.problem;
  return { code: error instanceof RangeError ? 'reading_overflowed' : 'reading_failed' };
}

function send(report: ExtractionReport): void {
  process.send?.(report);
}
