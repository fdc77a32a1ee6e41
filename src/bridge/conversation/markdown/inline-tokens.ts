import { hostOf, hostToShow } from './link-host.ts';
import { scanInline, type Span } from './scan-inline.ts';

/**
 * A construct without Markdown inside, or the opening or closing mark of one with Markdown inside.
 */
export interface InlineToken {
  kind: 'escape' | 'code' | 'formula' | 'address' | 'open' | 'close';
  /** The construct that it is or belongs to. */
  span: Span;
  start: number;
  end: number;
  /** The link or image around it. */
  link?: Span;
  /** Where a link, an image or an address leads; absent where none may lead, and inside of a link. */
  target?: LinkTarget;
}

interface LinkTarget {
  /** As it stands in a link in Markdown. */
  address: string;
  /** Its host, if readers must see it: the text, with what adjoins it, looks like another address. */
  host?: string;
}

/** A zero-width character that keeps signs from becoming a mark. */
export const breaker = '\u200B';

/**
 * Renders the inline Markdown of one line or cell: each token, and the text between tokens. A token
 * for which `token` returns undefined becomes part of the text around it.
 */
export function renderTokens(
  text: string,
  render: { token(token: InlineToken): string | undefined; text(plain: string): string },
): string {
  let rendered = '';
  let copied = 0;
  for (const token of readTokens(text)) {
    const own = render.token(token);
    if (own === undefined) continue;
    rendered += render.text(text.slice(copied, token.start)) + own;
    copied = token.end;
  }
  return rendered + render.text(text.slice(copied));
}

/**
 * Renders a mark of a link or image as a link in Markdown. What may not be a link becomes its text.
 * So does a link whose text looks like another address: `https://a.example ([b.example](https://b.example/c))`,
 * in which every address leads where it says. Platforms refuse to make a link of a text with a scheme.
 */
export function renderLinkMark({ kind, span, target }: InlineToken, text: string): string {
  const content = text.slice(span.content, span.contentEnd);
  const isLink = target !== undefined && target.host === undefined;
  const name = span.kind === 'image' && content === '' ? 'image' : '';
  if (kind === 'open') {
    // With what stands before it, the text could become an address or a fence.
    const edge = /^[(`~]/.test(content) ? breaker : '';
    return (isLink ? '[' : edge) + name;
  }
  if (!target) return /[\]`~]$|^$/.test(name || content) ? breaker : '';
  return isLink ? `](${target.address})` : ` ([${target.host}](${target.address}))`;
}

/** Renders a URL in the text, with its host if that is not what it looks like. */
export function renderWithHost(address: string, { target }: InlineToken): string {
  return target?.host === undefined ? address : `${address} (${target.host})`;
}

/**
 * Text without links. What is no link to us would be one to a platform if it spans lines, or if a line
 * elsewhere defines its address.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll(/\](?=[(:])/g, `]${breaker}`);
}

/**
 * Code or an address without links, where it may be text to a platform: they pair backticks within a
 * paragraph, and we within a line; in a list, we are lenient about the indentation of fenced code; and
 * without its angle brackets, an address may contain a link.
 */
export function codeWithoutLinks(code: string): string {
  return code.replaceAll(/\](?=\(<?[a-z][a-z\d+.-]{0,20}:)/gi, `]${breaker}`);
}

/** Code in which no three backticks in a row end the fence around it. */
export function codeWithoutFences(code: string): string {
  return code.replaceAll(fencePart, `$&${breaker}`);
}

/** Each backtick after which `codeWithoutFences` adds a character. */
export const fencePart = /`(?=``)/g;

/** The tokens of a complete text, in order. */
function readTokens(text: string): InlineToken[] {
  const { spans } = scanInline(text, { openFrom: Infinity });
  if (spans.length === 0) return [];
  const tokens = spans.filter(({ kind }) => kind !== 'brackets').flatMap(toTokens);
  tokens.sort((a, b) => a.start - b.start);
  const around: Span[] = [];
  for (const token of tokens) {
    if (token.kind === 'close') around.pop();
    token.link = around.findLast(isLink);
    if (token.kind === 'open') around.push(token.span);
  }
  if (tokens.some(({ kind, span }) => kind === 'address' || isLink(span))) aim(tokens, text);
  return tokens;
}

function isLink({ kind }: Span): boolean {
  return kind === 'link' || kind === 'image';
}

function toTokens(span: Span): InlineToken[] {
  const { kind, start, content, contentEnd, end } = span;
  if (kind === 'emphasis' || kind === 'link' || kind === 'image' || kind === 'brackets') {
    return [
      { kind: 'open', span, start, end: content },
      { kind: 'close', span, start: contentEnd, end },
    ];
  }
  return [{ kind, span, start, end }];
}

/** Finds where the links, images and addresses lead. */
function aim(tokens: readonly InlineToken[], text: string): void {
  const seen = readVisible(tokens, text);
  const targets = new Map<Span, LinkTarget>();
  for (const { kind, span, link } of tokens) {
    if (kind !== 'open' || !isLink(span) || link) continue;
    const address = readAddress(text.slice(span.contentEnd, span.end));
    if (hostOf(address) === undefined) continue;
    const [inside, around] = seen.of(span);
    const host = hostToShow(inside, address) ?? hostToShow(around, address);
    targets.set(span, { address, host });
  }
  for (const token of tokens) {
    token.target = targets.get(token.span);
    if (token.kind !== 'address') continue;
    const address = text.slice(token.span.content, token.span.contentEnd);
    if (hostOf(address) === undefined) continue;
    const host = hostToShow(withoutPath(address), address);
    const isShown = token.link && targets.get(token.link)?.host === host;
    token.target = { address, host: isShown ? undefined : host };
  }
}

function withoutPath(address: string): string {
  return /^[^/]*\/\/[^/?#]*/.exec(address)?.[0] ?? address;
}

/** Max characters of the words around a link that may complete an address. */
const maxWord = 253;

/** What readers see of a text: of a link its text, and that with what adjoins it. */
function readVisible(tokens: readonly InlineToken[], text: string) {
  const places = new Map<Span, { start: number; end: number }>();
  let seen = '';
  let copied = 0;
  for (const { kind, span, start, end } of tokens) {
    seen += text.slice(copied, start);
    copied = end;
    if (kind === 'open') places.set(span, { start: seen.length, end: seen.length });
    else if (kind === 'close')
      places.set(span, { start: 0, ...places.get(span), end: seen.length });
    else seen += text.slice(span.content, span.contentEnd);
  }
  seen += text.slice(copied);
  return {
    of(link: Span): [inside: string, around: string] {
      const { start, end } = places.get(link) ?? { start: 0, end: 0 };
      const before = /(?<!\S)\S*$/.exec(seen.slice(Math.max(0, start - maxWord), start));
      const behind = /^\S*/.exec(seen.slice(end, end + maxWord));
      const inside = seen.slice(start, end);
      return [inside, `${before?.[0]}${inside}${behind?.[0]}`];
    },
  };
}

/** The address in a link's end, `](address "title")`, as Markdown reads it and can't misread it. */
function readAddress(target: string): string {
  const [, angled, bare = ''] = /^\]\((?:<([^<>\n]*)>|(\S*?))(?:\s[^]*)?\)$/.exec(target) ?? [];
  const written = angled ?? bare;
  const address = written.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
  const isPlain = angled === undefined && address === written;
  return address.replaceAll(isPlain ? /[<>\\]/g : /[\s<>\\()]/g, toPercent);
}

function toPercent(character: string): string {
  return character === '(' ? '%28' : character === ')' ? '%29' : encodeURIComponent(character);
}
