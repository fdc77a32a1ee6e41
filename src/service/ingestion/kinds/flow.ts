import type { Outline } from './headings.ts';
import { createTable, type Table } from './table.ts';
import { cutEndless } from './text.ts';

/**
 * The role of a paragraph: a heading of a level (0 is the document's title), a list item, or text.
 */
export type ParagraphRole =
  | { as: 'heading'; level: number }
  | { as: 'item'; depth: number; marker: string }
  | { as: 'text' };

/** Receives the paragraphs and tables of an office document as they open and close. */
export interface Flow {
  openParagraph(): void;
  text(text: string): void;
  closeParagraph(role: ParagraphRole): void;
  openTable(): void;
  openRow(): void;
  openCell(): void;
  closeCell(): void;
  closeTable(): void;
  /** Ends the current list. */
  end(): void;
}

const maxItemDepth = 8;

/**
 * Collects the text into an outline. Paragraphs can be nested, as in a text box. Those in a table
 * cell become the cell's text. Adjacent items become one list.
 */
export function createFlow(outline: Outline): Flow {
  const paragraphs: string[] = [];
  const tables: Table[] = [];
  let items: string[] = [];

  function end(): void {
    if (items.length > 0) outline.block(items.join('\n'));
    items = [];
  }

  function add(text: string): void {
    const table = tables.at(-1);
    if (table?.inCell()) return table.text(text);
    end();
    for (const piece of cutEndless(text)) outline.block(piece);
  }

  return {
    end,
    openParagraph() {
      paragraphs.push('');
    },
    text(text) {
      if (paragraphs.length > 0) paragraphs.push((paragraphs.pop() ?? '') + text);
    },
    closeParagraph(role) {
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
    openTable() {
      tables.push(createTable());
    },
    openRow: () => tables.at(-1)?.openRow(),
    openCell: () => tables.at(-1)?.openCell(),
    closeCell: () => tables.at(-1)?.closeCell(),
    closeTable() {
      for (const text of tables.pop()?.blocks() ?? []) add(text);
    },
  };
}
