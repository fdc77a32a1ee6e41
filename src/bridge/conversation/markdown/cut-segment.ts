import type { Steps } from '../../../shared/primitives/in-steps.ts';
import { breakpointsByPreference } from './breakpoints.ts';
import { closeFence } from './close-fence.ts';
import type { ListLevel } from './list-levels.ts';
import { assembleSegment, type SegmentStart } from './segment.ts';
import { scanLines, type Line } from './scan-lines.ts';
import type { MessageLimits } from '../ports.ts';

/**
 * Cuts a segment off `text`, which does not fit as a whole. Pauses after each try.
 * @throws {RangeError} when nothing fits
 */
export function* cutSegment(
  text: string,
  start: SegmentStart,
  limits: MessageLimits,
): Steps<{ segment: string; next: SegmentStart }> {
  const windowText = start.lead + text.slice(start.at);
  const lines = scanLines(windowText, start);
  const from = start.lead.length;
  for (const cut of breakpointsByPreference({ text: windowText, lines, from })) {
    const at = start.at + cut - from;
    if (text.slice(start.at, at).trim() === '') continue;
    const open = assembleSegment(text.slice(0, at), start);
    const segment = closeFence(open, scanLines(open, start));
    if (limits.fits(segment)) {
      return { segment, next: { at, ...contextAt(cut, lines, start.lists, limits) } };
    }
    yield;
  }
  throw new RangeError('A message has no room for even one character of the text.');
}

/** The segment that reaches to the end of `text`, behind which another one is to begin. */
export function endSegment(
  text: string,
  start: SegmentStart,
  limits: MessageLimits,
): { segment: string; next: SegmentStart } {
  const windowText = start.lead + text.slice(start.at);
  const context = contextAt(windowText.length, scanLines(windowText, start), start.lists, limits);
  const open = assembleSegment(text, start);
  return {
    segment: closeFence(open, scanLines(open, start)),
    next: { at: text.length, ...context },
  };
}

/** What a segment needs that begins at the offset `cut` of `lines`. */
function contextAt(
  cut: number,
  lines: readonly Line[],
  lists: readonly ListLevel[],
  limits: MessageLimits,
): Omit<SegmentStart, 'at'> {
  const index = lines.findLastIndex(({ start }) => start <= cut);
  const line = lines[index];
  const open = cut === line?.start ? (lines[index - 1]?.lists ?? lists) : line?.lists;
  const lead = (line && findLead(line, limits)) ?? '';
  return { lead, lists: open ?? [] };
}

/** The lines to repeat before a line inside a fence or table, if they fit twice into a message. */
function findLead(line: Line, limits: MessageLimits): string | undefined {
  const { kind, fence, table } = line;
  if (kind === 'table-row' && table) {
    const head = `${table.header}\n${table.delimiter}\n`;
    return limits.fits(head + head) ? head : undefined;
  }
  if (kind !== 'code' || !fence) return undefined;
  const bare = fence.closing;
  const leads = [fence.opening, bare].map((opening) => `${opening}\n`);
  return leads.find((lead) => limits.fits((lead + fence.closing).repeat(2)));
}
