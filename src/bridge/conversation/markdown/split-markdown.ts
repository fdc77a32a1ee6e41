import { atOnce, type Steps } from '../../../shared/primitives/in-steps.ts';
import type { MessageLimits } from '../ports.ts';
import { cutSegment, endSegment } from './cut-segment.ts';
import { assembleSegment, reserveSegment, type SegmentStart } from './segment.ts';

const firstGuess = 1000;

const textStart: SegmentStart = { at: 0, lead: '', lists: [] };

/**
 * Splits Markdown into segments that fit and are whole by themselves. Cuts at a paragraph, else at a
 * line, sentence, space, word; inside of a link, address, code span or grapheme cluster only where
 * nothing else fits. All text stays, in its order, but for white space at a cut. A segment that begins
 * in fenced code repeats its opening line and one that ends there closes it; one that begins in a
 * table repeats its header and delimiter; one that begins in an ordered list keeps its numbering.
 * No segment is empty; text of white space alone has none.
 *
 * While a text grows, a segment stays as it is from when the next one exists, provided that what does
 * not fit still does not once it has grown (where it may, `createSplitter` still keeps the segments).
 * The last segment has room for the line that closes its fence; for what else `closeMarkdown` may add
 * to it, pass limits made by `leaveClosingRoom`.
 * @throws {RangeError} when a message has no room for even one character of the text
 */
export function splitMarkdown(markdown: string, limits: MessageLimits): string[] {
  return atOnce(createSplitter(limits)(markdown));
}

/** @param ends offsets, in their order, where a segment ends even if there is room for more */
export type Splitter = (markdown: string, ends?: readonly number[]) => Steps<string[]>;

/**
 * Splits as `splitMarkdown` does, a text that grows from call to call: segments behind which there is
 * another are kept, so that a call costs what the last segment costs. A text that does not begin like
 * the one before is split anew. It pauses after each try what fits, since a long text takes long; no
 * call may begin before the one before it has ended.
 * @throws {RangeError} as `splitMarkdown` does
 */
export function createSplitter(limits: MessageLimits): Splitter {
  let settled: string[] = [];
  let settledText = '';
  let start = textStart;
  /** About how much text fits: near it the search for what does not fit is quickest. */
  let guess = firstGuess;

  /** The first segment from `from`, and where the next one begins; undefined if there is none. */
  function* takeNext(markdown: string, from: SegmentStart, ends: readonly number[]) {
    const end = ends.find((each) => each > from.at && each < markdown.length);
    const upTo = end === undefined ? markdown : markdown.slice(0, end);
    const overflow = yield* findOverflow(upTo, from, { limits, guess });
    if (overflow === undefined) return end === undefined ? end : endSegment(upTo, from, limits);
    guess = overflow - from.at;
    return yield* cutSegment(upTo.slice(0, overflow), from, limits);
  }

  return function* split(markdown, ends = []) {
    if (!markdown.startsWith(settledText)) {
      settled = [];
      start = textStart;
    }
    let from = skipBlank(markdown, start, limits);
    let taken = yield* takeNext(markdown, from, ends);
    while (taken) {
      settled.push(taken.segment);
      start = taken.next;
      from = skipBlank(markdown, start, limits);
      taken = yield* takeNext(markdown, from, ends);
    }
    guess = Math.max(guess, markdown.length - from.at);
    settledText = markdown.slice(0, start.at);
    return from.at < markdown.length ? [...settled, assembleSegment(markdown, from)] : [...settled];
  };
}

/**
 * The first segment of a text, as `splitMarkdown` cuts it, and whether it is all of it. Takes no longer
 * for a text that is much too long; pauses as `createSplitter` does.
 * @throws {RangeError} as `splitMarkdown` does
 */
export function* takeSegment(
  markdown: string,
  limits: MessageLimits,
): Steps<{ segment: string; isWhole: boolean }> {
  const from = skipBlank(markdown, textStart, limits);
  const overflow = yield* findOverflow(markdown, from, { limits, guess: firstGuess });
  if (overflow === undefined) return { segment: assembleSegment(markdown, from), isWhole: true };
  const { segment } = yield* cutSegment(markdown.slice(0, overflow), from, limits);
  return { segment, isWhole: false };
}

/** Passes over blank lines, and over indentation too wide to be any. */
function skipBlank(text: string, start: SegmentStart, { fits }: MessageLimits): SegmentStart {
  const behind = text.slice(start.at);
  const blank = behind.length - behind.trimStart().length;
  const indentation = blank - (behind.lastIndexOf('\n', blank - 1) + 1);
  const isKept = indentation > 0 && blank < behind.length && fits('x'.repeat(4 * indentation));
  const kept = isKept ? indentation : 0;
  return { ...start, at: start.at + blank - kept };
}

/** The shortest length of `text` whose segment from `start` does not fit; undefined where all of it does. */
function* findOverflow(
  text: string,
  start: SegmentStart,
  { limits, guess }: { limits: MessageLimits; guess: number },
): Steps<number | undefined> {
  const fits = (end: number) => limits.fits(reserveSegment(text.slice(0, end), start));
  let fitting = start.at;
  let end = Math.min(text.length, start.at + 2 * guess);
  while (fits(end)) {
    if (end === text.length) return undefined;
    yield;
    fitting = end;
    end = Math.min(text.length, end + (end - start.at));
  }
  let middle = start.at + guess;
  while (end - fitting > 1) {
    yield;
    if (middle <= fitting || middle >= end) middle = Math.floor((fitting + end) / 2);
    if (fits(middle)) fitting = middle;
    else end = middle;
  }
  return end;
}
