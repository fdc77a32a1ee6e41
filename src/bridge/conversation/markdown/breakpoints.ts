import { penalty, findBreakPenalties } from './break-penalties.ts';
import { isProse, type Line, scanLines } from './scan-lines.ts';

/** The part of a text, after `from`, in which to find a cut. */
export interface BreakWindow {
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

/** One that has not come whole yet reaches to the end. */
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
