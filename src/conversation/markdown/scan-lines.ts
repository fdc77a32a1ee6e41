import { closesFence, countQuotes, readFence, type Fence } from './fences.ts';
import { columns, levelsAround, readItem, type Item, type ListLevel } from './list-levels.ts';
import { isDelimiterOf, isRowOf, type TableHead } from './table-rows.ts';

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
  item?: Item;
  /** The lists that are open behind this line, outermost first. */
  lists: readonly ListLevel[];
}

type Reading = Omit<Line, 'start' | 'end' | 'text' | 'lists'> & { lists?: readonly ListLevel[] };

const quoteMarks = /^(?: {0,3}> ?)*/;
const headingSigns = /^ {0,3}#{1,6}[ \t]+(?=\S)/;
const thematicBreak = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;

/**
 * Reads Markdown line by line, as far as splitting and closing it need: fenced code, pipe tables,
 * lists and headings. Follows CommonMark and GFM, but is as lenient as chat platforms are where a
 * nested item or fence is not indented as far as it should be. `lists` are the lists that are open
 * before the first line. Takes time linear in the length of `markdown`.
 */
export function scanLines(markdown: string, lists: readonly ListLevel[] = []): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= markdown.length;) {
    const feed = markdown.indexOf('\n', start);
    const end = feed === -1 ? markdown.length : feed;
    const text = markdown.slice(start, end).trimEnd();
    const before = lines.at(-1);
    const open = before?.lists ?? lists;
    const reading = readLine(text, before, open);
    const line = { lists: open, ...reading, text, start, end, content: start + reading.content };
    if (line.kind === 'table-delimiter' && before && line.table) {
      before.kind = 'table-header';
      before.table = line.table;
    }
    lines.push(line);
    start = end + 1;
  }
  return lines;
}

function readLine(text: string, before: Line | undefined, lists: readonly ListLevel[]): Reading {
  const quote = quoteMarks.exec(text)?.[0] ?? '';
  const content = quote.length;
  const open = before?.kind === 'fence-close' ? undefined : before?.fence;
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
  if (signs) return { kind: 'heading', content: content + signs[0].length, ...around };
  return before?.kind === 'blank'
    ? { kind: 'text', content, ...around }
    : { kind: 'text', content };
}

function readTableLine(
  text: string,
  before: Line | undefined,
): Pick<Line, 'kind' | 'table'> | undefined {
  if (before?.kind === 'text' && isDelimiterOf(before.text, text)) {
    return { kind: 'table-delimiter', table: { header: before.text, delimiter: text } };
  }
  const table =
    before?.kind === 'table-delimiter' || before?.kind === 'table-row' ? before.table : undefined;
  return table && isRowOf(table, text) ? { kind: 'table-row', table } : undefined;
}

/** Whether a line holds text in which inline marks count: a paragraph's, an item's, a heading's. */
export function isProse({ kind }: Line): boolean {
  return kind === 'text' || kind === 'item' || kind === 'heading';
}
