import type { Block } from './block.ts';
import type { Directory } from './directory.ts';

/**
 * Converts a typed text to Slack's format: &, < and > are escaped, URLs are linked, and mentions
 * stay as the client inserts them, `<@U…>` and `<#C…>`.
 * docs.slack.dev/messaging/formatting-message-text.
 */
export function fromTyped(text: string): string {
  const pattern =
    /<(?:[@#]|!subteam\^)[A-Z0-9]+(?:\|[^<>]*)?>|https?:\/\/[^\s<>]*[^\s<>.,;:!?)\]'"]|[&<>]/g;
  return text.replace(pattern, (found) => {
    if (found.startsWith('http')) return `<${escape(found)}>`;
    return found.length === 1 ? escape(found) : found;
  });
}

/**
 * Converts the text after a command that has escaping enabled: like a message, and names of people
 * and channels get their ids, `@ada` becomes `<@U1|ada>`.
 * docs.slack.dev/interactivity/implementing-slash-commands.
 */
export function fromCommand(
  text: string,
  { users, channels, userGroups }: Pick<Directory, 'users' | 'channels' | 'userGroups'>,
): string {
  const tokens = new Map<string, string>([
    ...['here', 'channel', 'everyone'].map((all) => [`@${all}`, `<!${all}>`] as const),
    ...channels().map(({ id, name }) => [`#${name}`, `<#${id}|${name}>`] as const),
    ...users().map(({ id, name }) => [`@${name}`, `<@${id}|${name}>`] as const),
    ...userGroups().map(({ id, handle }) => [`@${handle}`, `<!subteam^${id}|@${handle}>`] as const),
  ]);
  const named = /(?<![\w@#<|/])[@#][\w.-]*\w/g;
  return fromTyped(text).replace(named, (found) => tokens.get(found) ?? found);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A text as a reader sees it: links by their label, mentions with their @, entities decoded. */
export function toRead(text: string): string {
  return text
    .replace(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_, target: string, words?: string) => words || target)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

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
