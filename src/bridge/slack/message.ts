import { randomUUID } from 'node:crypto';
import type { types } from '@slack/bolt';
import { z } from 'zod';
import { hostToShow } from '../conversation/markdown/link-host.ts';
import { takeSegment } from '../conversation/markdown/split-markdown.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { MessageContent, MessageLimits } from '../conversation/thread.ts';
import type { CommandButton } from '../commands/invocation.ts';
import { english, type Texts } from '../texts/texts.ts';
import { inSteps } from '../../shared/primitives/time.ts';
import { shorten } from '../../shared/primitives/text.ts';
import { fitsBlocks, surelyFits } from './block-limits.ts';
import {
  type FeedbackStyle,
  type FeedbackStyles,
  renderButtons,
  renderCommandButtons,
} from './buttons.ts';
import { isTrouble, refusesContent } from './errors.ts';
import { renderSections } from './mrkdwn.ts';
import { escapeText, renderMarkdown, renderMrkdwn } from './render.ts';

/**
 * Slack allows 12,000 characters in all markdown blocks of a message together
 * (docs.slack.dev/reference/block-kit/blocks/markdown-block); the rest is margin.
 */
const maxMarkdown = 11_000;

/** What fits into one message of Slack's, with our small print and buttons below it. */
export const messageLimits: MessageLimits = {
  fits(markdown) {
    // Rendering is slow and hardly ever shortens a text.
    if (markdown.length > 2 * maxMarkdown) return false;
    if (surelyFits(markdown)) return true;
    const rendered = renderMarkdown(markdown);
    return rendered.length <= maxMarkdown && fitsBlocks(rendered);
  },
};

/**
 * All blocks together may have about 13,200 characters, buttons included: beyond that Slack answers
 * msg_blocks_too_long.
 */
const footerLimit = 1_700;

/** Enough for a notification; Slack refuses an edit whose text is longer than 4,000. */
const fallbackLimit = 300;

type MessageBlock =
  | types.MarkdownBlock
  | types.SectionBlock
  | types.ContextBlock
  | types.ActionsBlock
  | types.ContextActionsBlock;

/** A message in the fields that chat.postMessage, chat.update and response_urls share. */
export interface RenderedMessage {
  /** The text for notifications and screen readers. */
  text: string;
  blocks: MessageBlock[];
}

/** The content of a message; a command's result has its own buttons, or a menu. */
export interface ShownContent extends MessageContent {
  commandButtons?: readonly CommandButton[];
  menu?: types.StaticSelect;
}

/**
 * Renders a message for Slack: the Markdown, the small print and buttons below it, and a text for
 * notifications.
 */
export function renderMessage(
  content: ShownContent,
  style: FeedbackStyle = 'native',
): RenderedMessage {
  const text = renderMarkdown(content.markdown);
  const below = renderBelow(content, style);
  const blocks: MessageBlock[] = text.trim() ? [{ type: 'markdown', text }, ...below] : below;
  return { text: renderFallback(content.markdown), blocks };
}

/**
 * Renders a message with sections in place of the markdown block: for response_urls, and where Slack
 * refuses the block.
 */
export async function renderInSections(content: ShownContent): Promise<RenderedMessage> {
  const sections = await inSteps(renderSections(content.markdown));
  const blocks = [...sections, ...renderBelow(content, 'plain')];
  return { text: renderFallback(content.markdown), blocks };
}

/** Writes one message, again and again as it changes. */
export interface MessageWriter {
  /**
   * Sends the rendered content. If Slack refuses its blocks, sends it as sections at once and from
   * then on.
   * @throws {PlatformError}
   */
  write<Result>(
    content: ShownContent,
    send: (rendered: RenderedMessage) => Promise<Result>,
  ): Promise<Result>;
}

/** Slack may answer a text with a server error each time. After this many, it is sent as sections. */
const maxTroubles = 3;

export function createMessageWriter({
  feedback,
  log,
}: { feedback?: FeedbackStyles; log?: Log } = {}): MessageWriter {
  let isRefused = false;
  let troubles = 0;
  return {
    async write(content, send) {
      if (isRefused || troubles >= maxTroubles) {
        troubles = 0;
        return send(await renderInSections(content));
      }
      try {
        if (!feedback) return await send(renderMessage(content));
        return await feedback.write((style) => renderMessage(content, style), send);
      } catch (error) {
        if (isTrouble(error)) troubles += 1;
        if (!refusesContent(error)) throw error;
        isRefused = true;
        log?.warn({ err: error }, 'Slack refused the blocks of a message: it is sent as sections');
        return send(await renderInSections(content));
      }
    },
  };
}

const metadataType = 'causeway_reply';

/**
 * The metadata of a reply's message: the key by which it is found again.
 * docs.slack.dev/messaging/message-metadata
 */
export function renderKey(key: string | undefined): { metadata?: types.MessageMetadata } {
  if (key === undefined) return {};
  return { metadata: { event_type: metadataType, event_payload: { key } } };
}

/** Parses the key in a message's metadata; undefined if it has none of ours. */
export function parseKey(metadata: unknown): string | undefined {
  return keySchema.safeParse(metadata).data?.event_payload.key;
}

const keySchema = z.object({
  event_type: z.literal(metadataType),
  event_payload: z.object({ key: z.string() }),
});

/** Renders the small print and buttons of a message, without its Markdown. */
export function renderBelow(content: ShownContent, style: FeedbackStyle): MessageBlock[] {
  const { footer, buttons = [], commandButtons = [], menu } = content;
  const blocks: MessageBlock[] = [
    ...renderButtons(buttons, style),
    ...renderCommandButtons(commandButtons),
    ...renderMenuRow(menu),
  ];
  if (!footer) return blocks;
  // Without `verbatim`, Slack would turn names and URLs in the text into links.
  const text = renderMrkdwn(footer, footerLimit);
  return [{ type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] }, ...blocks];
}

/** With another id each time, because Slack's clients keep what was chosen in a block. */
function renderMenuRow(menu: types.StaticSelect | undefined): types.ActionsBlock[] {
  return menu ? [{ type: 'actions', block_id: randomUUID(), elements: [menu] }] : [];
}

/** Cuts Markdown to fit into one message, and adds a note if it was cut. */
export async function fitMessage(markdown: string, { places }: Texts = english): Promise<string> {
  if (messageLimits.fits(markdown)) return markdown;
  const note = `\n\n${places.cut}`;
  const fits = (start: string) => messageLimits.fits(start + note);
  const { segment } = await inSteps(takeSegment(markdown, { fits }));
  return segment + note;
}

function withHost(_: string, label: string, address: string): string {
  const host = hostToShow(label, address);
  return host === undefined ? label : `${label} (${host})`;
}

function renderFallback(markdown: string): string {
  const plain = markdown
    .slice(0, 2 * fallbackLimit)
    .replace(/^[ \t]*(?:```|~~~).*/gm, '')
    .replace(/!?\[([^[\]\n]*)\]\(([^()\n]*)\)/g, withHost)
    .replace(/^[ \t]*(?:#{1,6}|>)[ \t]+/gm, '')
    .replace(/`([^`\n]*)`|\\([!-/:-@[-`{-~])|\*\*|__|`/g, '$1$2')
    .replace(/\s+/g, ' ')
    .trim();
  return escapeText(shorten(plain, fallbackLimit));
}
