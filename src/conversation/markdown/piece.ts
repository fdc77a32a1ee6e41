import { completeFence } from './close-fence.ts';
import { continueLists } from './continue-lists.ts';
import type { ListLevel } from './list-levels.ts';
import { scanLines } from './scan-lines.ts';

/** Where a piece begins in the text, and what stands before it so that it is whole by itself. */
export interface PieceStart {
  at: number;
  /** A fence's opening line, or a table's header and delimiter. */
  lead: string;
  lists: readonly ListLevel[];
}

/** The piece that reaches from `start` to the end of `text`, were it not to be cut. */
export function assemblePiece(text: string, { at, lead, lists }: PieceStart): string {
  const piece = continueLists(lead + text.slice(at).trimEnd(), lists);
  return at === 0 ? piece : dedent(piece);
}

/**
 * Moves what begins a piece left, together with the lines nested as deep, so that it is at most
 * three columns in: four would make indented code of it.
 */
function dedent(piece: string): string {
  const indentation = /^ */.exec(piece)?.[0] ?? '';
  if (indentation.length <= 3) return piece;
  const lines = piece.split('\n');
  const end = lines.findIndex((line) => !line.startsWith(indentation) && line.trim() !== '');
  const nested = end === -1 ? lines.length : end;
  const moved = lines.slice(0, nested).map((line) => line.slice(indentation.length - 3));
  return [...moved, ...lines.slice(nested)].join('\n');
}

/**
 * The piece with all that may have to close it. What was reserved for a fence stays reserved behind
 * it, where it ends without a closing line of that length: so no growth of the text makes it less.
 */
export function reservePiece(text: string, start: PieceStart): string {
  const piece = assemblePiece(text, start);
  const lines = scanLines(piece, start);
  const reserved = lines.flatMap((line, index) => {
    const { fence } = line;
    if (!fence) return [];
    if (line.kind === 'fence-close') return fence.closing.slice(line.text.length);
    const below = lines[index + 1];
    return below && below.fence !== fence ? `\n${fence.closing}` : [];
  });
  return [completeFence(piece, lines), ...reserved].join('');
}
