import { renderTokens, type InlineToken } from './inline-tokens.ts';
import { scanLines, readCells } from './scan-lines.ts';

/** Max width of a table, in cells, unless it has very many columns. */
const tableWidth = 76;
/** A table with more columns is left as it is: aligned, nobody could read it either. */
const maxColumns = 24;
/** No column is made narrower than this to give others room. */
const minColumn = 8;
const gap = '  ';
const escaped = /\\(?=[\\`*_{}[\]()#+.!|~<>-])/;
const lineBreak = /<br\s*\/?>/i;

/**
 * Turns pipe tables into fenced text with aligned columns, for platforms that show no tables. Long
 * cells wrap. As nothing is formatted in a fence, marks are left out of cells and the links they
 * held follow below the table. Tables in fenced code and in quotes stay as they are.
 */
export function fenceTables(markdown: string): string {
  if (!markdown.includes('|')) return markdown;
  let result = '';
  let copied = 0;
  let table: string[] = [];
  let tableEnd = 0;

  function flush(): void {
    if (table.length > 0) result += renderTable(table);
    table = [];
    copied = Math.max(copied, tableEnd);
  }

  for (const { kind, start, end, text } of scanLines(markdown)) {
    if (kind === 'table-header' || !kind.startsWith('table')) flush();
    if (kind === 'table-header') result += markdown.slice(copied, start);
    if (!kind.startsWith('table')) continue;
    table.push(text);
    tableEnd = end;
  }
  flush();
  return result + markdown.slice(copied);
}

function renderTable(lines: readonly string[]): string {
  const [header = [], delimiter = [], ...body] = lines.map(readCells);
  if (header.length > maxColumns) return lines.join('\n');
  const links: string[] = [];
  const rows = [header, ...body].map((cells) =>
    header.map((_, column) => {
      const cell = renderCell(cells[column] ?? '');
      links.push(...cell.links);
      return cell.lines;
    }),
  );
  const widths = fitWidths(
    header.map((_, column) =>
      Math.max(1, ...rows.map((row) => Math.max(...(row[column] ?? ['']).map(displayWidth)))),
    ),
  );
  const [top = '', ...rest] = rows.map((row) => renderRow(row, widths, delimiter));
  const rule = widths.map((width) => '-'.repeat(width)).join(gap);
  const text = [top, rule, ...rest].join('\n');
  const maxRun = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(maxRun + 1);
  const below = links.length > 0 ? `\n${links.join(' · ')}` : '';
  return `${fence}\n${text}\n${fence}${below}`;
}

/** Narrows the widest columns until all fit in `tableWidth`. */
function fitWidths(natural: readonly number[]): number[] {
  const room = tableWidth - gap.length * (natural.length - 1);
  let widest = room;
  const fitted = () => natural.map((width) => Math.min(width, widest));
  while (widest > minColumn && fitted().reduce((sum, width) => sum + width, 0) > room) widest -= 1;
  widest = Math.max(widest, minColumn);
  return fitted();
}

/** A row on as many lines as its tallest cell takes. */
function renderRow(
  cells: readonly string[][],
  widths: readonly number[],
  delimiter: readonly string[],
): string {
  const wrapped = cells.map((lines, column) =>
    lines.flatMap((line) => wrapText(line, widths[column] ?? minColumn)),
  );
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    widths
      .map((width, column) => align(wrapped[column]?.[index] ?? '', width, delimiter[column] ?? ''))
      .join(gap)
      .trimEnd(),
  ).join('\n');
}

/** Pads to `width` cells, on the side that a delimiter such as `--:` or `:-:` says. */
function align(text: string, width: number, delimiter: string): string {
  const space = Math.max(0, width - displayWidth(text));
  const right = delimiter.endsWith(':');
  const before = right ? (delimiter.startsWith(':') ? Math.floor(space / 2) : space) : 0;
  return ' '.repeat(before) + text + ' '.repeat(space - before);
}

/**
 * A table's cell as plain text, a line for each `<br>`: marks of emphasis, strike and code are left
 * out, formulas stay, links become their text. `links` are the links as they were written.
 */
function renderCell(cell: string): { lines: string[]; links: string[] } {
  const links: string[] = [];
  const token = ({ kind, span, start, end }: InlineToken) => {
    if (kind === 'address' || kind === 'formula') return undefined;
    if (kind === 'code') return cell.slice(span.content, span.contentEnd).trim();
    if (kind === 'escape') return cell.slice(start, end).replace(escaped, '');
    if (kind === 'open' && span.kind === 'link') links.push(cell.slice(span.start, span.end));
    return '';
  };
  const text = renderTokens(cell, { token, text: (plain) => plain });
  const lines = text.replaceAll('\\|', '|').split(lineBreak);
  return { lines: lines.map((line) => line.trim()), links };
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const wide =
  /^(?:\p{Emoji_Presentation}|\p{RI}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Bopomofo}|[\u3000-\u303E\u30A0-\u30FF\u31F0-\u31FF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6])|\uFE0F/u;
const ascii = /^[ -~]*$/;
const invisible = /^[\p{M}\p{Cf}\p{Cc}]*$/u;

/** The cells a terminal or a code block gives a text: two to East Asian wide characters and emoji. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += clusterWidth(segment);
  return width;
}

/** Breaks a text into lines of at most `width` cells, at spaces where there are any. */
function wrapText(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(/(?<= )/)) {
    const line = lines.at(-1) ?? '';
    if (displayWidth(line + word.trimEnd()) <= width) lines.splice(-1, 1, line + word);
    else if (displayWidth(word.trimEnd()) <= width) lines.push(word);
    else lines.push(...breakWord(word, width));
  }
  const filled = lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  return filled.length > 0 ? filled : [''];
}

function breakWord(word: string, width: number): string[] {
  const lines: string[] = [];
  let left = 0;
  for (const { segment } of graphemes.segment(word)) {
    const cells = clusterWidth(segment);
    if (cells > left) {
      lines.push('');
      left = width;
    }
    lines.splice(-1, 1, (lines.at(-1) ?? '') + segment);
    left -= cells;
  }
  return lines;
}

function clusterWidth(cluster: string): number {
  if (invisible.test(cluster)) return 0;
  return wide.test(cluster) ? 2 : 1;
}
