import { cutsByPreference } from './choose-cut.ts';
import { closeFence } from './close-fence.ts';
import type { ListLevel } from './list-levels.ts';
import { assemblePiece, type PieceStart } from './piece.ts';
import { scanLines, type Line } from './scan-lines.ts';

/** How much a piece may hold: `size`, the platform's measure of what it renders, up to `max`. */
export interface PieceLimits {
  size(markdown: string): number;
  max: number;
}

/** Cuts a piece off `text`, which does not fit as a whole. @throws {RangeError} where nothing fits. */
export function cutPiece(
  text: string,
  start: PieceStart,
  limits: PieceLimits,
): { piece: string; next: PieceStart } {
  const windowText = start.lead + text.slice(start.at);
  const lines = scanLines(windowText, start.lists);
  const from = start.lead.length;
  for (const cut of cutsByPreference({ text: windowText, lines, from })) {
    const at = start.at + cut - from;
    if (text.slice(start.at, at).trim() === '') continue;
    const open = assemblePiece(text.slice(0, at), start);
    const piece = closeFence(open, scanLines(open, start.lists));
    if (limits.size(piece) <= limits.max) {
      return { piece, next: { at, ...contextAt(cut, lines, start.lists, limits) } };
    }
  }
  throw new RangeError(`A piece of at most ${limits.max} has no room for a character of the text.`);
}

/** What a piece needs that begins at the offset `cut` of `lines`. */
function contextAt(
  cut: number,
  lines: readonly Line[],
  lists: readonly ListLevel[],
  limits: PieceLimits,
): Omit<PieceStart, 'at'> {
  const index = lines.findLastIndex(({ start }) => start <= cut);
  const line = lines[index];
  const open = cut === line?.start ? (lines[index - 1]?.lists ?? lists) : line?.lists;
  const lead = (line && findLead(line, limits)) ?? '';
  return { lead, lists: open ?? [] };
}

/** The lines to repeat before a line that is inside of a fence or table, as far as there is room. */
function findLead(line: Line, limits: PieceLimits): string | undefined {
  const { kind, fence, table } = line;
  if (kind === 'table-row' && table) {
    const head = `${table.header}\n${table.delimiter}\n`;
    return limits.size(head) <= limits.max / 2 ? head : undefined;
  }
  if (kind !== 'code' || !fence) return undefined;
  const bare = fence.closing;
  const leads = [fence.opening, bare].map((opening) => `${opening}\n`);
  return leads.find((lead) => limits.size(lead + fence.closing) <= limits.max / 2);
}
