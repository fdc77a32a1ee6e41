import { type Message, MessageType } from 'discord.js';
import type { ForumPost } from '../conversation/platform.ts';

/** Types of messages that people write. The others are notices: a pin, a new member, a new thread. */
const written = new Set([MessageType.Default, MessageType.Reply]);

/**
 * Whether a person wrote a message, not a bot (this one included), a webhook or Discord itself.
 * docs.discord.com/developers/resources/message, "Message Types".
 */
export function isWritten({ type, author, webhookId }: Message): boolean {
  return written.has(type) && !author.bot && !author.system && !webhookId;
}

/** The ids by which another bot or a webhook can be named; undefined if neither wrote a message. */
export function idsOfBot(message: Message): string[] | undefined {
  const { type, author, webhookId, applicationId, client } = message;
  if (!written.has(type) || author.system || author.id === client.user.id) return undefined;
  return author.bot || webhookId ? [author.id, applicationId ?? []].flat() : undefined;
}

/** Whether a person or another bot said something, and not Discord itself. */
export function isSaid({ type, author }: Message): boolean {
  return (written.has(type) || type === MessageType.ChatInputCommand) && !author.system;
}

/** What a message says, with what it forwards and with names instead of ids. */
export function readWords(message: Message): string {
  const said = [readText(message, []), ...readForwarded(message)].filter(Boolean).join(' ');
  return withTitle(message, said);
}

/** The post of a forum or media channel that a message is in. */
export function findPost({ id, channel }: Message): ForumPost | undefined {
  if (!channel.isThread() || !channel.parent?.isThreadOnly()) return undefined;
  return { isFirst: id === channel.id, tags: channel.appliedTags };
}

/** What a message says; where it is a post, after the post's title. */
export function withTitle(message: Message, text: string): string {
  if (!findPost(message)?.isFirst || !message.channel.isThread()) return text;
  const { name } = message.channel;
  return text.startsWith(name) ? text : [name, text].filter(Boolean).join('\n\n');
}

/** The forwarded texts of a message, which then has no text of its own. */
export function readForwarded({ messageSnapshots, guild, client }: Message): string[] {
  return messageSnapshots.map(({ content, mentions }) =>
    readText({ content, mentions, guild }, [client.user.id]),
  );
}

/** A text without the mentions of the bot, and with names instead of ids. */
export function readText(message: TextWithIds & Pick<Message, 'content'>, ofBot: string[]): string {
  return withNames(message, withoutMentions(message.content, ofBot));
}

type TextWithIds = Pick<Message, 'mentions' | 'guild'>;

/** A text of a message with names instead of ids. */
export function withNames({ mentions, guild }: TextWithIds, text: string): string {
  return toReadableText(text, {
    user: (id) => (mentions.members?.get(id) ?? mentions.users.get(id))?.displayName,
    role: (id) => guild?.roles.cache.get(id)?.name,
    channel: (id) => guild?.channels.cache.get(id)?.name,
  });
}

/** A mention of a user, role, channel or command, a custom emoji, or a point in time. */
const token = /<(?:(@!?|@&|#)(\d+)|a?:(\w+):\d+|\/([^:<>\n]+):\d+|t:(-?\d{1,10})(?::[tTdDfFR])?)>/g;

/** Names for the ids in a text. */
export interface Names {
  user(id: string): string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

/**
 * Converts a Discord text to readable text: names for `<@1>`, `<@&1>` and `<#1>`, `:name:` for an
 * emoji, the time for a timestamp (docs.discord.com/developers/reference#message-formatting).
 */
export function toReadableText(text: string, names: Names): string {
  return text.replace(
    token,
    (whole, kind?: string, id = '', emoji?: string, command?: string, seconds?: string) => {
      if (kind === '#') return `#${names.channel(id) ?? 'channel'}`;
      if (kind === '@&') return `@${names.role(id) ?? 'role'}`;
      if (kind) return `@${names.user(id) ?? 'someone'}`;
      if (emoji) return `:${emoji}:`;
      if (command) return `/${command}`;
      return readableTime(Number(seconds)) ?? whole;
    },
  );
}

function readableTime(seconds: number): string | undefined {
  const time = new Date(seconds * 1000);
  if (Number.isNaN(time.getTime())) return undefined;
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Removes the given mentions, such as `<@1>`, and a comma after one. */
export function withoutMentions(text: string, ids: readonly string[]): string {
  if (ids.length === 0) return text.trim();
  const pattern = new RegExp(
    `(?<![ \\t])[ \\t]*<@[!&]?(?:${ids.join('|')})>(?:[ \\t]*[,:](?=\\s))?`,
    'g',
  );
  return text.replace(pattern, '').trim();
}
