import { closesFence, countQuotes, readFence, type Fence } from './fences.ts';
import { columns, levelsAround, readItem, type Item, type ListLevel } from './list-levels.ts';
import { createFormulaReader, type FormulaLine } from './formulas.ts';
import { isDelimiterOf, isRowOf, readCells, type TableHead } from './table-rows.ts';

/** A line of Markdown from `start` to `end`, its line feed not included. */
export interface Line {
  kind:
    | 'blank'
    | 'text'
    | 'heading'
    | 'item'
    | 'rule'
    | 'fence-open'
    | 'code'
    | 'fence-close'
    | 'table-header'
    | 'table-delimiter'
    | 'table-row';
  start: number;
  end: number;
  /** Where its text begins, behind quote marks, list marker and heading signs. */
  content: number;
  /** The line itself, without white space at its end. */
  text: string;
  /** On every line of fenced code. */
  fence?: Fence;
  /** On every line of a table. */
  table?: TableHead;
  /** On every line of a formula that stands by itself; the line's kind is what it would be without. */
  formula?: FormulaLine;
  item?: Item;
  /** Of a heading, from 1 to 6. */
  level?: number;
  /** Quote marks before its text. */
  quotes: number;
  /** The lists that are open behind this line, outermost first. */
  lists: readonly ListLevel[];
}

/** What is known where a text begins: the line above it, or the lists that are open there. */
export type LinesAbove = Pick<Line, 'lists'> & Partial<Line>;

type Reading = Omit<Line, 'start' | 'end' | 'text' | 'lists' | 'quotes'> & {
  lists?: readonly ListLevel[];
};

const quoteMarks = /^(?: {0,3}> ?)*/;
const headingSigns = /^ {0,3}#{1,6}[ \t]+(?=\S)/;
const markers = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*/;
const thematicBreak = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;

/**
 * Reads Markdown line by line, as far as splitting and closing it need: fenced code, pipe tables,
 * lists, headings and formulas. Follows CommonMark and GFM, but is as lenient as chat platforms are
 * where a nested item or fence is not indented as far as it should be. Takes time linear in the
 * length of `markdown`: a text that grows can be read on from `above`, the line that was read last.
 */
export function scanLines(markdown: string, above: LinesAbove = { lists: [] }): Line[] {
  const lines: Line[] = [];
  const readFormula = createFormulaReader();
  for (let start = 0; start <= markdown.length;) {
    const feed = markdown.indexOf('\n', start);
    const end = feed === -1 ? markdown.length : feed;
    const text = markdown.slice(start, end).trimEnd();
    const before = lines.at(-1) ?? above;
    const quote = quoteMarks.exec(text)?.[0] ?? '';
    const reading = readLine(text, quote, before);
    const { kind, fence, table, item, level, lists = before.lists } = reading;
    const content = start + reading.content;
    const quotes = countQuotes(quote);
    const line: Line = {
      kind,
      start,
      end,
      content,
      text,
      fence,
      table,
      item,
      level,
      quotes,
      lists,
    };
    const header = lines.at(-1);
    if (line.kind === 'table-delimiter' && header) {
      header.kind = 'table-header';
      header.table = line.table;
    }
    lines.push(line);
    readFormula(lines, feed === -1);
    start = end + 1;
  }
  return lines;
}

function readLine(text: string, quote: string, before: LinesAbove): Reading {
  const { lists } = before;
  const content = quote.length;
  const open = before.kind === 'fence-close' ? undefined : before.fence;
  if (open && countQuotes(quote) >= open.quotes) {
    const closes = closesFence(open.quotes > 0 ? text.slice(content) : text, open);
    return { kind: closes ? 'fence-close' : 'code', content: 0, fence: open };
  }

  const inner = text.slice(content);
  if (inner === '') return { kind: 'blank', content };
  const table = quote === '' && readTableLine(text, before);
  if (table) return { ...table, content, lists: [] };

  const outside = levelsAround(columns(/^\s*/.exec(inner)?.[0] ?? ''), lists);
  const item = thematicBreak.test(inner) ? undefined : readItem(inner, lists);
  const fence = readFence(inner, quote, lists.length > 0);
  const around = item ? { item, lists: [...item.parents, item.level] } : { lists: outside };
  if (fence) return { kind: 'fence-open', content, fence, ...around };
  if (item) return { kind: 'item', content: content + item.content, ...around };
  if (thematicBreak.test(inner)) return { kind: 'rule', content, ...around };
  const signs = headingSigns.exec(inner);
  if (signs) {
    const level = signs[0].trim().length;
    return { kind: 'heading', content: content + signs[0].length, level, ...around };
  }
  return before.kind === 'blank' ? { kind: 'text', content, ...around } : { kind: 'text', content };
}

function readTableLine(text: string, before: LinesAbove): Pick<Line, 'kind' | 'table'> | undefined {
  const { kind, text: header = '' } = before;
  if (kind === 'text' && isDelimiterOf(header, text)) {
    const { length: columns } = readCells(header);
    const piped = header.trimStart().startsWith('|');
    return { kind: 'table-delimiter', table: { header, delimiter: text, columns, piped } };
  }
  const table = kind === 'table-delimiter' || kind === 'table-row' ? before.table : undefined;
  return table && isRowOf(table, text) ? { kind: 'table-row', table } : undefined;
}

/** How many characters of a line are quote marks and list markers, nested ones and those in another. */
export function countMarkers(line: string): number {
  return markers.exec(line)?.[0].length ?? 0;
}

/** Whether a line holds text in which inline marks count: a paragraph's, an item's, a heading's. */
export function isProse({ kind }: Line): boolean {
  return kind === 'text' || kind === 'item' || kind === 'heading';
}
