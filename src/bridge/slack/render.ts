import { fenceFormulaLine, isWholeFormula } from '../conversation/markdown/formulas.ts';
import {
  breaker,
  codeWithoutLinks,
  type InlineToken,
  renderLinkMark,
  renderTokens,
  renderWithHost,
  withoutLinks,
} from '../conversation/markdown/inline-tokens.ts';
import { hostOf, hostToShow } from '../conversation/markdown/link-host.ts';
import { withoutTurns } from '../../shared/primitives/text.ts';
import { isTooWide } from './block-limits.ts';
import { countMarkers, scanLines, type Line } from '../conversation/markdown/scan-lines.ts';

const fence = '```';

/** What pings even inside code. */
const ping =
  /<(?=[@#][A-Z0-9]+(?:\|[^<>\n]*)?>|!(?:here|channel|everyone|group|subteam|date)\b[^<>\n]*>)/g;

/** Where a segment of Markdown starts. */
export interface RenderStart {
  /** The line above it, or the line that it continues. */
  line?: Line;
  /** The character before it, if it starts in the middle of a line. */
  before?: string;
}

/** A segment rendered for Slack, and where it ends. */
export interface RenderedSegment {
  rendered: string;
  /** The last line that it contains any part of. */
  line: Line | undefined;
  /** Where a formula starts that the segment does not finish. */
  unfinished: number | undefined;
}

/**
 * Renders Markdown for Slack's markdown block, so that it pings nobody. Slack acts on `<!channel>`,
 * `<@U1>` and the like in it, but not on entities: angle brackets become entities, except those
 * that quote a line. Code and URLs stay as they are; a zero-width character breaks pings inside
 * code. `&` stays, or links with parameters would break. What the block does not support becomes
 * text: a formula and a table with too many columns become code, an image a link to it, a line break
 * in a table a space. Only what we take for a link becomes one, its text never names another host, and
 * nothing changes the direction of text.
 */
export function renderMarkdown(markdown: string): string {
  const { rendered, line } = renderSegment(withoutTurns(markdown), {});
  return rendered + renderEnd(line);
}

/** What must follow the last line: the fence of a table that became code. */
export function renderEnd(line: Line | undefined): string {
  return isTooWide(line) ? `\n${fence}` : '';
}

/** Renders a segment of Markdown, `withoutTurns`, that starts where an earlier one ended. */
export function renderSegment(markdown: string, { line, before }: RenderStart): RenderedSegment {
  if (!line || before === undefined || markdown === '') return renderLines(markdown, line);
  const feed = markdown.indexOf('\n');
  const rest = feed === -1 ? markdown : markdown.slice(0, feed);
  const isCode = line.fence !== undefined || isTooWide(line);
  const rendered = isCode ? renderCode(rest, line) : renderRest(rest, before, line);
  const whole = { ...line, text: line.text + rest };
  if (feed === -1) return { rendered, line: whole, unfinished: undefined };
  const below = renderLines(markdown.slice(feed + 1), whole);
  const unfinished = below.unfinished === undefined ? undefined : below.unfinished + feed + 1;
  return { rendered: `${rendered}\n${below.rendered}`, line: below.line ?? whole, unfinished };
}

function renderLines(markdown: string, above: Line | undefined): RenderedSegment {
  const lines = scanLines(markdown, above);
  const isBegun = markdown !== '' && !markdown.endsWith('\n');
  let unfinished: number | undefined;
  const rendered = lines.flatMap((line, index) => {
    const { start, end, fence: code, formula } = line;
    const text = markdown.slice(start, end);
    if (formula && (formula.part !== 'open' || isWholeFormula(line, lines[index + 1]))) {
      return fenceFormulaLine(line).map(breakPings);
    }
    if (formula) unfinished ??= start;
    // After a line feed, the next line is not known yet.
    if (text === '' && !isBegun && index === lines.length - 1) return text;
    const isTable = isTooWide(line);
    const edge = isTable === isTooWide(lines[index - 1] ?? above) ? [] : [fence];
    return [...edge, isTable || code ? renderCode(text, line) : renderLine(text, line)];
  });
  const line = isBegun ? lines.at(-1) : (lines.at(-2) ?? above);
  return { rendered: rendered.join('\n'), line, unfinished };
}

function renderLine(text: string, line: Line): string {
  const markers = countMarkers(text);
  return text.slice(0, markers) + renderInline(text.slice(markers), line);
}

/** Whether an `@` mentions a group, and a bracket ends a link, depends on the character before it. */
function renderRest(text: string, before: string, line: Line): string {
  const word = /[\w/.\]]/.test(before) ? before : '';
  return renderInline(word + text, line).slice(word.length);
}

function renderInline(text: string, line: Line): string {
  const renderText = pipeFirst.test(line.text)
    ? (plain: string) => escapeMarkup(plain.replaceAll(lineBreak, ' '))
    : escapeMarkup;
  return renderTokens(text, { token: (token) => renderToken(token, text), text: renderText });
}

/** A cell has one line. */
const lineBreak = /<br\s*\/?>/gi;

/** What begins a line of most tables. As text grows, no line is known to be of a table otherwise. */
const pipeFirst = /^[ \t]*\|/;

function renderToken(token: InlineToken, text: string): string | undefined {
  const { span } = token;
  const content = text.slice(span.content, span.contentEnd);
  if (token.kind === 'code') return breakPings(codeWithoutLinks(text.slice(span.start, span.end)));
  if (token.kind === 'formula') return `\`${breakPings(codeWithoutLinks(content.trim()))}\``;
  if (token.kind === 'address') {
    return token.target && renderWithHost(codeWithoutLinks(content), token);
  }
  return span.kind === 'link' || span.kind === 'image' ? renderLinkMark(token, text) : undefined;
}

function renderCode(code: string, { lists }: Line): string {
  return breakPings(lists.length > 0 ? codeWithoutLinks(code) : code);
}

function breakPings(code: string): string {
  return code.replace(ping, `<${breaker}`);
}

/** Escapes Markdown text, except for `&`. */
function escapeMarkup(text: string): string {
  if (!/[<>@\]]/.test(text)) return text;
  return withoutLinks(text)
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/(?<![\w/.])@(?=(?:here|channel|everyone)\b)/g, `@${breaker}`);
}

/**
 * Renders one line of Markdown as Slack's older mrkdwn, at most `limit` characters: links and bold
 * text are kept whole or dropped, everything else becomes plain text.
 */
export function renderMrkdwn(markdown: string, limit: number): string {
  let rendered = '';
  // mrkdwn has no escapes.
  const plain = withoutTurns(markdown).replaceAll(/\\([\\`*_~|<>])/g, '$1');
  for (const [piece, label, address, bold] of plain.matchAll(mrkdwnPiece)) {
    const next = renderMrkdwnPiece({ piece, label, address, bold });
    if (rendered.length + next.length >= limit) return `${rendered}…`;
    rendered += next;
  }
  return rendered;
}

const mrkdwnPiece =
  /\[([^[\]\n]+)\]\((https?:\/\/[^\s()]+)\)|\*\*([^*\n]+)\*\*|\s+|(?:(?![[*])\S)+|\S/g;

function renderMrkdwnPiece(match: {
  piece: string;
  label: string | undefined;
  address: string | undefined;
  bold: string | undefined;
}): string {
  const { piece, label, address, bold } = match;
  if (label && address) return renderMrkdwnLink(label, address);
  if (bold) return `*${escapeText(bold)}*`;
  return escapeText(piece);
}

function renderMrkdwnLink(label: string, address: string): string {
  const text = escapeText(label);
  if (hostOf(address) === undefined) return text;
  const start = `<${escapeText(address).replaceAll('|', '%7C')}|`;
  const host = hostToShow(label, address);
  return host === undefined ? `${start}${text}>` : `${text} (${start}${host}>)`;
}

/**
 * Escapes plain text for a mrkdwn field, so that it contains no tokens, mentions no group and does not
 * change the direction of text.
 */
export function escapeText(text: string): string {
  return withoutTurns(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=(?:here|channel|everyone)\b)/g, `@${breaker}`);
}
