import { toTableBlocks } from './tables.ts';

const maxCellLength = 600;

/** Receives the rows and cells of a table in a page or office document. */
export interface Table {
  inCell(): boolean;
  openRow(): void;
  openCell(): void;
  text(text: string): void;
  closeCell(): void;
  /** Its text: rows as list items, or the cells one by one if the table is only layout. */
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
