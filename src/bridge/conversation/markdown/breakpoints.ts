import { isProse, type Line, scanLines, mayBeDelimiterOf } from './scan-lines.ts';
import { scanInline, type Span } from './scan-inline.ts';

/** The part of a text, after `from`, in which to find a cut. */
interface BreakWindow {
  text: string;
  lines: readonly Line[];
  from: number;
}

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
const words = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const noWordBehind = /[\p{Ps}\p{Pi}\p{Pd}\p{Pc}*~`#$@&<>\\/.]/u;

/**
 * Offsets to cut at, best first: in the second half of the window the last paragraph, line,
 * sentence, space, word; then the last of any of these anywhere, first outside and then inside of
 * what belongs together; then grapheme clusters; then code points. An offset is where the next
 * segment begins. All depends on the window alone, never on what follows it.
 */
export function* breakpointsByPreference(window: BreakWindow): Generator<number> {
  const { text, from } = window;
  const penalties = findBreakPenalties(text, window.lines);
  const middle = (from + text.length) / 2;
  const found: number[] = [];
  for (const find of [findParagraphs, findLines, findSentences, findSpaces, findWords]) {
    const cuts = find(window).filter((at) => at > from);
    found.push(...cuts);
    yield* cuts.filter((at) => at >= middle && penalties[at] === penalty.none).toReversed();
  }
  found.sort((a, b) => b - a);
  yield* found.filter((at) => penalties[at] === penalty.none);
  yield* found.filter((at) => at >= middle && penalties[at] === penalty.avoid);
  for (const at of graphemesBackwards(window)) if (penalties[at] !== penalty.forbid) yield at;
  yield* codePointsBackwards(window);
}

/**
 * The last offset in `text`, of which more may come, where a message can end as though it were whole:
 * before a paragraph or block, or before a sentence as well. Undefined if there is none. The citation
 * of a sentence stays with it, and emphasis is not cut, however long it is.
 */
export function findLastBreak(
  text: string,
  before: 'paragraphs' | 'sentences',
): number | undefined {
  const lines = scanLines(text);
  const window = { text, lines, from: 0 };
  const penalties = findBreakPenalties(text, lines, Infinity);
  const sentenceCuts = before === 'sentences' ? findSentences(window) : [];
  const cuts = [...findParagraphs(window), ...sentenceCuts.map((at) => behindCitations(text, at))];
  return cuts
    .toSorted((a, b) => b - a)
    .find((at) => at > 0 && at < text.length && penalties[at] === penalty.none);
}

/** One that is still incomplete reaches to the end. */
const citations = /(?:\[\d+\.\d+\][ \t]*)*(?:\[\d*(?:\.\d*)?$)?/y;

function behindCitations(text: string, at: number): number {
  citations.lastIndex = at;
  return at + (citations.exec(text)?.[0].length ?? 0);
}

function findParagraphs({ lines }: BreakWindow): number[] {
  return lines
    .filter((line, index) => beginsBlock(line, lines[index - 1]))
    .map(({ start }) => start);
}

function findLines({ lines }: BreakWindow): number[] {
  return lines
    .filter((line, index) => line.text !== '' && !beginsBlock(line, lines[index - 1]))
    .map(({ start }) => start);
}

function beginsBlock({ kind, text }: Line, above: Line | undefined): boolean {
  if (text === '' || kind === 'code') return false;
  const blankAbove = above?.text === '' || above?.kind === 'fence-close';
  return blankAbove || ['heading', 'rule', 'fence-open', 'table-header'].includes(kind);
}

/**
 * Starts of sentences, except those that begin with a digit, which belongs to the abbreviation
 * before it.
 */
function findSentences(window: BreakWindow): number[] {
  return findInLines(window, isProse, (text) =>
    Array.from(sentences.segment(text))
      .filter(({ segment }) => !/^\p{N}/u.test(segment))
      .map(({ index }) => index),
  );
}

function findSpaces(window: BreakWindow): number[] {
  return findInLines(
    window,
    () => true,
    (text) => Array.from(text.matchAll(/\s+/g), ({ index, 0: space }) => index + space.length),
  );
}

/** Starts of words without a space before them, as in Chinese. */
function findWords(window: BreakWindow): number[] {
  return findInLines(window, isProse, (text) =>
    Array.from(words.segment(text))
      .filter(({ index, isWordLike }) => isWordLike && !noWordBehind.test(text[index - 1] ?? ''))
      .map(({ index }) => index),
  );
}

/** Offsets within the text of lines, after the indentation. */
function findInLines(
  { text, lines }: BreakWindow,
  wanted: (line: Line) => boolean,
  find: (text: string) => number[],
): number[] {
  return lines.filter(wanted).flatMap(({ content, end }) => {
    const inner = text.slice(content, end);
    const start = inner.length - inner.trimStart().length;
    return find(inner.slice(start))
      .filter((at) => at > 0)
      .map((at) => content + start + at)
      .filter((at) => at < end);
  });
}

function* graphemesBackwards({ text, from }: BreakWindow): Generator<number> {
  const known = /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
  const segments = graphemes.segment(known);
  for (let at = known.length; at > from;) {
    at = segments.containing(at - 1)?.index ?? from;
    if (at > from) yield at;
  }
}

function* codePointsBackwards({ text, from }: BreakWindow): Generator<number> {
  for (let at = text.length - 1; at > from; at -= 1) {
    if (!/[\uDC00-\uDFFF]/.test(text[at] ?? '')) yield at;
  }
}

/** Penalties for a break at an offset. */
const penalty = { none: 0, avoid: 1, forbid: 2 } as const;

const breaksWhereCut = new Set<Span['kind']>(['code', 'address', 'link', 'image']);
const sentenceEnd = /[.!?…。！？]\s*(?=[^.!?…。！？\s])/g;

/**
 * The penalty of a break at every offset of a window: `avoid` inside links, code spans, addresses and
 * rows, inside short emphasis and formulas, and between a heading and its text; `forbid` where a
 * break would destroy a fence or a table's head.
 *
 * @param max length of emphasis and formulas that are short
 */
function findBreakPenalties(text: string, lines: readonly Line[], max = maxKept(text)): Uint8Array {
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
