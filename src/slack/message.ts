import { splitMarkdown } from '../conversation/markdown/split-markdown.ts';
import type { MessageContent, MessageLimits } from '../conversation/ports.ts';
import { escapeText, renderMarkdown, renderMrkdwn } from './render.ts';

/**
 * Slack takes 12,000 characters in all markdown blocks of a message
 * (docs.slack.dev/reference/block-kit/blocks/markdown-block); the rest is margin.
 */
export const messageLimits: MessageLimits = {
  size: (markdown) => renderMarkdown(markdown).length,
  max: 11_000,
};

/** All blocks together may have about 13,200 characters: Slack says msg_blocks_too_long past them. */
const footerLimit = 1_900;

/** Enough for a notification; Slack refuses an edit whose text is longer than 4,000. */
const fallbackLimit = 300;

/** A message in the fields that chat.postMessage, chat.update and response_urls share. */
export interface RenderedMessage {
  /** What notifications and screen readers say. */
  text: string;
  blocks: (
    | { type: 'markdown'; text: string }
    | { type: 'context'; elements: { type: 'mrkdwn'; text: string; verbatim: true }[] }
  )[];
}

/** A message as Slack shows it: the Markdown, its small print below, and a text for notifications. */
export function renderMessage({ markdown, footer }: MessageContent): RenderedMessage {
  const blocks: RenderedMessage['blocks'] = [{ type: 'markdown', text: renderMarkdown(markdown) }];
  if (footer) {
    const text = renderMrkdwn(footer, footerLimit);
    // Without `verbatim` Slack would look for names and addresses in the text on its own.
    blocks.push({ type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] });
  }
  return { text: renderFallback(markdown), blocks };
}

const tooLong = '\n\n… the rest does not fit into one message.';

/** Markdown that fits into one message, with a note where it had to be cut. */
export function fitMessage(markdown: string): string {
  const { size, max } = messageLimits;
  if (size(markdown) <= max) return markdown;
  const [start = ''] = splitMarkdown(markdown, { size, max: max - tooLong.length });
  return start + tooLong;
}

function renderFallback(markdown: string): string {
  const plain = markdown
    .slice(0, 4 * fallbackLimit)
    .replace(/^[ \t]*(?:`{3,}|~{3,}).*$/gm, '')
    .replace(/!?\[([^[\]\n]*)\]\([^()\n]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>)[ \t]+/gm, '')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const short = Array.from(plain).slice(0, fallbackLimit).join('');
  return escapeText(short.length < plain.length ? `${short}…` : short);
}
