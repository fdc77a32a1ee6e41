import type { getDocumentProxy as OpenPdf } from 'unpdf';
import { type Draft, gapBetween, IngestionError, isAddress } from '../document.ts';
import { createOutline, type Outline } from './outline.ts';

export const maxPages = 2000;
/** Max characters of one page. */
const maxPageCharacters = 1_000_000;

/**
 * A PDF document: the text of its pages, with larger lines as headings. Scanned text is not
 * recognized.
 * @throws {IngestionError} when it is protected, has too many pages, no text, text in an
 * unreadable encoding, or is damaged
 */
export async function fromPdf(bytes: Uint8Array): Promise<Draft> {
  // Imported on demand, because it is large and few readers meet a PDF.
  const { getDocumentProxy } = await import('unpdf');
  const { Tables, wanted } = watchTables();
  const pdf = await getDocumentProxy(Uint8Array.from(bytes), {
    BinaryDataFactory: Tables,
    useWorkerFetch: false,
    verbosity: 0,
    useSystemFonts: false,
    stopAtErrors: false,
  }).catch(throwReason);
  if (pdf.numPages > maxPages) {
    const params = { pages: pdf.numPages, max: maxPages };
    throw new IngestionError({ code: 'pdf_too_long', params });
  }
  const pages: PdfLine[][] = [];
  for (let number = 1; number <= pdf.numPages; number++) pages.push(await readPage(pdf, number));
  // Without these refusals, part of the text would be lost and nobody would notice.
  if (wanted.size > 0) {
    const params = { tables: [...wanted].slice(0, 3) };
    throw new IngestionError({ code: 'pdf_table_missing', params });
  }
  if (isGarbled(pages.flat())) throw new IngestionError('pdf_garbled');
  if (!pages.flat().some(({ text }) => text.trim() !== '')) {
    throw new IngestionError('pdf_without_text');
  }
  const outline = createOutline();
  addPages(outline, pages);
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  return outline.draft(toTitle('Title' in info ? info.Title : '') || findTitle(pages));
}

/**
 * Chinese, Japanese and Korean text may be written in an encoding that a PDF only names (ISO 32000-2,
 * 9.7.5.2). pdf.js asks for its table, which unpdf does not include, and leaves the text out.
 */
function watchTables() {
  const wanted = new Set<string>();
  class Tables {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      if (kind === 'cMapUrl') wanted.add(filename.replace(/\.bcmap$/u, ''));
      throw new Error(`There is no ${filename}`);
    }
  }
  return { Tables, wanted };
}

const controlPattern = /[\p{Cc}--\s]/gv;
/** Of a line's characters, and of the lines of a document. */
const maxControlShare = 0.05;
const maxGarbledShare = 0.2;

/** If a font does not map its glyphs to characters, their numbers come out: a space as U+0003. */
function isGarbled(lines: readonly PdfLine[]): boolean {
  const garbled = lines.filter(
    ({ text }) => (text.match(controlPattern)?.length ?? 0) > text.length * maxControlShare,
  );
  return garbled.length > lines.length * maxGarbledShare;
}

type Pdf = Awaited<ReturnType<typeof OpenPdf>>;

/** A damaged page counts as empty, because the others can be read. */
async function readPage(pdf: Pdf, number: number): Promise<PdfLine[]> {
  const page = await pdf.getPage(number).catch(() => undefined);
  const content = await page?.getTextContent().catch(() => undefined);
  const lines: PdfLine[] = [];
  let line: PdfLine = { text: '', size: 0, y: 0, end: 0 };
  let characters = 0;
  for (const item of content?.items ?? []) {
    if (!('str' in item)) continue;
    const [, , c = 0, d = 0, x = 0, y = 0] = item.transform.map(Number);
    characters += item.str.length;
    if (characters > maxPageCharacters) {
      const params = { page: number };
      throw new IngestionError({ code: 'pdf_page_too_long', params });
    }
    if (item.str.trim() !== '') {
      const size = Math.max(line.size, Math.hypot(c, d));
      Object.assign(line, { size, y, end: x + item.width });
    }
    line.text += item.str;
    if (!item.hasEOL) continue;
    lines.push(line);
    line = { text: '', size: 0, y: 0, end: 0 };
  }
  page?.cleanup();
  return [...lines, line].filter(({ text }) => text.trim() !== '');
}

/** Print drivers set a PDF's title to the name of the printed file, or leave it empty. */
function toTitle(title: unknown): string {
  if (typeof title !== 'string' || /^\s*(?:untitled|unbenannt)\b/iu.test(title)) return '';
  return title
    .replace(/^Microsoft \w+ - /u, '')
    .replace(/\.(?:docx?|odt|pptx?|xlsx?|tex|dvi|indd|pdf)$/iu, '')
    .trim();
}

function throwReason(error: unknown): never {
  if (error instanceof Error && error.name === 'PasswordException') {
    throw new IngestionError('document_protected');
  }
  throw new IngestionError('pdf_damaged', { cause: error });
}

/** A line of a page, with its font size, its distance from the bottom, and where it ends. */
interface PdfLine {
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
function addPages(outline: Outline, pages: PdfLine[][]): void {
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
      else outline.paragraph(text);
    }
  }
}

/** The text in the largest type of the first page, if that is larger than usual; '' if none is. */
function findTitle(pages: PdfLine[][]): string {
  const lines = pages.find((page) => page.length > 0) ?? [];
  const named = lines.filter(({ text }) => isHeadingText(text) && !isAddress(text.trim()));
  const largest = named.reduce((most, { size }) => Math.max(most, size), 0);
  if (largest < usualSize(pages.flat()) * headingRatio) return '';
  const [title = []] = toParagraphs(
    named.filter(({ size }) => round(size) === round(largest)),
    Infinity,
  );
  return joinLines(title);
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
      /\p{Ll}-$/u.test(joined.slice(-3)) && /^\p{Ll}/u.test(text)
        ? joined.slice(0, -1) + text
        : joined + gapBetween(joined, text) + text,
    )
    .replace(/\s+/gu, ' ');
}
