import { gapBetween } from '../document.ts';
import { toName } from '../units.ts';

/** A line of plain text as it was before it was wrapped. */
export interface TextLine {
  /** Without its indentation. */
  text: string;
  /** The columns before it; of wrapped lines, the fewest. */
  indent: number;
  /** Whether it begins a paragraph. */
  beginsParagraph: boolean;
  as: 'text' | 'item' | 'definition' | 'ruler' | 'code';
}

/** A line as the file has it. Blank lines are left out. */
interface Row {
  text: string;
  indent: number;
  beginsParagraph: boolean;
  as: TextLine['as'];
  /** Where what follows its marker or term begins. */
  hang?: number;
}

const minWrappedLength = 50;
const tabWidth = 8;
const maxTermLength = 40;

const itemPattern = /^(?:[-*•]|\d{1,3}[.)])\s+(?=\S)/u;
const rulerPattern = /^([~=\-_*+^#.])\1{3,}$/u;
const fence = '```';
const fencePattern = /\n[ \t]*```[ \t]*(?=\n|$)/gu;
const gapPattern = / {3,}|\t+/u;

/**
 * The lines of a plain text, wrapped ones joined: a long line continues in the next one if that is
 * indented alike, or as far as the text after the first one's marker or term. A term and its
 * definition in two columns become one line: "-a: shows all".
 */
export function* toTextLines(text: string): Generator<TextLine> {
  let open: Row[] = [];
  for (const row of withDefinitions(toRows(text))) {
    const [first] = open;
    if (first && !continues(open, row)) {
      yield toTextLine(first, open);
      open = [];
    }
    open.push(row);
  }
  const [first] = open;
  if (first) yield toTextLine(first, open);
}

function* toRows(text: string): Generator<Row> {
  let beginsParagraph = true;
  let hasFences = true;
  for (let start = 0; start <= text.length;) {
    const end = endOfLine(text, start);
    const line = text.slice(start, end).trimEnd();
    const own = line.trimStart();
    const indent = columnsOf(line.slice(0, line.length - own.length));
    const code = hasFences && own.startsWith(fence) ? takeCode(text, start, end) : undefined;
    if (code !== undefined) yield { text: code, indent, beginsParagraph, as: 'code' };
    else if (own !== '') yield toRow(own, indent, beginsParagraph);
    if (own.startsWith(fence) && code === undefined) hasFences = false;
    beginsParagraph = own === '' || code !== undefined;
    start = code === undefined ? end + 1 : start + code.length + 1;
  }
}

function endOfLine(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found === -1 ? text.length : found;
}

/** Fenced code with its fences; undefined if it is never closed. */
function takeCode(text: string, start: number, end: number): string | undefined {
  fencePattern.lastIndex = end;
  const close = fencePattern.exec(text);
  return close ? text.slice(start, close.index + close[0].length) : undefined;
}

function toRow(text: string, indent: number, beginsParagraph: boolean): Row {
  if (rulerPattern.test(text)) return { text, indent, beginsParagraph, as: 'ruler' };
  const marker = itemPattern.exec(text)?.[0].length;
  if (marker === undefined) return { text, indent, beginsParagraph, as: 'text' };
  return { text, indent, beginsParagraph, as: 'item', hang: indent + marker };
}

function columnsOf(text: string, from = 0): number {
  let columns = from;
  for (const character of text) {
    columns += character === '\t' ? tabWidth - (columns % tabWidth) : 1;
  }
  return columns;
}

/**
 * A row with a gap is a term with its definition if a neighbour is indented as far as what follows
 * the gap, or has its gap there too.
 */
function* withDefinitions(rows: Iterable<Row>): Generator<Row> {
  let before: Row | undefined;
  let current: Row | undefined;
  for (const next of rows) {
    if (current) yield define(current, before, next);
    before = current;
    current = next;
  }
  if (current) yield define(current, before, undefined);
}

function define(row: Row, before: Row | undefined, next: Row | undefined): Row {
  const gap = row.as === 'text' ? findGap(row) : undefined;
  if (!gap) return row;
  const isAligned = (other: Row | undefined) =>
    other !== undefined &&
    (other.indent === gap.hang ||
      (other.indent === row.indent && findGap(other)?.hang === gap.hang));
  if (!isAligned(before) && !isAligned(next)) return row;
  const text = `${toName(row.text.slice(0, gap.start))}: ${row.text.slice(gap.end)}`;
  return { ...row, text, as: 'definition', hang: gap.hang };
}

/** The gap after a row's term, which is the widest of its gaps. */
function findGap({ text, indent }: Row): { start: number; end: number; hang: number } | undefined {
  const gap = gapPattern.exec(text.slice(0, maxTermLength + 2 * tabWidth));
  if (!gap || gap.index > maxTermLength) return undefined;
  const end = gap.index + gap[0].length;
  const others = text.slice(end).match(/ {2,}|\t/gu) ?? [];
  if (others.some((other) => other === '\t' || other.length >= gap[0].length)) return undefined;
  return { start: gap.index, end, hang: columnsOf(text.slice(0, end), indent) };
}

function continues(open: readonly Row[], next: Row): boolean {
  const first = open[0] ?? next;
  const last = open.at(-1) ?? next;
  if (next.beginsParagraph || next.as !== 'text') return false;
  if (first.as === 'ruler' || first.as === 'code') return false;
  if (last.indent + last.text.length < minWrappedLength) return false;
  if (/[;{}\\]$/u.test(last.text)) return false;
  if (last.as === 'item') return next.indent >= last.indent;
  if (last.as === 'definition') return next.indent === last.hang;
  if (next.indent === last.indent) return !hasColumns(last, next);
  if (open.length > 1) return false;
  // The first line of a paragraph may be indented further than the rest of it.
  return last.beginsParagraph && next.indent < last.indent && !/[.!?:]$/u.test(last.text);
}

function hasColumns(...rows: Row[]): boolean {
  return rows.every(({ text }) => / {4,}|\t/u.test(text));
}

function toTextLine({ as, beginsParagraph }: Row, rows: readonly Row[]): TextLine {
  const indent = rows.reduce((least, row) => Math.min(least, row.indent), Infinity);
  const [first = ''] = rows.map(({ text }) => text);
  const text = rows.length === 1 ? first : joinRows(rows);
  return { text, indent, beginsParagraph, as };
}

/** Words that were hyphenated become whole; "royalty-" and "free" keep their hyphen. */
function joinRows(rows: readonly Row[]): string {
  const parts: string[] = [];
  for (const { text } of rows) {
    const before = parts.at(-1) ?? '';
    if (/\p{L}[\u2010\u00ad]$/u.test(before)) parts.push(parts.pop()?.slice(0, -1) ?? '', text);
    else if (parts.length === 0 || (/\p{L}-$/u.test(before) && /^\p{Ll}/u.test(text)))
      parts.push(text);
    else parts.push(gapBetween(before, text), text);
  }
  return parts.join('').replace(/ {2,}/gu, ' ');
}
