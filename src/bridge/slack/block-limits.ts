import { columns, scanLines, type Line } from '../conversation/markdown/scan-lines.ts';

/**
 * Slack makes a block of every paragraph, heading, list, quote, table and piece of code in a markdown
 * block, and refuses a message of more than 50 (archestra-ai/archestra#4980). It publishes no rule, so
 * this leaves room for a miscount beside our own small print and two rows of buttons.
 */
const maxBlocks = 42;

/** docs.slack.dev/reference/block-kit/blocks/table-block: rows include the header. */
const maxRows = 100;
const maxColumns = 20;
/** Slack allows 10,000 characters in all tables of a message, and counts an empty cell as one. */
const maxTableLength = 9_500;

/** Whether Slack accepts the blocks that it makes of rendered Markdown, as far as known. */
export function fitsBlocks(rendered: string): boolean {
  const lines = scanLines(rendered);
  return countBlocks(lines) <= maxBlocks && fitsTables(lines);
}

/**
 * Whether a text fits even in the worst case: rendering makes it at most four times as long (`&lt;`),
 * and each line with text one block. Only hosts with letters beyond ASCII may grow more.
 */
export function surelyFits(markdown: string): boolean {
  const isShort = 4 * markdown.length <= maxTableLength;
  if (/https?:/i.test(markdown) && /[^ -~\s]/.test(markdown)) return false;
  return isShort && (markdown.match(/\S.*/g)?.length ?? 0) <= maxBlocks;
}

/** Whether a line belongs to a table with more columns than Slack allows. */
export function isTooWide(line: Line | undefined): boolean {
  return line?.table !== undefined && line.table.columns > maxColumns;
}

/** Whether a line may turn out to be the header of a table that is too wide. */
export function mayBeTooWide(line: Line | undefined): boolean {
  return line?.kind === 'text' && line.text.split('|').length > maxColumns;
}

/** At least as many blocks as CommonMark has on the top level. */
function countBlocks(lines: readonly Line[]): number {
  let count = 0;
  /** The last item of the list that is open on the top level. */
  let last: Line | undefined;
  for (const [index, line] of lines.entries()) {
    if (line.quotes < (last?.quotes ?? 0)) last = undefined;
    const isNested = last?.item !== undefined && indentOf(line) >= last.item.level.content;
    if (line.item && !isNested) {
      if (!continuesList(line, last)) count += 1;
      last = line;
    } else if (!line.item && startsBlock(line, lines[index - 1])) {
      count += 1;
      if (!isNested) last = undefined;
    }
  }
  return count;
}

function continuesList({ item, quotes }: Line, last: Line | undefined): boolean {
  return last?.quotes === quotes && last.item?.level.delimiter === item?.level.delimiter;
}

function startsBlock({ kind, quotes, text }: Line, above: Line | undefined): boolean {
  if (kind === 'heading' || kind === 'rule' || kind === 'fence-open') return true;
  if (kind === 'table-header') return true;
  if (quotes > (above?.quotes ?? 0) || emptyHeading.test(text)) return true;
  if (kind !== 'text' || text === '') return false;
  if (above?.kind !== 'text' || above.quotes !== quotes) return true;
  return emptyHeading.test(above.text);
}

const emptyHeading = /^[ >]*#{1,6}$/;

function indentOf({ item, text }: Line): number {
  return item?.level.indent ?? columns(/^\s*/.exec(text)?.[0] ?? '');
}

function fitsTables(lines: readonly Line[]): boolean {
  let rows = 0;
  let length = 0;
  for (const [index, line] of lines.entries()) {
    if (rows > 0 && isRow(line, lines[index - 1])) rows += 1;
    else if (line.kind === 'table-header') rows = 1;
    else if (line.kind !== 'table-delimiter') rows = 0;
    if (rows > maxRows) return false;
    if (rows > 0) length += line.text.length;
    if (length > maxTableLength) return false;
  }
  return true;
}

/** GFM ends a table only at an empty line or another kind of block. */
function isRow({ kind, text }: Line, above: Line | undefined): boolean {
  if (kind === 'table-delimiter') return above?.kind !== 'table-header';
  return kind === 'table-row' || kind === 'table-header' || (kind === 'text' && text !== '');
}
