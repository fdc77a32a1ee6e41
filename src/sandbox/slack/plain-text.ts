import type { Block } from './block.ts';
import { toRead } from './typed-text.ts';

/**
 * What a reader of a message sees, as plain text: its blocks one below the other, or its text if
 * there are none. Markdown stays unchanged; buttons and other controls are omitted.
 */
export function plainText({ text, blocks }: { text: string; blocks?: Block[] }): string {
  if (!blocks || blocks.length === 0) return toRead(text);
  return blocks.map(readBlock).filter(Boolean).join('\n\n');
}

const controlTypes = new Set(['actions', 'context_actions', 'input', 'divider']);

function readBlock(block: Block): string {
  if (controlTypes.has(block.type)) return '';
  if (block.type === 'markdown') return readMarkdown(String(block['text']));
  const between = block.type === 'context' ? ' ' : '\n';
  return [block['text'], block['fields'], block['elements'], block['rows'], block['title']]
    .flatMap((part) => readParts(part))
    .join(between);
}

function readParts(part: unknown): string[] {
  if (typeof part === 'string') return [toRead(part)];
  if (Array.isArray(part)) return part.flatMap((item) => readParts(item));
  if (typeof part !== 'object' || part === null) return [];
  const { text, elements } = part as { text?: unknown; elements?: unknown };
  return [...readParts(text), ...readParts(elements)];
}

/** Fenced code and code spans; unclosed code extends to the end. */
const codePattern =
  /^[ \t>]*(`{3,}(?!`)|~{3,}(?!~))[^]*?(?:\n[ \t>]*\1|$(?![^]))|(?<!`)(`+)(?!`)[^]+?(?<!`)\2(?!`)/gm;

/** Code is shown unchanged. */
function readMarkdown(text: string): string {
  let read = '';
  let end = 0;
  for (const { 0: code, index } of text.matchAll(codePattern)) {
    read += toRead(text.slice(end, index)) + code;
    end = index + code.length;
  }
  return read + toRead(text.slice(end));
}
