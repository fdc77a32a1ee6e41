/** The smallest text that can be quoted alone. Offsets refer to the original text. */
export interface Unit {
  kind: 'sentence' | 'item' | 'code';
  text: string;
  start: number;
  end: number;
}

/** Where a fence of code begins or ends. More tildes are a ruler. */
export const fencePattern = /^\s*(?:```|~~~(?!~))/u;
const itemPattern = /^\s*(?:[-*•]|\d{1,3}[.)])\s/u;
const indentedPattern = /^\s{2,}\S/u;

/** A sentence doesn't end after one of these, a single letter, or an ordinal as in “am 6. Mai”. */
const abbreviationPattern =
  /(?:^|[\s(])(?:\p{L}|\d{1,2}|Dr|Mr|Mrs|Ms|Prof|St|Fig|No|vs|etc|approx|cf|ca|e\.g|i\.e|z\.B|d\.h|bzw|Nr|Abs|U\.S|U\.K)\.\s*$/u;

/** Including the space after it. */
const maxAbbreviationLength = 12;

/** Splits readable text into its sentences, list items and code blocks, in order. */
export function toUnits(text: string): Unit[] {
  const units: Unit[] = [];
  for (const piece of pieces(text)) {
    if (piece.kind === 'sentence') units.push(...sentences(piece));
    else units.push(piece);
  }
  return units;
}

/** Code blocks and list items whole, and the text between them line by line. */
function* pieces(text: string): Generator<Unit> {
  const lines = toLines(text);
  for (let index = 0; index < lines.length; index++) {
    const first = lines[index];
    if (first === undefined || first.text.trim() === '') continue;
    const kind = fencePattern.test(first.text)
      ? 'code'
      : itemPattern.test(first.text)
        ? 'item'
        : 'sentence';
    const last = lines[(index = lastLine(lines, index, kind))] ?? first;
    const start = first.start + (kind === 'sentence' ? leadingSpace(first.text) : 0);
    yield { kind, text: text.slice(start, last.end), start, end: last.end };
  }
}

interface Line {
  text: string;
  start: number;
  end: number;
}

function toLines(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const end = start + line.length;
    const placed = { text: line, start, end };
    start = end + 1;
    return placed;
  });
}

function lastLine(lines: Line[], from: number, kind: Unit['kind']): number {
  if (kind === 'sentence') return from;
  if (kind === 'code') return closingFence(lines, from);
  let last = from;
  for (let index = from + 1; index < lines.length; index++) {
    const line = lines[index]?.text ?? '';
    if (itemPattern.test(line) || !indentedPattern.test(line)) break;
    last = index = fencePattern.test(line) ? closingFence(lines, index) : index;
  }
  return last;
}

function closingFence(lines: Line[], from: number): number {
  let index = from + 1;
  while (index < lines.length && !fencePattern.test(lines[index]?.text ?? '')) index += 1;
  return Math.min(index, lines.length - 1);
}

function leadingSpace(text: string): number {
  return text.length - text.trimStart().length;
}

/** Without such a character a line is a single sentence, and the slow segmenter is skipped. */
const maybeMorePattern = /[\p{Sentence_Terminal}\u2028\u2029].*\S/u;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

function* sentences(line: Unit): Generator<Unit> {
  if (!maybeMorePattern.test(line.text)) return yield withoutEnd(line);
  let start = 0;
  let end = 0;
  for (const { segment } of segmenter.segment(line.text)) {
    end += segment.length;
    const tail = line.text.slice(Math.max(start, end - maxAbbreviationLength), end);
    if (end < line.text.length && abbreviationPattern.test(tail)) continue;
    const text = line.text.slice(start, end);
    if (text.trim() !== '') yield withoutEnd({ ...line, text, start: line.start + start });
    start = end;
  }
}

function withoutEnd(unit: Unit): Unit {
  const text = unit.text.trimEnd();
  return { ...unit, text, end: unit.start + text.length };
}

/** Whether a term or heading names an option, a variable or a file, and is no title. */
export function isName(term: string): boolean {
  return /^[-+%$\\/.@&!`]|^\p{Ll}\S*$|[=_<>[\]]/u.test(term);
}

/** A term as text shows it: a name as code. */
export function toName(term: string): string {
  return isName(term) && !term.includes('`') ? `\`${term}\`` : term;
}
