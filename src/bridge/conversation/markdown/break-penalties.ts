import { scanInline, type Span } from './scan-inline.ts';
import { isProse, type Line } from './scan-lines.ts';
import { mayBeDelimiterOf } from './table-rows.ts';

/** Penalties for a break at an offset. */
export const penalty = { none: 0, avoid: 1, forbid: 2 } as const;

const breaksWhereCut = new Set<Span['kind']>(['code', 'address', 'link', 'image']);
const sentenceEnd = /[.!?…。！？]\s*(?=[^.!?…。！？\s])/g;

/**
 * The penalty of a break at every offset of a window: `avoid` inside links, code spans, addresses and
 * rows, inside short emphasis and formulas, and between a heading and its text; `forbid` where a
 * break would destroy a fence or a table's head.
 *
 * @param max length of emphasis and formulas that are short
 */
export function findBreakPenalties(
  text: string,
  lines: readonly Line[],
  max = maxKept(text),
): Uint8Array {
  const penalties = new Uint8Array(text.length + 1);
  const endsAt = text.trimEnd().length;
  for (const { start, end } of findProse(lines)) {
    const { spans, open } = scanInline(text.slice(start, end));
    for (const span of spans) {
      const belongs = breaksWhereCut.has(span.kind) || span.end - span.start <= max;
      if (belongs) penalties.fill(penalty.avoid, start + span.start + 1, start + span.end);
    }
    for (const mark of open) {
      const half = mark.kind === 'link' || mark.kind === 'address';
      const belongs = half || end - start - mark.start <= max;
      if (belongs && end >= endsAt) penalties.fill(penalty.avoid, start + mark.start + 1, end);
    }
  }
  let above: Line | undefined;
  for (const line of lines) {
    if (line.text === '') continue;
    if (above && introduces(above)) keepWithLead(penalties, line, above);
    keepLine(penalties, line, above);
    above = line;
  }
  return penalties;
}

/** Keeps a line with the sentence above that introduces it, if both are short. */
function keepWithLead(penalties: Uint8Array, line: Line, above: Line): void {
  const max = maxKept(penalties);
  const sentence = Array.from(above.text.matchAll(sentenceEnd)).at(-1);
  const behind = sentence ? sentence.index + sentence[0].length : 0;
  const start = Math.max(above.start + behind, above.end - max);
  const end = line.end - line.start > max ? line.start + 1 : line.end;
  penalties.fill(penalty.avoid, start + 1, end);
}

/** Whether a line means little without the one below it. */
function introduces({ kind, text }: Line): boolean {
  return kind === 'heading' || ((kind === 'text' || kind === 'item') && /[:：]$/.test(text));
}

/** Max length of text that is kept whole although a break would destroy nothing in it. */
function maxKept(window: { length: number }): number {
  return Math.floor(window.length / 4);
}

function keepLine(penalties: Uint8Array, line: Line, above: Line | undefined): void {
  if (line.kind === 'table-row') penalties.fill(penalty.avoid, line.start + 1, line.end);
  if (above?.kind === 'table-delimiter') penalties[line.start] = penalty.avoid;
  if (line.kind === 'fence-open') penalties.fill(penalty.forbid, line.start + 1, line.end + 2);
  if (line.kind === 'fence-close') penalties.fill(penalty.forbid, line.start, line.end);
  if (line.kind === 'table-header') penalties.fill(penalty.forbid, line.start + 1, line.end + 2);
  if (line.kind === 'table-delimiter') penalties.fill(penalty.forbid, line.start + 1, line.end);
  if (line.kind === 'text' && above?.kind === 'text' && mayBeDelimiterOf(above.text, line.text)) {
    penalties.fill(penalty.forbid, line.start, line.end);
  }
}

/** The stretches of text within which marks can pair: paragraphs, items, headings. */
function findProse(lines: readonly Line[]): { start: number; end: number }[] {
  const stretches: { start: number; end: number }[] = [];
  let above: Line | undefined;
  for (const line of lines) {
    const last = stretches.at(-1);
    const goesOn = line.kind === 'text' && (above?.kind === 'text' || above?.kind === 'item');
    if (last && goesOn) last.end = line.end;
    else if (isProse(line)) stretches.push({ start: line.content, end: line.end });
    above = line;
  }
  return stretches;
}
