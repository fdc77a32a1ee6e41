import { renderPiece, type RenderStart } from './render.ts';

/** How far the text of a stream has come. */
export interface StreamText extends RenderStart {
  /** What arrived and is held back: how it is to be rendered depends on what comes behind it. */
  rest: string;
}

export const streamStart: StreamText = { rest: '' };

/**
 * Renders what arrived as far as nothing that comes can change it, so that the parts put together
 * are the whole as `renderMarkdown` has it, nothing shows half, and no cut lets a ping through.
 */
export function renderStream(
  text: StreamText,
  markdown: string,
  { ended = false } = {},
): { rendered: string; next: StreamText } {
  const source = text.rest + markdown;
  const stable = ended ? source.length : stableLength(source, text);
  if (stable === 0) return { rendered: '', next: { ...text, rest: source } };
  const { rendered, fence } = renderPiece(source.slice(0, stable), text);
  const last = source.charAt(stable - 1);
  const before = last === '\n' ? undefined : last;
  return { rendered, next: { fence, before, rest: source.slice(stable) } };
}

function stableLength(source: string, start: RenderStart): number {
  const lastLine = source.lastIndexOf('\n') + 1;
  const { fence, unfinished } = renderPiece(source.slice(0, lastLine), start);
  if (unfinished !== undefined) return unfinished;
  const isHead = lastLine > 0 || start.before === undefined;
  const line = source.slice(lastLine);
  return lastLine + (fence === undefined ? stableText(line, isHead) : stableCode(line, isHead));
}

/** More than this is not held back for want of what closes it. */
const longestHeld = 500;

const head = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*[ \t]*/;

const maybeFence = /^(?:[-*+]|\d{1,9}[.)]?|[`~]+[ \t]*)?$/;

function stableCode(line: string, isHead: boolean): number {
  if (isHead && maybeFence.test(line.replace(head, ''))) return 0;
  const bracket = line.lastIndexOf('<');
  const open = bracket >= line.length - longestHeld && !line.includes('>', bracket);
  return open && bracket >= 0 ? bracket : line.length;
}

/** Behind the head of a line: no text yet, or what may open fenced code or a formula. */
const undecidedLine =
  /^(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|[$\\]|(?:`{3}|~{3}).*|\$\$(?!.*\$\$).*|\\\[(?!.*\\\]).*)?$/;

/** Code, formulas, links, images, addresses and bold text that are complete. */
const complete =
  /(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|\\\([^`]{1,500}?\\\)|\\\[[^`]{1,500}?\\\]|\$\$[^`$]{1,500}\$\$|\$(?![\s\d$])[^$`]{1,500}(?<![\s\\])\$(?![\d$])|!?\[[^[\]]*\](?:\((?:<[^<>]*>|[^\s()]*)(?:[ \t][^()]*)?\)|(?!\(|$))|<(?:https?:\/\/|mailto:)[^<>]*>|\*\*[^*]+\*\*/g;

const opener = /`|!?\[|\\[([]|\$(?![\s\d])|<(?:https?:\/\/|mailto:)|\*\*/;

/** A word at the end that is an address, or has what markup may be made of. */
const undecidedWord =
  /(?:[\x21-\x7e]*(?:[`~$\\!<@*]|\[|\]|https?:)[\x21-\x7e]*|\bh(?:t(?:tps?|t)?)?)$/;

function stableText(line: string, isHead: boolean): number {
  if (isHead && undecidedLine.test(line.replace(head, ''))) return 0;
  const outside = line.replace(complete, (match) => '~'.repeat(match.length));
  const oldest = Math.max(0, line.length - longestHeld);
  const tail = outside.slice(oldest);
  const open = opener.exec(tail)?.index ?? tail.length;
  const word = undecidedWord.exec(tail)?.index ?? tail.length;
  return oldest + Math.min(open, word);
}
