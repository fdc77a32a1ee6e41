import type { Steps } from '../../../shared/primitives/time.ts';
import type { MessageLimits } from '../thread.ts';
import { breakpointsByPreference } from './breakpoints.ts';
import { closeFence, completeFence } from './close-markdown.ts';
import { type ListLevel, scanLines, type Line } from './scan-lines.ts';

const firstGuess = 1000;

const textStart: SegmentStart = { at: 0, lead: '', lists: [] };

/** @param ends offsets, in their order, where a segment ends even if there is room for more */
type Splitter = (markdown: string, ends?: readonly number[]) => Steps<string[]>;

/**
 * Splits Markdown into segments that fit and are whole by themselves. Cuts at a paragraph, else at a
 * line, sentence, space, word; inside of a link, address, code span or grapheme cluster only where
 * nothing else fits. All text stays, in its order, but for white space at a cut. A segment that begins
 * in fenced code repeats its opening line and one that ends there closes it; one that begins in a
 * table repeats its header and delimiter; one that begins in an ordered list keeps its numbering.
 * No segment is empty; text of white space alone has none.
 *
 * A text may grow from call to call: segments behind which there is another are kept, so a call costs
 * what the last segment costs. A text that does not begin like the one before is split anew. The last
 * segment has room for the line that closes its fence; for what else `closeMarkdown` may add to it,
 * pass limits made by `leaveClosingRoom`.
 *
 * Pauses after each try what fits, since a long text takes long; no call may begin before the one
 * before it has ended.
 * @throws {RangeError} when a message has no room for even one character of the text
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
 * The first segment of a text, as a splitter cuts it, and whether it is all of it. Takes no longer
 * for a text that is much too long; pauses as `createSplitter` does.
 * @throws {RangeError} as a splitter does
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

/**
 * Cuts a segment off `text`, which does not fit as a whole. Pauses after each try.
 * @throws {RangeError} when nothing fits
 */
function* cutSegment(
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
    const segment = closeSegment(text.slice(0, at), start);
    if (limits.fits(segment)) {
      return { segment, next: { at, ...contextAt(cut, lines, start.lists, limits) } };
    }
    yield;
  }
  throw new RangeError('A message has no room for even one character of the text.');
}

/** The segment that reaches to the end of `text`, behind which another one is to begin. */
function endSegment(
  text: string,
  start: SegmentStart,
  limits: MessageLimits,
): { segment: string; next: SegmentStart } {
  const windowText = start.lead + text.slice(start.at);
  const context = contextAt(windowText.length, scanLines(windowText, start), start.lists, limits);
  return { segment: closeSegment(text, start), next: { at: text.length, ...context } };
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

/** Where a segment begins in the text, and what stands before it so that it is whole by itself. */
interface SegmentStart {
  at: number;
  /** A fence's opening line, or a table's header and delimiter. */
  lead: string;
  lists: readonly ListLevel[];
}

/** The segment that reaches from `start` to the end of `text`, were it not to be cut. */
function assembleSegment(text: string, { at, lead, lists }: SegmentStart): string {
  const segment = continueLists(lead + text.slice(at).trimEnd(), lists);
  return at === 0 ? segment : dedent(segment);
}

/** The same for a segment behind which another one begins: its fenced code is closed. */
function closeSegment(text: string, start: SegmentStart): string {
  const segment = assembleSegment(text, start);
  return closeFence(segment, scanLines(segment, start));
}

/**
 * Moves what begins a segment left, together with the lines nested as deep, so that it is at most
 * three columns in: four would make indented code of it.
 */
function dedent(segment: string): string {
  const indentation = /^ */.exec(segment)?.[0] ?? '';
  if (indentation.length <= 3) return segment;
  const lines = segment.split('\n');
  const end = lines.findIndex((line) => !line.startsWith(indentation) && line.trim() !== '');
  const nested = end === -1 ? lines.length : end;
  const moved = lines.slice(0, nested).map((line) => line.slice(indentation.length - 3));
  return [...moved, ...lines.slice(nested)].join('\n');
}

const anyFence = /`{3}|~{3}/;

/**
 * The segment with all that may have to close it. What was reserved for a fence stays reserved behind
 * it, where it ends without a closing line of that length: so no growth of the text makes it less.
 */
function reserveSegment(text: string, start: SegmentStart): string {
  const segment = assembleSegment(text, start);
  if (!anyFence.test(segment)) return segment;
  const lines = scanLines(segment, start);
  const reserved = lines.flatMap((line, index) => {
    const { fence } = line;
    if (!fence) return [];
    if (line.kind === 'fence-close') return fence.closing.slice(line.text.length);
    const below = lines[index + 1];
    return below && below.fence !== fence ? `\n${fence.closing}` : [];
  });
  return [completeFence(segment, lines), ...reserved].join('');
}

/**
 * Gives the first item of each ordered list that goes on from `lists` its right number, where it is
 * written with a lower one (as in lists numbered 1. 1. 1.).
 */
function continueLists(markdown: string, lists: readonly ListLevel[]): string {
  if (lists.every(({ next }) => next === undefined)) return markdown;
  let result = '';
  let copied = 0;
  for (const { content, item } of scanLines(markdown, { lists })) {
    if (!item?.number || !item.continued || !lists.includes(item.continued)) continue;
    const at = content - item.content + item.marker;
    result += markdown.slice(copied, at) + String(item.number.right);
    copied = at + item.number.written.length;
  }
  return result + markdown.slice(copied);
}
