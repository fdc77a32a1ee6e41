import { sum } from '../../../shared/primitives/iterables.ts';
import { IngestionError } from '../document.ts';

const maxCellLength = 600;
/** How much longer than its own texts a table may become by what its merged cells repeat. */
const maxRepetition = 20;

/** How many columns and rows a merged cell spans. */
export interface Span {
  columns?: number;
  rows?: number;
  /** Whether it is the cell above that spans this row too. */
  isContinued?: boolean;
}

interface Cell extends Span {
  text: string;
}

export type Table = ReturnType<typeof createTable>;

/** How many columns or rows a cell spans, as a file says it. */
export function toSpan(text = '1'): number {
  return Math.max(1, Number.parseInt(text, 10) || 1);
}

/** Receives the rows and cells of a table in a page or office document. */
export function createTable() {
  const rows: Cell[][] = [];
  let cell: string[] | undefined;
  let span: Span = {};

  return {
    inCell: () => cell !== undefined,
    openRow(): void {
      rows.push([]);
    },
    openCell(merged: Span = {}): void {
      cell = [];
      span = merged;
    },
    /** Says that the open cell is merged. */
    merge(merged: Span): void {
      span = { ...span, ...merged };
    },
    text(text: string): void {
      cell?.push(text);
    },
    closeCell(): void {
      if (rows.length === 0) rows.push([]);
      rows.at(-1)?.push({ ...span, text: cell?.join('\n\n') ?? '' });
      cell = undefined;
    },
    /**
     * Its text: rows as list items, or the cells one by one if the table is only layout. Rows of one
     * cell at the beginning are its title.
     */
    blocks(): string[] {
      const texts = rows.flatMap((row) => row.map(({ text }) => text)).filter(Boolean);
      if (texts.some((text) => text.length > maxCellLength)) return texts;
      const filled = toGrid(rows).filter((_, index) =>
        rows[index]?.some(({ text }) => text !== ''),
      );
      const first = filled.findIndex((row) => row.length > 1);
      if (first === -1) return texts;
      return [...filled.slice(0, first).flat(), ...toTableBlocks(filled.slice(first))];
    },
  };
}

export const maxColumns = 256;

/**
 * The texts of the cells, each in its own column: that of a merged cell is in every place it spans. A
 * cell that is alone in its row is a title, which is not repeated.
 */
function toGrid(rows: Cell[][]): string[][] {
  let left = maxRepetition * sum(rows.flat().map(({ text }) => text.length + 1));
  /** The last cell of each column, and the last row that it spans. */
  const above: { text: string; last: number }[] = [];
  const maySpend = ({ length }: string): boolean => (left -= length + 1) >= 0;

  return rows.map((cells, index) => {
    const row: string[] = [];
    const takeFromAbove = (): void => {
      for (;;) {
        const cell = above[row.length];
        if (!cell || cell.last < index || !maySpend(cell.text)) return;
        row.push(cell.text);
      }
    };
    for (const cell of cells) {
      takeFromAbove();
      const { columns = 1, rows = 1, isContinued = false } = cell;
      const isTitle = cells.length === 1 && row.length === 0;
      const end = isTitle ? 1 : Math.min(row.length + columns, maxColumns);
      const over = isContinued ? above[row.length]?.text : undefined;
      const text = over !== undefined && maySpend(over) ? over : cell.text;
      do {
        above[row.length] = { text, last: index + rows - 1 };
        row.push(text);
      } while (row.length < end && maySpend(text));
    }
    if (cells.length > 0) takeFromAbove();
    return row;
  });
}

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
