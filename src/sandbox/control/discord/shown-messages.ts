import { extname } from 'node:path';
import type { ShownMessage as DiscordMessage } from '../../discord/changes.ts';
import type { DiscordServer } from '../../discord/discord-server.ts';
import { MessageFlag } from '../../discord/messages/message-schema.ts';
import { toPerson } from './overview.ts';
import { toParts } from './components.ts';
import type { Conversation, Range } from '../platform-control.ts';
import type { Part, ShownMessage } from '../shown.ts';

export type DiscordMessages = ReturnType<typeof createDiscordMessages>;

/** The server's messages as people see them. */
export function createDiscordMessages(discord: DiscordServer) {
  /** A channel, or a thread and its channel. */
  function place(id: string): { channel: string; thread?: string } {
    const parent = discord.channel(id)?.parent;
    return parent ? { channel: parent, thread: id } : { channel: id };
  }

  function show(message: DiscordMessage): ShownMessage {
    const { id, author, reference, createdAt, editedAt, ephemeralFor, answers } = message;
    const { displayName, bot, username } = author;
    const at = place(message.channel);
    const attachments = [...message.attachments, ...(message.forwarded?.attachments ?? [])];
    return {
      id,
      ...at,
      inChannel: at.thread === undefined,
      author: { id: author.id, name: username, displayName, bot },
      at: createdAt,
      edited: editedAt !== undefined,
      onlyFor: ephemeralFor,
      command: answers && { user: toPerson(answers.user), name: answers.command },
      replyTo: reference?.message,
      threadLabel: message.thread && discord.channel(message.thread)?.name,
      source: bot ? undefined : message.content,
      parts: partsOf(message),
      files: attachments.map(({ filename, title, size, url }) => ({
        name: title ? `${title}${extname(filename)}` : filename,
        size,
        url,
      })),
    };
  }

  return {
    /** A channel's messages, or a thread's together with the message it starts from. */
    *list({ user, channel, thread, before, after }: Conversation & Range): Generator<ShownMessage> {
      const at = thread ?? channel;
      const opener = thread && discord.message(thread);
      const isOpened = opener && opener.channel === channel;
      const isSeen = ({ ephemeralFor }: DiscordMessage) => !ephemeralFor || ephemeralFor === user;
      const found = after ? discord.oldest(at, after) : discord.newest(at, before);
      yield* Iterator.from(found).filter(isSeen).map(show);
      if (isOpened && !after && before !== thread) yield show(opener);
    },
    show,
    place,
    /** The text that says someone is typing. */
    activity(user: string): string {
      const typist = discord.users().find(({ id }) => id === user);
      return `${typist?.displayName ?? 'Someone'} is typing…`;
    },
  };
}

function partsOf(message: DiscordMessage): Part[] {
  const { author, content, forwarded, embeds, components } = message;
  if (message.flags & MessageFlag.Loading) {
    return [{ kind: 'small', dialect: 'plain', text: `${author.displayName} is thinking…` }];
  }
  const quoted = forwarded?.content.replace(/^/gm, '> ') ?? '';
  return toParts(content || quoted, embeds, components);
}
