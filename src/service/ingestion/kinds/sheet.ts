import { IngestionError } from '../ingestion-error.ts';
import { toTableBlocks } from './tables.ts';

export const maxColumns = 256;
const maxCells = 1_000_000;

/** Receives the cells of a sheet. */
export interface Sheet {
  openRow(): void;
  /**
   * Without a column, the one after the previous cell. Columns beyond `maxColumns` are left out.
   */
  cell(text: string, column?: number): void;
  /** The rows that are not empty. */
  rows(): string[][];
}

/** @throws {IngestionError} from `cell`, when there are too many */
export function createSheet(): Sheet {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;

  return {
    openRow() {
      row = [];
      rows.push(row);
    },
    cell(text, column = row.length) {
      if (text === '' || column >= maxColumns) return;
      if (++cells > maxCells) {
        const params = { max: maxCells };
        throw new IngestionError({ code: 'sheet_too_large', params });
      }
      while (row.length < column) row.push('');
      row[column] = text;
    },
    rows: () => rows.filter((row) => row.some((cell) => cell !== '')),
  };
}

/**
 * The sheet as texts: what is above its table unchanged, then the table row by row. The table
 * starts at the first row with more than one cell, which names the columns.
 */
export function toSheetBlocks(rows: string[][]): string[] {
  const first = rows.findIndex((row) => row.filter((cell) => cell !== '').length > 1);
  const above = (first === -1 ? rows : rows.slice(0, first)).map((row) => row.join(' ').trim());
  const table = first === -1 ? [] : rows.slice(first).map(withoutEmptyBegin(rows.slice(first)));
  return [
    ...(above.length > 0 ? [above.join('\n')] : []),
    ...(table.length > 0 ? toTableBlocks(table) : []),
  ];
}

/** Removes leading columns that are empty in every row, as in a table that starts at B3. */
function withoutEmptyBegin(rows: string[][]): (row: string[]) => string[] {
  const begins = rows.map((row) => row.findIndex((cell) => cell !== ''));
  const begin = begins.reduce((least, each) => Math.min(least, each), maxColumns);
  return (row) => row.slice(begin);
}
