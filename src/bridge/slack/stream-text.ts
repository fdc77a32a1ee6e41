import { scanInline } from '../conversation/markdown/scan-inline.ts';
import { countMarkers, scanLines } from '../conversation/markdown/scan-lines.ts';
import { withoutTurns } from '../../shared/primitives/direction.ts';
import { isTooWide, mayBeTooWide } from './block-limits.ts';
import { renderEnd, renderSegment, type RenderStart } from './render.ts';

/** The state of a stream's text. */
export interface StreamText extends RenderStart {
  /** Text that is held back because its rendering depends on what follows. */
  rest: string;
}

export const streamStart: StreamText = { rest: '' };

/**
 * Renders the text as far as later text can't change it. The parts joined equal the whole as
 * `renderMarkdown` renders it, nothing shows half-finished, and no cut lets a ping through.
 */
export function renderStream(
  text: StreamText,
  markdown: string,
  { ended = false } = {},
): { rendered: string; next: StreamText } {
  const source = text.rest + withoutTurns(markdown);
  const stable = ended ? source.length : stableLength(source, text);
  const end = ended ? renderEnd : () => '';
  if (stable === 0) return { rendered: end(text.line), next: { ...text, rest: source } };
  const { rendered, line } = renderSegment(source.slice(0, stable), text);
  const last = source.charAt(stable - 1);
  const before = last === '\n' ? undefined : last;
  return { rendered: rendered + end(line), next: { line, before, rest: source.slice(stable) } };
}

function stableLength(source: string, start: RenderStart): number {
  const lastLine = source.lastIndexOf('\n') + 1;
  const { line: above, unfinished } = renderSegment(source.slice(0, lastLine), start);
  if (unfinished !== undefined) return unfinished;
  if (isTooWide(above)) return lastLine;
  if (mayBeTooWide(above)) {
    const header = source.lastIndexOf('\n', lastLine - 2) + 1;
    return renderSegment(source.slice(0, header), start).unfinished ?? header;
  }
  const isHead = lastLine > 0 || start.before === undefined;
  const last = source.slice(lastLine);
  const line = isHead ? scanLines(last, above)[0] : start.line;
  const isCode = line?.fence !== undefined && line.kind !== 'fence-open';
  return lastLine + (isCode ? stableCode(last, isHead) : stableText(last, isHead));
}

/** Max characters to hold back while a construct is unclosed. */
const maxHeld = 500;

const maybeFence = /^[ \t]*(?:[-*+]|\d{1,9}[.)]?|[`~]+[ \t]*)?$/;

function stableCode(line: string, isHead: boolean): number {
  if (isHead && maybeFence.test(line.slice(countMarkers(line)))) return 0;
  const bracket = line.lastIndexOf('<');
  const open = bracket >= line.length - maxHeld && !line.includes('>', bracket);
  return open && bracket >= 0 ? bracket : line.length;
}

/** After the markers of a line: no text yet, or what may open fenced code or a formula. */
const undecidedLine =
  /^[ \t]*(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|[$\\]|(?:`{3}|~{3}).*|\$\$(?!.*\$\$).*|\\\[(?!.*\\\]).*)?$/;

const lastWord = /(?<![\x21-\x7e])[\x21-\x7e]+$/;
const constructSign = /[`~$\\!<@*[\]]|https?:/i;
const begunScheme = /\bh(?:t(?:tps?|t)?)?$/i;

function stableText(line: string, isHead: boolean): number {
  // A table's header: how wide it is decides what it becomes.
  if (isHead && line.startsWith('|') && line.length < maxHeld) return 0;
  if (isHead && undecidedLine.test(line.slice(countMarkers(line)))) return 0;
  const oldest = Math.max(0, line.length - maxHeld);
  const { spans, open, dollar = line.length } = scanInline(line, { openFrom: oldest });
  const held = open
    .filter(({ kind, mark }) => kind !== 'emphasis' || mark.startsWith('**'))
    .map(({ start }) => start)
    .filter((start) => start >= oldest);
  const characters = line.slice(oldest).split('');
  // A construct at the end may still become part of another one.
  for (const { kind, start, end } of spans) {
    if (kind === 'escape' || (kind === 'emphasis' && !line.startsWith('**', start))) continue;
    if (end > oldest) characters.fill('~', Math.max(0, start - oldest), end - oldest);
  }
  const word = oldest + findUndecidedWord(characters.join(''));
  return Math.min(word, dollar, ...held);
}

/** Where a last word begins that is a URL, or contains characters of a possible construct. */
function findUndecidedWord(text: string): number {
  const word = lastWord.exec(text);
  const undecided = word && constructSign.test(word[0]) ? word : begunScheme.exec(text);
  return undecided?.index ?? text.length;
}
