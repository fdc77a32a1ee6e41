import type { MessageLimits } from '../thread.ts';
import { isProse, scanLines, type Line, mayBeDelimiterOf, readCells } from './scan-lines.ts';
import { looksLikeAddress } from './link-host.ts';
import { scanInline, type OpenMark } from './scan-inline.ts';

/** Max characters that `closeMarkdown` adds, besides the line that closes fenced code. */
export const closingRoom = 32;

/** Limits by which what `closeMarkdown` makes of a text fits where the text does. */
export function leaveClosingRoom({ fits }: MessageLimits): MessageLimits {
  const room = `\n\n${'x'.repeat(closingRoom)}`;
  return { fits: (markdown) => fits(markdown + room) };
}

/** What begins an item, a heading, a quote or the line under a heading, without any text yet. */
const bareMarker = /^[ \t>]*(?:[-*+]|[-=]{1,2}|#{1,6}|>)$/;
const bareNumber = /^[ \t>]*\d{1,9}[.)]$/;
const bareTask = /^\[[ xX]?\]?$/;

/** Longer text without an empty line is left as it is: it is split before it is shown. */
const maxProse = 20_000;

/** Max rounds: removing one mark may expose another. */
const maxRounds = 8;

/**
 * Closes Markdown that is still being written, so that no raw marks are shown: closes fenced code,
 * code spans, emphasis and the last row of a table; shows a half link or image as its text, unless that
 * may pass for another address; leaves out what means nothing yet, such as a list marker without text,
 * the opening line of a fence or a table's header before the row of dashes. Finished Markdown is
 * returned as it is, and so is what was closed before. The result may be empty.
 */
export function closeMarkdown(markdown: string): string {
  let shown = markdown;
  for (let round = 0; round < maxRounds; round += 1) {
    const closed = closeEnd(shown);
    if (closed === shown) break;
    shown = closed;
  }
  return shown;
}

function closeEnd(markdown: string): string {
  const lines = scanLines(markdown);
  let shown = markdown;
  for (;;) {
    const { closed, keep } = closeLastBlock(shown, lines);
    if (closed !== undefined) return closed;
    shown = shown.slice(0, lines[keep]?.start);
    lines.length = keep;
  }
}

/**
 * The text with its last block closed or, if that block must be left out, how many lines to keep.
 */
type Closing = { closed: string; keep?: never } | { closed?: never; keep: number };

function closeLastBlock(shown: string, lines: readonly Line[]): Closing {
  const index = lines.findLastIndex(({ text }) => text !== '');
  const line = lines[index];
  if (!line) return { closed: shown };
  if (line.kind === 'fence-open') return { keep: index };
  if (lines.at(-1)?.kind === 'code') return { closed: completeFence(shown, lines) };
  const ended = /\n[^\n]*\n/.test(shown.slice(line.end));
  if (ended) return { closed: shown };
  const keep = countMeaningful(lines, index);
  if (keep <= index) return { keep };
  if (line.kind === 'table-row') return { closed: closeRow(shown, line) };
  return isProse(line) ? closeProse(shown, lines, index) : { closed: shown };
}

/** How many of the lines up to `index`, the last that is not blank, can be shown. */
function countMeaningful(lines: readonly Line[], index: number): number {
  const line = lines[index];
  const above = lines[index - 1];
  if (!line) return index;
  if (line.kind === 'table-row') return line.text.trim() === '|' ? index : index + 1;
  if (line.kind === 'item') {
    const content = line.text.slice(line.content - line.start);
    return bareTask.test(content) ? index : index + 1;
  }
  if (line.kind !== 'text' && line.kind !== 'blank') return index + 1;
  if (bareMarker.test(line.text)) return index;
  const begins = above === undefined || above.kind === 'blank' || line.lists.length > 0;
  if (bareNumber.test(line.text) && begins) return index;
  if (above?.kind === 'text' && mayBeDelimiterOf(above.text, line.text)) {
    return startsWithPipe(above) ? index - 1 : index;
  }
  return startsWithPipe(line) && !startsWithPipe(above) ? index : index + 1;
}

function startsWithPipe(line: Line | undefined): boolean {
  return line?.kind === 'text' && line.text.trimStart().startsWith('|');
}

function closeProse(shown: string, lines: readonly Line[], index: number): Closing {
  let first = index;
  while (lines[first]?.kind === 'text' && isParagraph(lines[first - 1])) first -= 1;
  const start = lines[first]?.content ?? 0;
  const text = shown.slice(start).trimEnd();
  if (text.length > maxProse) return { closed: shown };
  const closed = closeInline(text);
  if (closed === text) return { closed: shown };
  if (closed === '') return { keep: first };
  return { closed: shown.slice(0, start) + closed + shown.slice(start + text.length) };
}

function isParagraph(line: Line | undefined): boolean {
  return line?.kind === 'text' || line?.kind === 'item';
}

/** Closes the last cell of a row, and the row where its table's header is closed by a pipe. */
function closeRow(shown: string, line: Line): string {
  const row = shown.slice(0, line.end).trimEnd();
  if (/(?<!\\)\|$/.test(row)) return shown;
  const cell = readCells(line.text).at(-1) ?? '';
  const before = row.slice(0, row.length - cell.length);
  const closed = closeInline(cell);
  const piped = line.table?.header.endsWith('|') ? ' |' : '';
  const end = closed === '' ? before.trimEnd() : before + closed + piped;
  return end === row ? shown : end + shown.slice(row.length);
}

/** Closes fenced code that is open at the end of `markdown`, whose lines `lines` are. */
export function closeFence(markdown: string, lines: readonly Line[]): string {
  const last = lines.at(-1);
  if (last?.kind !== 'code' || !last.fence) return markdown;
  return `${markdown}${markdown.endsWith('\n') ? '' : '\n'}${last.fence.closing}`;
}

/** The same for code that still grows: a last line that may become the closing one is taken for it. */
export function completeFence(markdown: string, lines: readonly Line[]): string {
  const last = lines.at(-1);
  if (last?.kind !== 'code' || !last.fence) return markdown;
  const bare = markdown.slice(last.start).replaceAll(/\s/g, '');
  const begun = bare !== '' && last.fence.closing.replaceAll(/\s/g, '').startsWith(bare);
  return begun ? markdown.slice(0, last.start) + last.fence.closing : closeFence(markdown, lines);
}

/** Max text of an unfinished link; with a longer text, the bracket is shown. */
const maxLinkText = 200;
/** Citations: their number means nothing until its bracket closes. */
const halfCitation = /^\^?[\d.]*$/;
/** Max half links within each other that are taken apart. */
const maxHalfLinks = 6;
const dangling = new Set(['*', '_', '~', '`']);

/**
 * Closes what is open in the text of a paragraph, item, heading or cell that still grows: adds the
 * marks that are missing, shows a half link as its text and leaves out marks that nothing follows yet.
 * A half link whose text looks like an address, which may be another one than its own, is left out.
 * Where LaTeX is open all stays as it is, and so it does where too many links are half.
 */
function closeInline(text: string): string {
  let shown = text;
  for (let round = 0; round < maxHalfLinks; round += 1) {
    const { open, spans } = scanInline(shown);
    if (open.some(({ kind }) => kind === 'formula')) return shown;
    const last = spans.findLast(({ kind, end }) => kind === 'brackets' && end === shown.length);
    const isDisguise = last && looksLikeAddress(shown.slice(last.content, last.contentEnd));
    const bared = isDisguise ? shown.slice(0, last.start) : withoutHalves(shown, open);
    if (bared === shown) return withMissingMarks(shown, open);
    shown = bared.trimEnd();
  }
  return text;
}

function withMissingMarks(text: string, open: readonly OpenMark[]): string {
  const marks = open.filter(({ kind }) => kind === 'emphasis' || kind === 'code').toReversed();
  if (marks.length === 0) return text;
  const escaping = marks[0]?.kind !== 'code' && endsInBackslash(text);
  const start = escaping ? text.slice(0, -1) : text;
  const closed = marks.reduce((result, mark) => result + missingMark(result, mark), start);
  const pending = scanInline(closed).open.some(({ kind }) => kind !== 'bracket');
  return pending ? text : closed;
}

function withoutHalves(text: string, open: readonly OpenMark[]): string {
  if (open.some(({ content }) => content === text.length)) {
    const rest = withoutDanglingMarks(text);
    return rest === text ? text.slice(0, open.at(-1)?.start) : rest;
  }
  return open.toReversed().reduce((result, { kind, start, content, contentEnd }) => {
    const inner = result.slice(content, contentEnd);
    const half = kind === 'link' || kind === 'address' || (kind === 'bracket' && isLinkText(inner));
    if (!half) return result;
    const isHidden =
      kind === 'bracket'
        ? halfCitation.test(inner) || mayPassForAddress(inner)
        : kind === 'link' && mayPassForAddress(inner);
    return result.slice(0, start) + (isHidden ? '' : inner);
  }, text);
}

/** Whether a link's text looks like an address, or may once the rest has come. */
function mayPassForAddress(text: string): boolean {
  return /[.:@。．][^\s.:@。．]*$/.test(text) || looksLikeAddress(text);
}

function isLinkText(text: string): boolean {
  return text.length <= maxLinkText && !/[\n)]/.test(text);
}

/** Removes isolated runs of marks at the end. */
function withoutDanglingMarks(text: string): string {
  let end = text.length;
  for (;;) {
    let start = end;
    while (dangling.has(text[start - 1] ?? '')) start -= 1;
    if (start === end || /\S/.test(text[start - 1] ?? ' ')) return text.slice(0, end);
    end = start;
    while (end > 0 && /\s/.test(text[end - 1] ?? '')) end -= 1;
  }
}

function endsInBackslash(text: string): boolean {
  return countAtEnd(text, '\\') % 2 === 1;
}

/** What is missing of a closing mark, of which the text's end may have a part. */
function missingMark(text: string, { kind, mark }: OpenMark): string {
  if (mark === '~~') return text.endsWith('~') && !text.endsWith('~~') ? '~' : mark;
  if (kind === 'emphasis') return mark;
  const run = countAtEnd(text, '`');
  return run < mark.length ? mark.slice(run) : ` ${mark}`;
}

function countAtEnd(text: string, sign: string): number {
  let start = text.length;
  while (text[start - 1] === sign) start -= 1;
  return text.length - start;
}
