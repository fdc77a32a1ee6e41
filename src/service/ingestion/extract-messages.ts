import type { Problem } from '../../shared/problems/problem.ts';
import type { Block } from './document.ts';
import type { Passage } from './passages.ts';
import type { Named } from './sniff.ts';

/** The two forms of a document: split into passages, or whole. */
export interface Pieces {
  passages: Passage;
  blocks: Block;
}

/** A file to read. Its bytes follow on the reading process's standard input. */
export interface ReadOrder {
  named: Named;
  /** In bytes. */
  size: number;
  as: keyof Pieces;
  maxCharacters: number;
}

/** A message to the reading process: read a file, or continue after the last batch. */
export type ExtractionOrder = ReadOrder | { goOn: true };

/**
 * A message from the reading process: a batch of the document, its end, or the reason of a failure.
 */
export type ExtractionReport<Piece = Passage | Block> =
  | { title: string; batch: Piece[] }
  | { done: true }
  | { problem: Problem };
