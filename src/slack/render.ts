import { fenceFormulaLine, isWholeFormula } from '../conversation/markdown/formulas.ts';
import { renderTokens, type InlineToken } from '../conversation/markdown/inline-tokens.ts';
import { countMarkers, scanLines, type Line } from '../conversation/markdown/scan-lines.ts';

/** Takes no room, and breaks what Slack would otherwise read as a ping. */
const breaker = '\u200B';

/** What pings from within code. */
const ping =
  /<(?=[@#][A-Z0-9]+(?:\|[^<>\n]*)?>|!(?:here|channel|everyone|group|subteam|date)\b[^<>\n]*>)/g;

/** Where a segment of Markdown begins. */
export interface RenderStart {
  /** The line above it, or the line that it goes on. */
  line?: Line;
  /** The character before it, where it goes on in the middle of a line. */
  before?: string;
}

/** A segment of Markdown as Slack takes it, and where it ends. */
export interface RenderedSegment {
  rendered: string;
  /** The last line that it has something of. */
  line: Line | undefined;
  /** Where a formula begins that the segment does not finish. */
  unfinished: number | undefined;
}

/**
 * Markdown as Slack's markdown block takes it, so that it pings nobody. Slack reads `<!channel>`,
 * `<@U1>` and their like in it, and leaves entities alone: angle brackets become entities, except
 * those that quote a line. Code and addresses stay as they are; what would ping from within code is
 * broken by a character that takes no room. `&` stays, or links with parameters would break. What
 * the block does not show reads as text: a formula as code, an image as a link to it.
 */
export function renderMarkdown(markdown: string): string {
  return renderSegment(markdown, {}).rendered;
}

/** Renders a segment of Markdown from where an earlier one ended. */
export function renderSegment(markdown: string, { line, before }: RenderStart): RenderedSegment {
  if (!line || before === undefined || markdown === '') return renderLines(markdown, line);
  const feed = markdown.indexOf('\n');
  const rest = feed === -1 ? markdown : markdown.slice(0, feed);
  const rendered = line.fence ? breakPings(rest) : renderRest(rest, before);
  const whole = { ...line, text: line.text + rest };
  if (feed === -1) return { rendered, line: whole, unfinished: undefined };
  const below = renderLines(markdown.slice(feed + 1), whole);
  const unfinished = below.unfinished === undefined ? undefined : below.unfinished + feed + 1;
  return { rendered: `${rendered}\n${below.rendered}`, line: below.line ?? whole, unfinished };
}

function renderLines(markdown: string, above: Line | undefined): RenderedSegment {
  const lines = scanLines(markdown, above);
  let unfinished: number | undefined;
  const rendered = lines.flatMap((line, index) => {
    const { start, end, fence, formula } = line;
    const text = markdown.slice(start, end);
    if (formula && (formula.part !== 'open' || isWholeFormula(line, lines[index + 1]))) {
      return fenceFormulaLine(line).map(breakPings);
    }
    if (formula) unfinished ??= start;
    return fence ? breakPings(text) : renderLine(text);
  });
  const isBegun = markdown !== '' && !markdown.endsWith('\n');
  const line = isBegun ? lines.at(-1) : (lines.at(-2) ?? above);
  return { rendered: rendered.join('\n'), line, unfinished };
}

function renderLine(line: string): string {
  const markers = countMarkers(line);
  return line.slice(0, markers) + renderInline(line.slice(markers));
}

/** What can belong to a word decides whether an `@` behind it calls a group. */
function renderRest(line: string, before: string): string {
  const word = /[\w/.]/.test(before) ? before : '';
  return renderInline(word + line).slice(word.length);
}

function renderInline(text: string): string {
  return renderTokens(text, { token: (token) => renderToken(token, text), text: escapeMarkup });
}

function renderToken(token: InlineToken, text: string): string | undefined {
  const { span } = token;
  const content = text.slice(span.content, span.contentEnd);
  if (token.kind === 'code') return breakPings(text.slice(span.start, span.end));
  if (token.kind === 'formula') return `\`${breakPings(content.trim())}\``;
  if (token.kind === 'address') return renderAddress(content);
  if (span.kind !== 'link' && span.kind !== 'image') return undefined;
  if (token.kind === 'close') return renderTarget(text.slice(token.start, token.end));
  return span.kind === 'image' && content === '' ? '[image' : '[';
}

/** An address, or one with a label: `https://a.example|label`. */
function renderAddress(content: string): string {
  const bar = content.indexOf('|');
  const [address, label] = [content.slice(0, bar), content.slice(bar + 1)];
  if (bar === -1) return content;
  return label === '' ? address : `[${escapeMarkup(label)}](${address})`;
}

/** What closes a link: `](address "title")`. Slack takes no address in angle brackets. */
function renderTarget(target: string): string {
  const bare = target.replace(
    /^\]\(<([^<>\n]*)>/,
    (_, address: string) => `](${address.replaceAll(' ', '%20')}`,
  );
  const [, address = '', title = ''] = /^(\]\(https?:\/\/[^\s<>]*)?([^]*)$/.exec(bare) ?? [];
  return address + escapeMarkup(title);
}

function breakPings(code: string): string {
  return code.replace(ping, `<${breaker}`);
}

/** Text of Markdown, in which `&` stays. */
function escapeMarkup(text: string): string {
  if (!/[<>@]/.test(text)) return text;
  return text
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/(?<![\w/.])@(?=(?:here|channel|everyone)\b)/g, `@${breaker}`);
}

/**
 * One line of Markdown as Slack's older mrkdwn, of at most `limit` characters: links and bold text
 * are kept whole or left out, everything else is plain text.
 */
export function renderMrkdwn(markdown: string, limit: number): string {
  let rendered = '';
  // mrkdwn knows no escapes.
  const plain = markdown.replaceAll(/\\([\\`*_~|<>])/g, '$1');
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
  if (label && address)
    return `<${escapeText(address).replaceAll('|', '%7C')}|${escapeText(label)}>`;
  if (bold) return `*${escapeText(bold)}*`;
  return escapeText(piece);
}

/** Plain text in a field that Slack reads as mrkdwn: no tokens, and no group is called. */
export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=(?:here|channel|everyone)\b)/g, `@${breaker}`);
}
