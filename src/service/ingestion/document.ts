import { shorten } from '../../shared/primitives/text.ts';
import { ProblemError } from '../../shared/problems/problem.ts';

/**
 * A part of a document as readable Markdown: paragraphs, lists, tables or code under one heading.
 */
export interface Block {
  text: string;
  /** Its headings, outermost first. */
  headings: string[];
  /** Counted from 1, if the format has pages. */
  page?: number;
  /** Offsets in the document's plain text, in UTF-16 units: see `toPlainText`. */
  start: number;
  end: number;
}

/** A block without its offsets. */
export type DraftBlock = Omit<Block, 'start' | 'end'>;

/** The result of reading one file type. `title` is '' if the document has none. */
export interface Draft {
  title: string;
  blocks: DraftBlock[];
}

export interface ExtractedDocument {
  title: string;
  blocks: Block[];
}

/** Every passage carries its headings, and every citation its source's title. */
export const maxTitleLength = 500;

const blockSeparator = '\n\n';

/**
 * Adjacent blocks are joined up to this length, so that a document of a million lines is not a
 * million objects.
 */
const maxJoinedLength = 2000;

/**
 * Gives every block its offsets, drops blocks without text, and joins short adjacent ones. The title
 * and the headings are shortened.
 */
export function toDocument(draft: Draft): ExtractedDocument {
  const blocks: DraftBlock[] = [];
  for (const drafted of draft.blocks) {
    const last = blocks.at(-1);
    if (drafted.text.trim() === '') continue;
    const block = { ...drafted, headings: drafted.headings.map(toTitle) };
    if (last && isContinued(last, block)) {
      blocks[blocks.length - 1] = { ...last, text: last.text + blockSeparator + block.text };
    } else {
      blocks.push(block);
    }
  }
  let position = 0;
  const placed = blocks.map((block) => {
    const start = position;
    const end = start + block.text.length;
    position = end + blockSeparator.length;
    return { ...block, start, end };
  });
  return { title: toTitle(chooseTitle(draft)), blocks: placed };
}

const addressPattern =
  /\bhttps?:\/\/|\bwww\.|\S@\w|^arXiv:|^\S+\.(?:com|org|net|edu|gov|io|de)(?:\/\S*)?$/iu;

/** A line with an address on the web, such as who published it, is no title. */
export function isAddress(text: string): boolean {
  return addressPattern.test(text);
}

function chooseTitle({ title, blocks }: Draft): string {
  if (!isAddress(title)) return title;
  const headings = blocks.flatMap((block) => block.headings);
  return headings.find((heading) => !isAddress(heading)) ?? '';
}

function toTitle(text: string): string {
  return shorten(text, maxTitleLength);
}

function isContinued(block: DraftBlock, next: DraftBlock): boolean {
  return (
    block.page === next.page &&
    block.text.length + next.text.length <= maxJoinedLength &&
    hasSameHeadings(block, next)
  );
}

export function hasSameHeadings(block: DraftBlock, other: DraftBlock): boolean {
  return (
    block.headings.length === other.headings.length &&
    block.headings.every((heading, index) => heading === other.headings[index])
  );
}

const unspacedPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff9f]/u;

/**
 * What stands between two lines that were one: no space within Chinese and Japanese, but between lines with
 * spaces, as the rows of a table are.
 */
export function gapBetween(line: string, next: string): '' | ' ' {
  if (/\s/u.test(next.trim())) return ' ';
  const sides = [Array.from(line.slice(-2)).at(-1), Array.from(next.slice(0, 2))[0]];
  return sides.every((side = '') => unspacedPattern.test(side)) ? '' : ' ';
}

/** The text that the offsets of blocks and passages refer to. */
export function toPlainText(document: ExtractedDocument): string {
  return document.blocks.map((block) => block.text).join(blockSeparator);
}

export const maxBlockLength = 20_000;

/** Splits endless blocks, such as a file with one line of megabytes, preferably between words. */
export function cutEndless(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > maxBlockLength) {
    const space = text.slice(from, from + maxBlockLength).lastIndexOf(' ');
    let to = from + (space > maxBlockLength / 2 ? space : maxBlockLength);
    const code = text.charCodeAt(to);
    if (code >= 0xdc00 && code <= 0xdfff) to += 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  parts.push(text.slice(from));
  return parts;
}

/** A file or page could not be read or stored. The problem is for the person who added it. */
export class IngestionError extends ProblemError {
  override name = 'IngestionError';
}
