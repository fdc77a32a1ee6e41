import { createHash, randomBytes } from 'node:crypto';
import { MessageFlags } from 'discord.js';
import type { Button, MessageContent, MessageLimits } from '../conversation/thread.ts';
import type { CommandButton } from '../commands/invocation.ts';
import { renderButtons, renderCommandButtons } from './buttons.ts';
import { fitsRendered, renderMarkdown, renderSmallPrint } from './render.ts';

/** docs.discord.com/developers/resources/message, "Create Message", `content`. */
const maxCharacters = 2_000;

/** The limits of a message without small print. */
export const textLimits: MessageLimits = {
  fits: (markdown) => fitsRendered(markdown, maxCharacters),
};

/** The limits of a message that leaves room for typical small print. */
export const messageLimits: MessageLimits = {
  fits: (markdown) => fitsRendered(markdown, maxCharacters - 200),
  fitsBelow: (markdown, footer) => renderText({ markdown, footer }).length <= maxCharacters,
};

/** The content of one Discord message. */
export interface MessagePart {
  text: string;
  buttons?: readonly Button[];
  /** The buttons of a command's result. */
  commandButtons?: readonly CommandButton[];
  /** Ids of the people whom a mention in the text pings. */
  people?: readonly string[];
}

/** Renders a message: the Markdown, with its small print and buttons below. */
export function renderMessage(content: MessageContent): MessagePart {
  return { text: renderText(content), buttons: content.buttons };
}

function renderText({ markdown, footer = '' }: MessageContent): string {
  const text = renderMarkdown(markdown);
  return [...(text === '' ? [] : [text]), ...renderSmallPrint(footer)].join('\n');
}

/**
 * The request body of a part: without link previews, and pinging only `people`. An edit does not
 * inherit these settings from the post, so both send them.
 */
export function messageBody({ text, buttons = [], commandButtons = [], people = [] }: MessagePart) {
  return {
    content: text,
    components: [...renderButtons(buttons), ...renderCommandButtons(commandButtons)],
    flags: MessageFlags.SuppressEmbeds,
    allowed_mentions: {
      parse: [],
      replied_user: false,
      ...(people.length > 0 && { users: people }),
    },
  };
}

/**
 * The request body of a new message. The library retries a post whose response was lost; the nonce
 * keeps Discord from posting it twice. With the same key, that also holds for a later post, for a
 * few minutes: docs.discord.com/developers/resources/message#create-message, `enforce_nonce`.
 */
export function newMessageBody(
  part: MessagePart,
  { replyTo, key }: { replyTo?: string; key?: string } = {},
) {
  return {
    ...messageBody(part),
    nonce: key === undefined ? randomBytes(12).toString('hex') : toNonce(key),
    enforce_nonce: true,
    ...(replyTo && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
  };
}

/** A nonce has at most 25 characters. */
function toNonce(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 25);
}
