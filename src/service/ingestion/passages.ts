import { sum } from '../../shared/primitives/iterables.ts';
import { type Block, type ExtractedDocument, hasSameHeadings, toPlainText } from './document.ts';
import { toUnits, type Unit } from './units.ts';

/** A piece of a source, the unit of retrieval and citation. */
export interface Passage {
  text: string;
  /** Its headings, outermost first. */
  headings: string[];
  /** The page it starts on, if the format has pages. */
  page?: number;
  /** Offsets in the document's plain text: `toPlainText(document).slice(start, end)` is `text`. */
  start: number;
  end: number;
  tokens: number;
}

const maxSectionLength = 50_000;
const maxTokens = 300;
const targetTokens = 250;
const shortRestTokens = 50;
const maxOverlapTokens = 60;

/** A unit at its position in the document, with its page and size. */
interface Piece extends Omit<Unit, 'text'> {
  page?: number;
  tokens: number;
}

/** Splits a document into passages of 200 to 300 tokens: see `eachPassage`. */
export function toPassages(document: ExtractedDocument): Passage[] {
  return [...eachPassage(document)];
}

/**
 * The passages of a document one by one, so that a long document can be stored while it is split. A
 * passage never crosses a heading, so a short section makes a short passage. In a long section,
 * each passage repeats the last one or two sentences of the previous one, so that no answer is
 * split between two.
 */
export function* eachPassage(document: ExtractedDocument): Generator<Passage> {
  const plain = toPlainText(document);
  for (const section of toSections(document.blocks)) {
    const headings = section[0]?.headings ?? [];
    for (const pieces of toRuns(section.flatMap(toPieces))) {
      yield toPassage(plain, headings, pieces);
    }
  }
}

/** Adjacent blocks under the same headings. Bounded, so that the first passage comes soon. */
function* toSections(blocks: Block[]): Generator<Block[]> {
  let section: Block[] = [];
  for (const block of blocks) {
    const [first] = section;
    if (first && (!hasSameHeadings(first, block) || block.end - first.start > maxSectionLength)) {
      yield section;
      section = [];
    }
    section.push(block);
  }
  if (section.length > 0) yield section;
}

function toPieces(block: Block): Piece[] {
  return toUnits(block.text).flatMap((unit) => cutLong(unit, block));
}

/**
 * A unit that fits into a passage. A longer one (minified code, an endless line) is cut between
 * words.
 */
function cutLong(unit: Unit, block: Block): Piece[] {
  const { kind } = unit;
  const page = block.page === undefined ? {} : { page: block.page };
  const tokens = countTokens(unit.text);
  if (tokens <= maxTokens) {
    return [
      { kind, ...page, start: block.start + unit.start, end: block.start + unit.end, tokens },
    ];
  }
  const length = Math.floor((unit.text.length / tokens) * targetTokens);
  const pieces: Piece[] = [];
  for (let from = 0; from < unit.text.length;) {
    const to = wordBoundary(unit.text, from, from + length);
    const text = unit.text.slice(from, to);
    const start = block.start + unit.start + from;
    pieces.push({ kind, ...page, start, end: start + text.length, tokens: countTokens(text) });
    from = to;
  }
  return pieces;
}

/**
 * The end of the last word before `to`; within a long word, `to` itself (never inside a surrogate
 * pair).
 */
function wordBoundary(text: string, from: number, to: number): number {
  if (to >= text.length) return text.length;
  const space = text.slice(from, to).lastIndexOf(' ');
  if (space > (to - from) / 2) return from + space + 1;
  const code = text.charCodeAt(to);
  return code >= 0xdc00 && code <= 0xdfff ? to + 1 : to;
}

/**
 * Groups that fill a passage, each after the first starting with the overlap. A short rest joins
 * the last group.
 */
function* toRuns(pieces: Piece[]): Generator<Piece[]> {
  let left = sumTokens(pieces);
  let run: Piece[] = [];
  let tokens = 0;
  let fresh = false;
  for (const piece of pieces) {
    const full = tokens >= targetTokens || tokens + piece.tokens > maxTokens;
    if (fresh && full && tokens + left > maxTokens + shortRestTokens) {
      yield run;
      run = overlap(run);
      tokens = sumTokens(run);
      fresh = false;
    }
    run.push(piece);
    tokens += piece.tokens;
    left -= piece.tokens;
    fresh = true;
  }
  if (fresh) yield run;
}

function sumTokens(pieces: Piece[]): number {
  return sum(pieces.map(({ tokens }) => tokens));
}

function overlap(run: Piece[]): Piece[] {
  const kept: Piece[] = [];
  let tokens = 0;
  for (const piece of run.slice(-2).toReversed()) {
    tokens += piece.tokens;
    if (piece.kind !== 'sentence' || tokens > maxOverlapTokens) break;
    kept.unshift(piece);
  }
  return kept;
}

function toPassage(plain: string, headings: string[], pieces: Piece[]): Passage {
  const start = pieces[0]?.start ?? 0;
  const end = pieces.at(-1)?.end ?? start;
  const text = plain.slice(start, end);
  const page = pieces[0]?.page;
  return {
    text,
    headings,
    page,
    start,
    end,
    tokens: countTokens(text),
  };
}

const piecePattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{L}+|(\p{N}+)|[^\s\p{L}\p{N}]+/gu;

/**
 * Estimates the tokens of a language model: one per six letters of a word, one per three digits,
 * one per ideograph. Within about a tenth of a real tokenizer for English.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const [piece, digits] of text.matchAll(piecePattern)) {
    tokens += Math.ceil(piece.length / (digits === undefined ? 6 : 3));
  }
  return tokens;
}

/** Bytes of a token: English has more, other scripts and code have about as many. */
const minBytes = 3.5;

/** A high estimate, for a limit that must hold in every language. */
export function countMaxTokens(text: string): number {
  return Math.max(countTokens(text), Math.ceil(Buffer.byteLength(text) / minBytes));
}
