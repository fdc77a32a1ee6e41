/** The two lines that make the lines below them a table, as GFM has it. */
export interface TableHead {
  header: string;
  delimiter: string;
  columns: number;
  /** Whether its header begins with a pipe: then a line without any is no row. */
  piped: boolean;
}

const delimiterLine = /^\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*(?::?-+:?)?$/;
const otherBlock = /^ {0,3}(?:>|#{1,6}[ \t]|`{3}|~{3})/;

/** Whether `line`, below `header`, makes a table of both. */
export function isDelimiterOf(header: string, line: string): boolean {
  if (!header.includes('|') || !line.includes('-') || !delimiterLine.test(line.trim()))
    return false;
  return readCells(header).length === readCells(line).length;
}

/** Whether a line goes on with the table above it. */
export function isRowOf(table: TableHead, line: string): boolean {
  if (otherBlock.test(line)) return false;
  return line.includes('|') || !table.piped;
}

/** The cells of a row, trimmed, as they are written. A pipe inside a cell has a backslash before it. */
export function readCells(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** Whether a line that is still being written may yet make a table of itself and the line above. */
export function mayBeDelimiterOf(header: string, line: string): boolean {
  return header.includes('|') && /^[\s|:-]+$/.test(line);
}
