import { randomBytes } from 'node:crypto';
import { MessageFlags } from 'discord.js';
import type { Button, MessageContent, MessageLimits } from '../conversation/ports.ts';
import type { CommandButton } from '../commands/invocation.ts';
import { renderButtons, renderCommandButtons } from './buttons.ts';
import { renderMarkdown, renderSmallPrint } from './render.ts';

/** docs.discord.com/developers/resources/message, "Create Message", `content`. */
const maxCharacters = 2_000;

/** What a message without small print holds. */
export const textLimits: MessageLimits = {
  fits: (markdown) => renderMarkdown(markdown).length <= maxCharacters,
};

/** Most small print fits below a text of this size. */
export const messageLimits: MessageLimits = {
  fits: (markdown) => renderMarkdown(markdown).length <= maxCharacters - 200,
};

/** What one message of Discord's shows. */
export interface MessagePart {
  text: string;
  buttons?: readonly Button[];
  /** Those of a command's result. */
  commandButtons?: readonly CommandButton[];
  /** Ids of people whom it calls, where its text mentions them. */
  people?: readonly string[];
}

/**
 * The parts that show a message: the Markdown with its small print, or, where that does not fit
 * below it, the Markdown alone and the small print in further parts. The buttons stand below all.
 */
export function renderMessage(content: MessageContent): [MessagePart, ...MessagePart[]] {
  const [text, ...below] = renderTexts(content);
  const { buttons } = content;
  const further = below.map((print, index) =>
    index === below.length - 1 ? { text: print, buttons } : { text: print },
  );
  return [further.length > 0 ? { text } : { text, buttons }, ...further];
}

function renderTexts({ markdown, footer }: MessageContent): [string, ...string[]] {
  const text = renderMarkdown(markdown);
  if (!footer) return [text];
  const print = renderSmallPrint(footer);
  const whole = [text, ...print].join('\n');
  return whole.length <= maxCharacters ? [whole] : [text, ...fill(print)];
}

/** Lines in as few texts as hold them. */
function fill(lines: readonly string[]): string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    const fits = last !== undefined && last.length + 1 + line.length <= maxCharacters;
    if (fits) texts[texts.length - 1] = `${last}\n${line}`;
    else texts.push(line);
  }
  return texts;
}

/**
 * The body that shows a part: links don't unfurl, and nobody is pinged but whom it calls. Discord goes by what an edit
 * says, not by what was said when the message was posted, so both say all of it.
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
 * The body of a new message. The library repeats a post whose answer got lost; by the nonce Discord
 * knows it again and posts nothing twice.
 */
export function newMessageBody(part: MessagePart, replyTo?: string) {
  return {
    ...messageBody(part),
    nonce: randomBytes(12).toString('hex'),
    enforce_nonce: true,
    ...(replyTo && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
  };
}
