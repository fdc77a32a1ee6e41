import type { Block } from './document.ts';
import type { ExtractionFault } from './extraction-error.ts';
import type { Passage } from './passages.ts';
import type { ReadLimits, SourceFile } from './read-document.ts';

/** The forms in which a document can be had: split into passages, or as it stands. */
export interface Pieces {
  passages: Passage;
  blocks: Block;
}

/** What the reading process is told: to read a file, or to go on when what it sent has been dealt with. */
export type ExtractionOrder =
  | { file: SourceFile; limits: ReadLimits; as: keyof Pieces }
  | { goOn: true };

/** What it sends back: the document batch by batch, then that this was all; or why there is none. */
export type ExtractionReport<Piece = Passage | Block> =
  | { title: string; batch: Piece[] }
  | { done: true }
  | { fault: ExtractionFault; message: string };
