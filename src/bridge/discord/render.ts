import { fenceTables } from '../conversation/markdown/fence-tables.ts';
import { fenceFormulaLine, isWholeFormula } from '../conversation/markdown/formulas.ts';
import {
  breaker,
  codeWithoutFences,
  codeWithoutLinks,
  fencePart,
  type InlineToken,
  renderLinkMark,
  renderTokens,
  renderWithHost,
  withoutLinks,
} from '../conversation/markdown/inline-tokens.ts';
import { scanLines, type Line } from '../conversation/markdown/scan-lines.ts';
import { withoutTurns } from '../../shared/primitives/text.ts';

/** Discord's own tokens (mentions, commands, timestamps, emoji) and addresses that we don't link. */
const mention =
  /@(?=everyone\b|here\b)|<(?=@[!&]?\d|#\d|\/[^<>:\n]{1,100}:\d|t:-?\d|a?:\w+:\d|[a-z][a-z\d+.-]{1,31}:)/gi;

/** Max characters in a line of small print. */
const maxPrint = 1_900;

/**
 * Renders Markdown in Discord's dialect (support.discord.com, "Markdown Text 101"). It has no
 * tables, task lists, rules, formulas, images by URL, or headings below level three: those become
 * the closest thing it has. What would ping somebody, hide text or link a command is shown
 * literally. Code stays as it is, in fences of three backticks, the only ones it knows. Only what we
 * take for a link becomes one, its text never names another host, and nothing changes the direction
 * of text.
 */
export function renderMarkdown(markdown: string): string {
  const fenced = fenceTables(withoutTurns(markdown));
  const lines = scanLines(fenced);
  return lines
    .flatMap((line, index) => {
      const { start, end, fence, formula } = line;
      if (formula && (formula.part !== 'open' || isWholeFormula(line, lines[index + 1]))) {
        return fenceFormulaLine(line);
      }
      const text = fenced.slice(start, end);
      if (fence) return renderFenced(text, line);
      return renderLine(text, line);
    })
    .join('\n');
}

/** Discord has no rules. */
const rule = '──────────';

/** What rendering may make longer, besides rules and backticks: tables, formulas, mentions, links. */
const growing = /[|$\\<@\t]|\][(:]|!\[|https?:/i;

/** A line that may be a rule. */
const bareLine = /(?<![^\n])(?:[^\S\n]|[>*_-])+(?![^\n])/g;

/** Whether a text has at most `max` characters once it is rendered. */
export function fitsRendered(markdown: string, max: number): boolean {
  // Rendering is slow, and this is called for each edit.
  const longest =
    markdown.length +
    rule.length * (markdown.match(bareLine)?.length ?? 0) +
    (markdown.match(fencePart)?.length ?? 0);
  if (longest <= max && !growing.test(markdown)) return true;
  return renderMarkdown(markdown).length <= max;
}

function renderFenced(text: string, { kind, lists }: Line): string {
  const code = kind === 'code' ? codeWithoutFences(text) : text.replace(edge, '```$1');
  return lists.length > 0 ? codeWithoutLinks(code) : code;
}

/** A fence, and the language behind it. Discord takes a line with anything else for code. */
const edge = /(?:`{3,}|~{3,})[ \t]*([\w+.#-]*).*/;

function renderLine(text: string, { kind, level = 0, quotes, start, content }: Line): string {
  const [markers, inner] = [text.slice(0, content - start), text.slice(content - start)];
  if (kind === 'rule') return rule;
  if (level > 3) return `**${renderInline(withoutClosingSigns(inner).replaceAll('**', ''))}**`;
  const shown = quotes > 1 ? markers.replace(/^[ >]*>[ \t]?/, '> ') : markers;
  if (kind !== 'item') return renderInline(shown + inner);
  const [box = '', mark] = /^\[([ xX])\][ \t]+/.exec(inner) ?? [];
  const bullet = shown.replaceAll('\t', '  ').replace('+', '-');
  return renderInline(bullet + checkbox(mark) + inner.slice(box.length));
}

/** The text of a heading such as `#### Text ####`. */
function withoutClosingSigns(heading: string): string {
  const text = heading.trimEnd();
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return /\s/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text;
}

function checkbox(mark: string | undefined): string {
  if (mark === undefined) return '';
  return mark === ' ' ? '☐ ' : '☑ ';
}

function renderInline(text: string): string {
  return renderTokens(text, { token: (token) => renderToken(token, text), text: escapeMarkup });
}

function renderToken(token: InlineToken, text: string): string | undefined {
  const { kind, span, start, end } = token;
  const whole = text.slice(start, end);
  if (kind === 'formula') {
    return `\`${codeWithoutLinks(text.slice(span.content, span.contentEnd).trim())}\``;
  }
  if (kind === 'code') return codeWithoutLinks(whole);
  if (kind === 'escape') return undefined;
  if (kind === 'address') return token.target && renderWithHost(whole, token);
  if (span.kind === 'emphasis') return whole === '__' ? '**' : undefined;
  return renderLinkMark(token, text);
}

function escapeMarkup(text: string): string {
  if (!/[@<|\]]/.test(text)) return text;
  return withoutLinks(text)
    .replace(mention, `$&${breaker}`)
    .replaceAll('||', String.raw`\|\|`);
}

/** Renders each line as Discord small print; lines that are too long are broken between words. */
export function renderSmallPrint(footer: string): string[] {
  return renderMarkdown(footer)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => breakLine(line, maxPrint))
    .map((line) => `-# ${line}`);
}

function breakLine(line: string, max: number): string[] {
  const lines: string[] = [];
  let rest = line.trim();
  while (rest.length > max) {
    const space = Math.max(rest.lastIndexOf(' · ', max), 0) || rest.lastIndexOf(' ', max);
    const end = space > 0 ? space : max;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).replace(/^[ ·]+/, '');
  }
  return [...lines, rest];
}

/**
 * Turns timestamps back into Discord's tokens, which rendering has escaped, so that readers see
 * their own time zone: docs.discord.com/developers/reference#message-formatting.
 */
export function showMoments(text: string): string {
  return text.replaceAll(/<\u200B(?=t:\d{1,12}:f>)/g, '<');
}

export function renderMoment(seconds: number): string {
  return `<t:${seconds}:f>`;
}
