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
  /** The construct around it. */
  parent?: Span;
}

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

/** The tokens of a complete text, in order. */
function readTokens(text: string): InlineToken[] {
  const { spans } = scanInline(text, { openFrom: Infinity });
  if (spans.length === 0) return [];
  const tokens = spans.filter(({ kind }) => kind !== 'brackets').flatMap(toTokens);
  tokens.sort((a, b) => a.start - b.start);
  const around: Span[] = [];
  for (const token of tokens) {
    if (token.kind === 'close') around.pop();
    token.parent = around.at(-1);
    if (token.kind === 'open') around.push(token.span);
  }
  return tokens;
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
