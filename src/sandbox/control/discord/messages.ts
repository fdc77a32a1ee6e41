import type { ShownMessage as DiscordMessage } from '../../discord/changes.ts';
import type { DiscordServer } from '../../discord/discord-server.ts';
import { MessageFlag } from '../../discord/messages/message-form.ts';
import { toPerson } from './overview.ts';
import { toParts } from './parts.ts';
import type { Part, ShownMessage } from '../shown.ts';

/** The server's messages as people see them. */
export interface DiscordMessages {
  /** Oldest first: a channel's messages, or a thread's together with the message it starts from. */
  list(place: { user: string; channel: string; thread?: string }): ShownMessage[];
  find(channel: string, id: string): DiscordMessage | undefined;
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
  const parents = new Map<string, string>();

  /** A thread never changes its channel, so each is looked up once. */
  function place(id: string): { channel: string; thread?: string } {
    const known = parents.get(id);
    if (known) return { channel: known, thread: id };
    const channels = discord.channels();
    if (channels.some((channel) => channel.id === id)) return { channel: id };
    const parent = channels.find((channel) =>
      discord.threads(channel.id).some((thread) => thread.id === id),
    );
    if (!parent) return { channel: id };
    parents.set(id, parent.id);
    return { channel: parent.id, thread: id };
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
      ...(message.thread && { threadLabel: nameOfThread(message.channel, message.thread) }),
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

  function nameOfThread(channel: string, id: string): string {
    return discord.threads(channel).find((thread) => thread.id === id)?.name ?? 'Thread';
  }

  return {
    list({ user, channel, thread }) {
      const opener = thread ? discord.messages(channel).find(({ id }) => id === thread) : undefined;
      const all = [...(opener ? [opener] : []), ...discord.messages(thread ?? channel)];
      const seen = all.filter(({ ephemeralFor }) => !ephemeralFor || ephemeralFor === user);
      return seen.map(show);
    },
    find: (channel, id) => discord.messages(channel).find((message) => message.id === id),
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
