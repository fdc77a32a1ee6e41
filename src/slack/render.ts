import { readFormula } from '../conversation/markdown/formulas.ts';

/** Takes no room, and breaks what Slack would otherwise read as a ping. */
const breaker = '\u200B';

const fenceLine = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*[ \t]*(`{3,}|~{3,})(.*)$/;

/** Markers of quotes and list items at the head of a line, nested ones too. */
const lineHead = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))+/;

/** In this order: a code span, a formula, an image's mark, `<address|label>`, `<address>`, an address, a group's name, a bracket. */
const inline = new RegExp(
  [
    /(?<!`)(?<ticks>`+)(?!`).+?(?<!`)\k<ticks>(?!`)/,
    /(?<!\\)\\\((?<round>[^`]{1,500}?)\\\)/,
    /(?<!\\)\\\[(?<square>[^`]{1,500}?)\\\]/,
    /(?<![\\$])\$\$(?<double>[^`$]{1,500})\$\$/,
    /(?<![\\$])\$(?![\s\d$])(?=[^$`]*[\\^_{}=])(?<single>[^$`]{1,500})(?<![\s\\])\$(?![\d$])/,
    /!\[(?<image>[^[\]]{0,500})\](?=\([^\s)])/,
    /<(?<address>(?:https?:\/\/|mailto:)[^\s<>|]+)(?:\|(?<label>[^<>]*))?>/,
    /\bhttps?:\/\/[^\s<>`]+/,
    /(?<![\w/.])@(?=(?:here|channel|everyone)\b)/,
    /[<>]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

const ping =
  /<(?=[@#][A-Z0-9]+(?:\|[^<>\n]*)?>|!(?:here|channel|everyone|group|subteam|date)\b[^<>\n]*>)/g;

/** Where a piece of Markdown begins. */
export interface RenderStart {
  /** The marks of the fenced code around it. */
  fence?: string | undefined;
  /** The character before it, where it goes on in the middle of a line. */
  before?: string | undefined;
}

/** A piece of Markdown as Slack takes it, and where it ends. */
export interface RenderedPiece {
  rendered: string;
  /** The marks of the fenced code it ends within. */
  fence: string | undefined;
  /** Where a formula begins that the piece does not finish. */
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
  return renderPiece(markdown, {}).rendered;
}

/** Renders a piece of Markdown from where an earlier one ended. */
export function renderPiece(markdown: string, start: RenderStart): RenderedPiece {
  const lines = markdown.split('\n');
  const rendered: string[] = [];
  let { fence } = start;
  let unfinished: number | undefined;
  let offset = 0;
  for (let index = 0; index < lines.length;) {
    const isHead = index > 0 || start.before === undefined;
    const formula = fence === undefined && isHead ? readFormula(lines, index) : undefined;
    if (formula === 'unfinished') unfinished ??= offset;
    const end = typeof formula === 'object' ? formula.end : index + 1;
    if (typeof formula === 'object') rendered.push(...formula.rendered.map(breakPings));
    else {
      const line = lines[index] ?? '';
      const next = isHead ? fenceBehind(line, fence) : fence;
      if (fence ?? next) rendered.push(breakPings(line));
      else rendered.push(isHead ? renderLine(line) : renderRest(line, start.before ?? ''));
      fence = next;
    }
    for (const line of lines.slice(index, end)) offset += line.length + 1;
    index = end;
  }
  return { rendered: rendered.join('\n'), fence, unfinished };
}

/** The marks of the fenced code that is open behind a line. */
function fenceBehind(line: string, around: string | undefined): string | undefined {
  const [, marks, rest = ''] = fenceLine.exec(line) ?? [];
  if (marks === undefined) return around;
  if (around !== undefined) return marks.startsWith(around) && !rest.trim() ? undefined : around;
  return marks.startsWith('`') && rest.includes('`') ? undefined : marks;
}

function renderLine(line: string): string {
  const head = lineHead.exec(line)?.[0] ?? '';
  return head + renderInline(line.slice(head.length));
}

/** What can belong to a word decides whether an `@` behind it calls a group. */
function renderRest(line: string, before: string): string {
  const word = /[\w/.]/.test(before) ? before : '';
  return renderInline(word + line).slice(word.length);
}

function renderInline(text: string): string {
  return text
    .replace(/\]\(<([^<>\n]*)>\)/g, (_, address: string) => `](${address.replaceAll(' ', '%20')})`)
    .replace(inline, (match: string, ...rest: unknown[]) =>
      renderConstruct(match, rest.at(-1) as Record<string, string | undefined>),
    );
}

function renderConstruct(match: string, groups: Record<string, string | undefined>): string {
  const { ticks, round, square, double, single, image, address, label } = groups;
  const formula = round ?? square ?? double ?? single;
  if (ticks !== undefined) return breakPings(match);
  if (formula !== undefined) return `\`${breakPings(formula.trim())}\``;
  if (image !== undefined) return `[${image ? renderInline(image) : 'image'}]`;
  if (address !== undefined) return label ? `[${label}](${address})` : address;
  if (match === '<') return '&lt;';
  if (match === '>') return '&gt;';
  return match === '@' ? `@${breaker}` : match;
}

function breakPings(code: string): string {
  return code.replace(ping, `<${breaker}`);
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
