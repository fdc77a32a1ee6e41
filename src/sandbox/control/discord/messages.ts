import type { ShownMessage as DiscordMessage } from '../../discord/changes.ts';
import type { DiscordServer } from '../../discord/discord-server.ts';
import { MessageFlag } from '../../discord/messages/message-form.ts';
import { toPerson } from './overview.ts';
import { toParts } from './components.ts';
import type { Conversation, Range } from '../platform-control.ts';
import type { Part, ShownMessage } from '../shown.ts';

/** The server's messages as people see them. */
export interface DiscordMessages {
  /** A channel's messages, or a thread's together with the message it starts from. */
  list(at: Conversation & Range): Iterable<ShownMessage>;
  /** Whether a person or bot wrote it; a thread's own notices are not. */
  isSaid(message: DiscordMessage): boolean;
  show(message: DiscordMessage): ShownMessage;
  /** A channel, or a thread and its channel. */
  place(channel: string): { channel: string; thread?: string };
  /** The text that says someone is typing. */
  activity(user: string): string;
}

/** Normal messages, replies, and responses to commands. */
const saidTypes = new Set([0, 19, 20]);

export function createDiscordMessages(discord: DiscordServer): DiscordMessages {
  function place(id: string): { channel: string; thread?: string } {
    const parent = discord.channel(id)?.parent;
    return parent ? { channel: parent, thread: id } : { channel: id };
  }

  function show(message: DiscordMessage): ShownMessage {
    const { id, author, attachments, reference, createdAt, editedAt, ephemeralFor } = message;
    const at = place(message.channel);
    const { displayName, bot, username } = author;
    const { answers } = message;
    return {
      id,
      ...at,
      inChannel: at.thread === undefined,
      author: { id: author.id, name: username, displayName, bot },
      at: createdAt,
      edited: editedAt !== undefined,
      ...(ephemeralFor && { onlyFor: ephemeralFor }),
      ...(answers && { command: { user: toPerson(answers.user), name: answers.command } }),
      ...(reference && { replyTo: reference.message }),
      ...(message.thread && { threadLabel: discord.channel(message.thread)?.name }),
      ...(!bot && { source: message.content }),
      parts: partsOf(message),
      files: [...attachments, ...(message.forwarded?.attachments ?? [])].map(
        ({ filename, title, size, url }) => ({
          name: title ? `${title}${/\.[^.]*$/.exec(filename)?.[0] ?? ''}` : filename,
          size,
          url,
        }),
      ),
    };
  }

  return {
    *list({ user, channel, thread, before, after }) {
      const at = thread ?? channel;
      const opener = thread && discord.message(thread);
      const isOpened = opener && opener.channel === channel;
      const isSeen = ({ ephemeralFor }: DiscordMessage) => !ephemeralFor || ephemeralFor === user;
      const found = after ? discord.oldest(at, after) : discord.newest(at, before);
      yield* Iterator.from(found).filter(isSeen).map(show);
      if (isOpened && !after && before !== thread) yield show(opener);
    },
    isSaid: ({ type }) => saidTypes.has(type),
    show,
    place,
    activity(user) {
      const typist = discord.users().find(({ id }) => id === user);
      return `${typist?.displayName ?? 'Someone'} is typing…`;
    },
  };
}

function partsOf({
  flags,
  author,
  content,
  forwarded,
  embeds,
  components,
}: DiscordMessage): Part[] {
  if (flags & MessageFlag.Loading) {
    return [{ kind: 'small', dialect: 'plain', text: `${author.displayName} is thinking…` }];
  }
  const quoted = forwarded?.content.replace(/^/gm, '> ') ?? '';
  return toParts(content || quoted, embeds, components);
}
