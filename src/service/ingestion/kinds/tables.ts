import { IngestionError } from '../document.ts';

const maxCellLength = 600;

export type Table = ReturnType<typeof createTable>;

/** Receives the rows and cells of a table in a page or office document. */
export function createTable() {
  const rows: string[][] = [];
  let cell: string[] | undefined;

  return {
    inCell: () => cell !== undefined,
    openRow(): void {
      rows.push([]);
    },
    openCell(): void {
      cell = [];
    },
    text(text: string): void {
      cell?.push(text);
    },
    closeCell(): void {
      if (rows.length === 0) rows.push([]);
      rows.at(-1)?.push(cell?.join('\n\n') ?? '');
      cell = undefined;
    },
    /** Its text: rows as list items, or the cells one by one if the table is only layout. */
    blocks(): string[] {
      const filled = rows.filter((row) => row.some((cell) => cell !== ''));
      const isLayout =
        filled.every((row) => row.length < 2) ||
        filled.flat().some((cell) => cell.length > maxCellLength);
      return isLayout ? filled.flat().filter((cell) => cell !== '') : toTableBlocks(filled);
    },
  };
}

export const maxColumns = 256;
const maxCells = 1_000_000;

/**
 * Receives the cells of a sheet.
 * @throws {IngestionError} from `cell`, when there are too many
 */
export function createSheet() {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;

  return {
    openRow(): void {
      row = [];
      rows.push(row);
    },
    /**
     * Without a column, the one after the previous cell. Columns beyond `maxColumns` are left out.
     */
    cell(text: string, column = row.length): void {
      if (text === '' || column >= maxColumns) return;
      if (++cells > maxCells) {
        const params = { max: maxCells };
        throw new IngestionError({ code: 'sheet_too_large', params });
      }
      while (row.length < column) row.push('');
      row[column] = text;
    },
    /** The rows that are not empty. */
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

export const rowsPerBlock = 100;

/** The rows of a table as texts; a long one is split, each part with the column names. */
export function toTableBlocks(rows: string[][]): string[] {
  const [header = [], ...body] = rows;
  if (body.length === 0) return [toTableText([header])];
  const texts: string[] = [];
  for (let from = 0; from < body.length; from += rowsPerBlock) {
    texts.push(toTableText([header, ...body.slice(from, from + rowsPerBlock)]));
  }
  return texts;
}

/**
 * A table as a list with an item per row, so that a row can be found and quoted alone: "- Port:
 * 3000" for two columns, "- Port – Default: 3000; Meaning: where it listens" for more. The first
 * row has the column names, which introduce the list: "Name, Default, Meaning:".
 */
export function toTableText(rows: string[][]): string {
  const [header = [], ...body] = rows.map((row) =>
    row.map((cell) => cell.replace(/\s+/gu, ' ').trim()),
  );
  const names = header.filter((cell) => cell !== '');
  if (body.length === 0) return names.join(' – ');
  const items = body.map((row) => toRowText(header, row)).filter((line) => line !== '');
  return [...(names.length > 0 ? [`${names.join(', ')}:`] : []), ...items].join('\n');
}

function toRowText(header: string[], row: string[]): string {
  const [name = '', ...rest] = row;
  const [only] = rest;
  if (name !== '' && rest.length === 1) return only === '' ? `- ${name}` : `- ${name}: ${only}`;
  const from = name === '' ? 0 : 1;
  const cells = row.slice(from).flatMap((cell, index) => {
    const label = header[from + index] ?? '';
    if (cell === '') return [];
    return label === '' ? [cell] : [`${label}: ${cell}`];
  });
  if (cells.length === 0) return name === '' ? '' : `- ${name}`;
  return name === '' ? `- ${cells.join('; ')}` : `- ${name} – ${cells.join('; ')}`;
}
