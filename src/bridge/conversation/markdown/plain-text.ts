import { keepInPlace } from '../../../shared/primitives/text.ts';

/** Escapes text so that Markdown shows it literally: anyone can choose names and titles. */
export function escapeMarkdown(text: string): string {
  return keepInPlace(text)
    .replaceAll('](', '] (')
    .replaceAll(/[\\`*_~|]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, ' ');
}

/**
 * Like `escapeMarkdown`, for text that may stand in a link. Brackets become round, since a link's
 * text can't hold them, and with a backslash they would begin a formula.
 */
export function renderPlainText(text: string): string {
  return keepInPlace(text)
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .replaceAll(/[\\`*_~|<>]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, ' ');
}

/** A name in bold, which anyone may have chosen. */
export function bold(name: string): string {
  return `**${escapeMarkdown(name)}**`;
}

/** Quotes a text: each line begins with `>`. */
export function quote(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
