import { looksLikeAddress } from './link-host.ts';
import { scanInline, type OpenMark } from './scan-inline.ts';

/** Max text of an unfinished link; with a longer text, the bracket is shown. */
const maxLinkText = 200;
/** Citations: their number means nothing until its bracket closes. */
const halfCitation = /^\^?[\d.]*$/;
/** Max half links within each other that are taken apart. */
const maxRounds = 6;
const dangling = new Set(['*', '_', '~', '`']);

/**
 * Closes what is open in the text of a paragraph, item, heading or cell that still grows: adds the
 * marks that are missing, shows a half link as its text and leaves out marks that nothing follows yet.
 * A half link whose text looks like an address, which may be another one than its own, is left out.
 * Where LaTeX is open all stays as it is, and so it does where too many links are half.
 */
export function closeInline(text: string): string {
  let shown = text;
  for (let round = 0; round < maxRounds; round += 1) {
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
