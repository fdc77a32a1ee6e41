import { shorten } from '../../../shared/primitives/text.ts';
import { cutEndless, type Draft, type DraftBlock, maxTitleLength } from '../document.ts';
import { createTable, type Span, type Table } from './tables.ts';

/** Collects a document's blocks under its headings. */
export interface Outline {
  /** What follows is on this page. */
  turnTo(page: number): void;
  heading(level: number, text: string): void;
  /** What follows has no heading of this level (0 if left out) or below, until the next one. */
  leaveHeadings(level?: number): void;
  /** Adds a block under the current headings. Its text stays unchanged. */
  block(text: string): void;
  /** Adds text under the current headings, as several blocks if it is too long for one. */
  paragraph(text: string): void;
  draft(title: string): Draft;
}

/**
 * A heading closes those of its own level and below. A heading without text or lower headings
 * becomes a block itself, because its words would be lost otherwise. The whole of a heading that is
 * too long also becomes a block, below its shortened form.
 */
export function createOutline(): Outline {
  const blocks: DraftBlock[] = [];
  let path: { level: number; text: string }[] = [];
  let first = '';
  let bare = false;
  let page: number | undefined;

  function add(text: string, headings: string[]): void {
    blocks.push({ text, headings, page });
    bare = false;
  }

  function closeBare(level: number): void {
    const last = path.at(-1);
    if (bare && last && last.level >= level) {
      add(
        last.text,
        path.slice(0, -1).map(({ text }) => text),
      );
    }
    bare = false;
  }

  function block(text: string): void {
    if (text.trim() === '') return;
    add(
      text,
      path.map((heading) => heading.text),
    );
  }

  function paragraph(text: string): void {
    for (const piece of cutEndless(text)) block(piece);
  }

  return {
    turnTo(next) {
      page = next;
    },
    leaveHeadings(level = 0) {
      closeBare(level);
      path = path.filter((heading) => heading.level < level);
    },
    heading(level, text) {
      const clean = text.replace(/\s+/gu, ' ').trim();
      if (clean === '') return;
      closeBare(level);
      path = [
        ...path.filter((heading) => heading.level < level),
        { level, text: shorten(clean, maxTitleLength) },
      ];
      if (first === '') first = clean;
      bare = true;
      if (clean.length > maxTitleLength) paragraph(clean);
    },
    block,
    paragraph,
    draft(title) {
      closeBare(0);
      return { title: title === '' ? first : title, blocks };
    },
  };
}

/**
 * The role of a paragraph: a heading of a level (0 is the document's title), a list item, or text.
 */
export type ParagraphRole =
  | { as: 'heading'; level: number }
  | { as: 'item'; depth: number; marker: string }
  | { as: 'text' };

const maxItemDepth = 8;

/**
 * Receives the paragraphs and tables of an office document as they open and close, and collects the text
 * into an outline. Paragraphs can be nested, as in a text box. Those in a table cell become the cell's
 * text. Adjacent items become one list.
 */
export function createFlow(outline: Outline) {
  const paragraphs: string[] = [];
  const tables: Table[] = [];
  let items: string[] = [];

  /** Ends the current list. */
  function end(): void {
    if (items.length > 0) outline.block(items.join('\n'));
    items = [];
  }

  function add(text: string): void {
    const table = tables.at(-1);
    if (table?.inCell()) return table.text(text);
    end();
    outline.paragraph(text);
  }

  return {
    end,
    openParagraph(): void {
      paragraphs.push('');
    },
    text(text: string): void {
      if (paragraphs.length > 0) paragraphs.push((paragraphs.pop() ?? '') + text);
    },
    closeParagraph(role: ParagraphRole): void {
      const text = (paragraphs.pop() ?? '').trim();
      if (text === '') return;
      if (role.as === 'text' || tables.at(-1)?.inCell()) return add(text);
      if (role.as === 'item') {
        const indent = '  '.repeat(Math.min(role.depth, maxItemDepth));
        items.push(`${indent}${role.marker} ${text}`);
        return;
      }
      end();
      outline.heading(role.level, text);
    },
    openTable(): void {
      tables.push(createTable());
    },
    openRow: () => tables.at(-1)?.openRow(),
    openCell: (span?: Span) => tables.at(-1)?.openCell(span),
    merge: (span: Span) => tables.at(-1)?.merge(span),
    closeCell: () => tables.at(-1)?.closeCell(),
    closeTable(): void {
      for (const text of tables.pop()?.blocks() ?? []) add(text);
    },
  };
}
