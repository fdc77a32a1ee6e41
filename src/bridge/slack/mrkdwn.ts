import type { types } from '@slack/bolt';
import { fenceTables } from '../conversation/markdown/fence-tables.ts';
import { fenceFormulaLine, isWholeFormula } from '../conversation/markdown/formulas.ts';
import {
  codeWithoutFences,
  type InlineToken,
  renderTokens,
  renderWithHost,
} from '../conversation/markdown/inline-tokens.ts';
import { type Line, scanLines } from '../conversation/markdown/scan-lines.ts';
import { createSplitter, takeSegment } from '../conversation/markdown/split-markdown.ts';
import type { Steps } from '../../shared/primitives/time.ts';
import { withoutTurns } from '../../shared/primitives/text.ts';
import { escapeText } from './render.ts';

/** Max characters of a section's text: docs.slack.dev/reference/block-kit/blocks/section-block. */
const maxSection = 3_000;

/** Slack allows about 13,200 characters in all blocks; small print and buttons need the rest. */
const maxSections = 11_200;

const fence = '```';

/**
 * Renders Markdown as sections of Slack's older mrkdwn (docs.slack.dev/messaging/formatting-message-text),
 * which Slack accepts where it accepts no markdown block. Headings become bold, tables code. Nothing
 * in it pings anybody. What doesn't fit into one message is left out. Pauses between tries.
 */
export function* renderSections(markdown: string): Steps<types.SectionBlock[]> {
  const text = yield* cut(fenceTables(withoutTurns(markdown)));
  const fits = (part: string) => fitsRendered(part, maxSection);
  const parts = yield* createSplitter({ fits })(text);
  return parts
    .map(renderMrkdwnLines)
    .filter((part) => part.trim() !== '')
    .map((part) => ({
      type: 'section',
      expand: true,
      // Without `verbatim`, Slack would turn names in the text into links.
      text: { type: 'mrkdwn', text: part, verbatim: true },
    }));
}

function* cut(markdown: string): Steps<string> {
  const fits = (part: string) => fitsRendered(part, maxSections);
  const { segment, isWhole } = yield* takeSegment(markdown, { fits });
  return isWhole ? segment : `${segment}\n\n…`;
}

function fitsRendered(markdown: string, max: number): boolean {
  return renderMrkdwnLines(markdown).length <= max;
}

function renderMrkdwnLines(markdown: string): string {
  const lines = scanLines(markdown);
  return lines
    .flatMap((line, index) => {
      const { start, end, formula } = line;
      if (formula && (formula.part !== 'open' || isWholeFormula(line, lines[index + 1]))) {
        return fenceFormulaLine(line).map(escapeText);
      }
      return renderLine(markdown.slice(start, end), line);
    })
    .join('\n');
}

function renderLine(text: string, line: Line): string {
  const { kind, quotes, start, content } = line;
  if (kind === 'fence-open' || kind === 'fence-close') return fence;
  // A fence within the code would end it.
  if (kind === 'code') return codeWithoutFences(escapeText(text));
  if (kind === 'rule') return '──────────';
  const quote = quotes > 0 ? '> ' : '';
  const inner = text.slice(content - start);
  if (kind === 'heading')
    return `${quote}*${renderInline(inner.replace(/(?<![ \t])[ \t]+(?:#+[ \t]*)?$/, ''), true)}*`;
  if (kind !== 'item')
    return quote + (quotes > 0 ? '' : indentOf(text)) + renderInline(inner.trimStart());
  return quote + renderItem(inner, line);
}

function renderItem(inner: string, { item }: Line): string {
  const indent = '    '.repeat(item?.parents.length ?? 0);
  const [box = '', mark] = /^\[([ xX])\][ \t]+/.exec(inner) ?? [];
  const bullet = item?.number ? `${item.number.written}.` : '•';
  const checkbox = mark === undefined ? '' : mark === ' ' ? '☐ ' : '☑ ';
  return `${indent}${bullet} ${checkbox}${renderInline(inner.slice(box.length))}`;
}

function indentOf(text: string): string {
  return /^\s*/.exec(text)?.[0] ?? '';
}

function renderInline(text: string, isBold = false): string {
  if (!markup.test(text)) return escapeText(text);
  const token = (each: InlineToken) => renderToken(each, text, isBold);
  return renderTokens(text, { token, text: escapeText });
}

function renderToken(token: InlineToken, text: string, isBold: boolean): string | undefined {
  const { kind, span, start, end, target } = token;
  const content = text.slice(span.content, span.contentEnd);
  const isLabel = token.link !== undefined;
  if (kind === 'escape') return escapeText(content);
  if (kind === 'address') {
    if (isLabel || !target) return isLabel ? escapeText(content) : undefined;
    return renderWithHost(`<${escapeAddress(content)}>`, token);
  }
  if (kind === 'code' || kind === 'formula') {
    const code = escapeText(content.trim()).replaceAll('`', 'ˋ');
    return isLabel ? code : `\`${code}\``;
  }
  if (span.kind === 'emphasis')
    return isLabel ? '' : renderMark(text.slice(start, end), token, isBold);
  return renderMrkdwnMark(token, content);
}

/** A link whose text looks like another address follows that text, with its host as its own text. */
function renderMrkdwnMark({ kind, span, target }: InlineToken, content: string): string {
  const isNameless = span.kind === 'image' && content === '';
  if (!target) return kind === 'open' && isNameless ? 'image' : '';
  const start = `<${escapeAddress(target.address)}`;
  if (target.host !== undefined) return kind === 'open' ? '' : ` (${start}|${target.host}>)`;
  if (kind === 'close') return '>';
  return content === '' ? start : `${start}|`;
}

/** What all inline constructs have in common. */
const markup = /[\\`$<*_~[]|https?:/i;

function escapeAddress(address: string): string {
  return address
    .replaceAll('&', '&amp;')
    .replaceAll('<', '%3C')
    .replaceAll('>', '%3E')
    .replaceAll('|', '%7C')
    .replaceAll(' ', '%20');
}

/** Bold is `*`, italic `_`, strike `~`; in a heading everything is bold already. */
function renderMark(mark: string, { kind }: InlineToken, isBold: boolean): string {
  if (mark.startsWith('~')) return '~';
  const bold = mark.length > 1 && !isBold ? '*' : '';
  const italic = mark.length === 2 ? '' : '_';
  return kind === 'open' ? bold + italic : italic + bold;
}
