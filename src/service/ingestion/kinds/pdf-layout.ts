import type { Outline } from './headings.ts';
import { cutEndless } from './text.ts';

/** A line of a page, with its font size, its distance from the bottom, and where it ends. */
export interface PdfLine {
  text: string;
  size: number;
  y: number;
  end: number;
}

const headingRatio = 1.15;
const maxHeadingLength = 150;
const maxLevels = 4;
/** In font sizes, from line to line; more than this starts a new paragraph. */
const paragraphGap = 1.75;
/**
 * A line that ends a sentence before this share of the widest line is the last of its paragraph.
 */
const fullLineShare = 0.8;
const runningShare = 0.5;
const minPagesForRunning = 4;

/**
 * Adds pages to an outline: lines in a larger font than most are headings, by size; the others join
 * into paragraphs. Text at the top or bottom of most pages is left out.
 */
export function addPages(outline: Outline, pages: PdfLine[][]): void {
  const isRunning = findRunning(pages);
  const usual = usualSize(pages.flat());
  const levels = headingSizes(pages.flat(), usual);
  for (const [index, page] of pages.entries()) {
    outline.turnTo(index + 1);
    const lines = page.filter((line, at) => !(isEdge(page, at) && isRunning(line)));
    const width = lines.reduce((most, { end }) => Math.max(most, end), 0);
    for (const paragraph of toParagraphs(lines, width)) {
      const text = joinLines(paragraph);
      const level = levels.indexOf(round(paragraph[0]?.size ?? 0)) + 1;
      if (level > 0 && isHeadingText(text)) outline.heading(level, text);
      else for (const piece of cutEndless(text)) outline.block(piece);
    }
  }
}

function round(size: number): number {
  return Math.round(size * 2) / 2;
}

function isHeadingText(text: string): boolean {
  return text.length <= maxHeadingLength && /\p{L}{2}/u.test(text);
}

/** The font size of most characters. */
function usualSize(lines: PdfLine[]): number {
  const characters = new Map<number, number>();
  for (const { size, text } of lines) {
    characters.set(round(size), (characters.get(round(size)) ?? 0) + text.length);
  }
  const [usual] = [...characters].toSorted((one, other) => other[1] - one[1]);
  return usual?.[0] ?? 0;
}

function headingSizes(lines: PdfLine[], usual: number): number[] {
  const sizes = new Set(lines.map(({ size }) => round(size)));
  return [...sizes]
    .filter((size) => size >= usual * headingRatio)
    .toSorted((one, other) => other - one)
    .slice(0, maxLevels);
}

function isEdge(page: PdfLine[], at: number): boolean {
  return at === 0 || at === page.length - 1;
}

/** The lines at the edges that appear on most pages, ignoring numbers in them. */
function findRunning(pages: PdfLine[][]): (line: PdfLine) => boolean {
  const key = ({ text }: PdfLine): string => text.replace(/\d+/gu, '#').trim();
  const counts = new Map<string, number>();
  for (const page of pages) {
    const edges = new Set(page.filter((_, at) => isEdge(page, at)).map(key));
    for (const edge of edges) counts.set(edge, (counts.get(edge) ?? 0) + 1);
  }
  const least = Math.max(minPagesForRunning, pages.length * runningShare);
  return (line) => (counts.get(key(line)) ?? 0) >= least;
}

function* toParagraphs(lines: PdfLine[], width: number): Generator<PdfLine[]> {
  let paragraph: PdfLine[] = [];
  for (const line of lines) {
    const last = paragraph.at(-1);
    if (last && isParagraphEnd(last, line, width)) {
      yield paragraph;
      paragraph = [];
    }
    paragraph.push(line);
  }
  if (paragraph.length > 0) yield paragraph;
}

function isParagraphEnd(last: PdfLine, next: PdfLine, width: number): boolean {
  if (round(last.size) !== round(next.size)) return true;
  if (last.y - next.y > last.size * paragraphGap) return true;
  if (/^\s*(?:[•▪●◦–-]|\d{1,3}[.)])\s/u.test(next.text)) return true;
  return last.end < width * fullLineShare && /[.!?:。！？]\s*$/u.test(last.text);
}

/** Joins lines into text; words hyphenated at the end of a line become whole. */
function joinLines(lines: PdfLine[]): string {
  return lines
    .map(({ text }) => text.trim())
    .reduce((joined, text) =>
      /\p{Ll}-$/u.test(joined) && /^\p{Ll}/u.test(text)
        ? joined.slice(0, -1) + text
        : `${joined} ${text}`,
    )
    .replace(/\s+/gu, ' ');
}
