import { CsvError, parse } from 'csv-parse/sync';
import type { Draft } from '../document.ts';
import { rowsPerBlock, toTableText } from './tables.ts';

const separators = [',', ';', '\t', '|'];

/**
 * A table of values. The first row names the columns; the separator is the most frequent one. If a
 * quote is never closed, quotes are normal characters.
 */
export function fromCsv(text: string): Draft {
  const firstLine = text.split('\n', 1)[0] ?? '';
  const [separator = ','] = separators.toSorted(
    (one, other) => firstLine.split(other).length - firstLine.split(one).length,
  );
  const texts = toTexts(text, separator, '"') ?? toTexts(text, separator, false) ?? [];
  return { title: '', blocks: texts.map((text) => ({ text, headings: [] })) };
}

/** Rows become text one by one, because all cells of a long table would fill the memory. */
function toTexts(text: string, delimiter: string, quote: '"' | false): string[] | undefined {
  const texts: string[] = [];
  let header: string[] | undefined;
  let rows: string[][] = [];

  function take(row: string[]): null {
    if (header === undefined) header = row;
    else if (rows.push(row) === rowsPerBlock) flush();
    return null;
  }
  function flush(): void {
    texts.push(toTableText([header ?? [], ...rows]));
    rows = [];
  }

  try {
    parse(text, {
      delimiter,
      quote,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      on_record: take,
    });
  } catch (error) {
    if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED') return undefined;
    throw error;
  }
  if (rows.length > 0 || texts.length === 0) flush();
  return texts;
}
