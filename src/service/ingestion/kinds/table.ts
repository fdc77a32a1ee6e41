import { toTableBlocks } from './tables.ts';

const maxCellLength = 600;

/** A table of a page or an office document, as its rows and cells come by. */
export interface Table {
  inCell(): boolean;
  openRow(): void;
  openCell(): void;
  text(text: string): void;
  closeCell(): void;
  /** Its text: rows as list items, or the cells one by one where the table only lays out the page. */
  blocks(): string[];
}

export function createTable(): Table {
  const rows: string[][] = [];
  let cell: string[] | undefined;

  return {
    inCell: () => cell !== undefined,
    openRow() {
      rows.push([]);
    },
    openCell() {
      cell = [];
    },
    text(text) {
      cell?.push(text);
    },
    closeCell() {
      if (rows.length === 0) rows.push([]);
      rows.at(-1)?.push(cell?.join('\n\n') ?? '');
      cell = undefined;
    },
    blocks() {
      const filled = rows.filter((row) => row.some((cell) => cell !== ''));
      const isLayout =
        filled.every((row) => row.length < 2) ||
        filled.flat().some((cell) => cell.length > maxCellLength);
      return isLayout ? filled.flat().filter((cell) => cell !== '') : toTableBlocks(filled);
    },
  };
}
