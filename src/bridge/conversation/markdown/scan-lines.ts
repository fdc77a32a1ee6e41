import { createFormulaReader, type FormulaLine } from './formulas.ts';

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
type LinesAbove = Pick<Line, 'lists'> & Partial<Line>;

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

/** Fenced code, with the lines that close it in one message and open it again in the next. */
interface Fence {
  opening: string;
  closing: string;
  /** The run of backticks or tildes. */
  marker: string;
  /** How many quote marks precede each line; a line with fewer ends the code. */
  quotes: number;
  indent: number;
}

const openingLine =
  /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?![ \t]))?)([ \t]*)(?:(`{3,32})(?!`)[^`]*|(~{3,32})(?!~).*)$/;
const closingLine = /^([ \t]*)(`+|~+)$/;

/** Reads a line, without its quote marks, as the start of fenced code. */
function readFence(line: string, quote: string, insideList: boolean): Fence | undefined {
  const match = openingLine.exec(line);
  if (!match) return undefined;
  const [, item = '', space = '', backticks, tildes] = match;
  if (columns(space) > 3 && !insideList) return undefined;
  const marker = backticks ?? tildes ?? '';
  const indent = ' '.repeat(item.length) + space;
  return {
    opening: quote + indent + line.slice(item.length + space.length),
    closing: quote + indent + marker,
    marker,
    quotes: countQuotes(quote),
    indent: columns(indent),
  };
}

function closesFence(line: string, fence: Fence): boolean {
  const [, space = '', run] = closingLine.exec(line) ?? [];
  return run !== undefined && run.startsWith(fence.marker) && columns(space) <= fence.indent + 3;
}

function countQuotes(quote: string): number {
  return quote === '' ? 0 : quote.replaceAll(' ', '').length;
}

/** An open list: where its items start, and the correct number of its next item. */
export interface ListLevel {
  /** Columns before the marker. */
  indent: number;
  /** Columns before the item's text. */
  content: number;
  /** The bullet, or the character after the number. */
  delimiter: string;
  /** Only in ordered lists. */
  next?: number;
}

/** A list item, as read from its first line. */
interface Item {
  /** Its list, as it is after this item. */
  level: ListLevel;
  /** The same list as it was before this item, unless the item starts it. */
  continued?: ListLevel;
  /** The lists it is nested in, outermost first. */
  parents: readonly ListLevel[];
  /** Characters before its number or bullet. */
  marker: number;
  /** Characters before its text. */
  content: number;
  /** The number as written, and the correct one. */
  number?: { written: string; right: number };
}

const itemStart = /^([ \t]*)([-*+]|(\d{1,9})([.)]))([ \t]+)(?=\S)/;

/** Reads a line as a list item below `lists`. An item without text does not count yet. */
function readItem(line: string, lists: readonly ListLevel[]): Item | undefined {
  const match = itemStart.exec(line);
  if (!match) return undefined;
  const [whole, space = '', marker = '', digits, delimiter = marker] = match;
  const indent = columns(space);
  const parents = levelsAround(indent, lists);
  const before = lists[parents.length];
  const continued = before?.delimiter === delimiter ? before : undefined;
  const level: ListLevel = { indent, content: columns(whole), delimiter };
  const item: Item = { level, parents, marker: space.length, content: whole.length };
  if (continued) item.continued = continued;
  if (digits === undefined) return item;
  const right = Math.max(Number(digits), continued?.next ?? 0);
  return { ...item, level: { ...level, next: right + 1 }, number: { written: digits, right } };
}

/** The lists that contain a block with this indentation. */
function levelsAround(indent: number, lists: readonly ListLevel[]): readonly ListLevel[] {
  const outside = lists.findIndex((level) => indent < Math.min(level.content, level.indent + 2));
  return outside === -1 ? lists : lists.slice(0, outside);
}

/** The width of a line's indentation; a tab reaches to the next multiple of four. */
export function columns(text: string): number {
  let width = 0;
  for (const character of text) width += character === '\t' ? 4 - (width % 4) : 1;
  return width;
}

/** The two lines that make the lines below them a table, as GFM has it. */
interface TableHead {
  header: string;
  delimiter: string;
  columns: number;
  /** Whether its header begins with a pipe: then a line without any is no row. */
  piped: boolean;
}

const delimiterLine = /^\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*(?::?-+:?)?$/;
const otherBlock = /^ {0,3}(?:>|#{1,6}[ \t]|`{3}|~{3})/;

/** Whether `line`, below `header`, makes a table of both. */
function isDelimiterOf(header: string, line: string): boolean {
  if (!header.includes('|') || !line.includes('-') || !delimiterLine.test(line.trim()))
    return false;
  return readCells(header).length === readCells(line).length;
}

/** Whether a line goes on with the table above it. */
function isRowOf(table: TableHead, line: string): boolean {
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
