import { scanInline, type Span } from './scan-inline.ts';
import { isProse, type Line } from './scan-lines.ts';
import { mayBeDelimiterOf } from './table-rows.ts';

/** How what stands on the two sides of an offset belongs together. */
export const bond = { none: 0, loose: 1, fast: 2 } as const;

const breaksWhereCut = new Set<Span['kind']>(['code', 'address', 'link', 'image']);
const sentenceEnd = /[.!?…。！？]\s*(?=[^.!?…。！？\s])/g;

/**
 * The bond at every offset of a window: loose inside links, code spans, addresses and rows, inside
 * short emphasis and LaTeX, and between a heading and what it heads; fast where a cut would leave a
 * fence or a table's head in ruins.
 */
export function findBonds(text: string, lines: readonly Line[]): Uint8Array {
  const bonds = new Uint8Array(text.length + 1);
  const longest = longestBond(text);
  for (const { start, end } of findProse(lines)) {
    const { spans, open } = scanInline(text.slice(start, end));
    for (const span of spans) {
      const bound = breaksWhereCut.has(span.kind) || span.end - span.start <= longest;
      if (bound) bonds.fill(bond.loose, start + span.start + 1, start + span.end);
    }
    for (const mark of open) {
      const half = mark.kind === 'link' || mark.kind === 'address';
      const bound = half || end - start - mark.start <= longest;
      if (bound && end === text.length) bonds.fill(bond.loose, start + mark.start + 1, end);
    }
  }
  let above: Line | undefined;
  for (const line of lines) {
    if (line.text === '') continue;
    if (above && leadsOn(above)) bindToLead(bonds, line, above);
    bindLine(bonds, line, above);
    above = line;
  }
  return bonds;
}

/** Binds a line to the sentence above that leads up to it, as far as both are short. */
function bindToLead(bonds: Uint8Array, line: Line, above: Line): void {
  const longest = longestBond(bonds);
  const sentence = Array.from(above.text.matchAll(sentenceEnd)).at(-1);
  const behind = sentence ? sentence.index + sentence[0].length : 0;
  const start = Math.max(above.start + behind, above.end - longest);
  const end = line.end - line.start > longest ? line.start + 1 : line.end;
  bonds.fill(bond.loose, start + 1, end);
}

/** Whether a line means little without the one below it. */
function leadsOn({ kind, text }: Line): boolean {
  return kind === 'heading' || ((kind === 'text' || kind === 'item') && /[:：]$/.test(text));
}

/** The longest stretch that is kept whole although a cut would not break it. */
function longestBond(window: { length: number }): number {
  return Math.floor(window.length / 4);
}

function bindLine(bonds: Uint8Array, line: Line, above: Line | undefined): void {
  if (line.kind === 'table-row') bonds.fill(bond.loose, line.start + 1, line.end);
  if (above?.kind === 'table-delimiter') bonds[line.start] = bond.loose;
  if (line.kind === 'fence-open') bonds.fill(bond.fast, line.start + 1, line.end + 2);
  if (line.kind === 'fence-close') bonds.fill(bond.fast, line.start, line.end);
  if (line.kind === 'table-header') bonds.fill(bond.fast, line.start + 1, line.end + 2);
  if (line.kind === 'table-delimiter') bonds.fill(bond.fast, line.start + 1, line.end);
  if (line.kind === 'text' && above?.kind === 'text' && mayBeDelimiterOf(above.text, line.text)) {
    bonds.fill(bond.fast, line.start, line.end);
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
