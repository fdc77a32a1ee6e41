import { CsvError, parse } from 'csv-parse/sync';
import type { Draft } from '../document.ts';
import { rowsPerBlock, toTableText } from './tables.ts';

const separators = [',', ';', '\t', '|'];
/** Excel's line that names the separator. */
const separatorPattern = /^\n*"?sep=([^"\n])"?\n/iu;
/** A cell in quotes, with what is before it. Other quotes, such as of inches, are normal characters. */
const quotedPattern = /(^|[,;\t|])"[^"]*(?:""[^"]*)*"/gu;

/**
 * A table of values. The first row names the columns; the separator is the one that the file names, or
 * the most frequent one of that row. If a quote is never closed, quotes are normal characters.
 */
export function fromCsv(text: string): Draft {
  const [line = '', named] = separatorPattern.exec(text) ?? [];
  const table = text.slice(line.length).replace(/^\n+/u, '');
  const separator = named ?? findSeparator(table.split('\n', 1)[0] ?? '');
  const texts = toTexts(table, separator, '"') ?? toTexts(table, separator, false) ?? [];
  return { title: '', blocks: texts.map((text) => ({ text, headings: [] })) };
}

function findSeparator(row: string): string {
  const unquoted = row.replace(quotedPattern, '$1');
  const [most = ','] = separators.toSorted(
    (one, other) => unquoted.split(other).length - unquoted.split(one).length,
  );
  return most;
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
