import type { Records } from '../records.ts';
import type { Component } from './messages/components.ts';
import type { Embed } from './messages/message-schema.ts';

export interface Guild {
  id: string;
  name: string;
  owner: string;
  /** Its language, as `de`; American English by default. */
  locale?: string;
}

export interface User {
  id: string;
  username: string;
  displayName: string;
  bot: boolean;
  /** The language of their client, as `de`; American English by default. */
  locale?: string;
}

export interface Role {
  id: string;
  /** Its server; the first one if absent. */
  guild?: string;
  name: string;
  permissions: string;
  position: number;
  /** Made by Discord for a bot rather than by a person. */
  managed: boolean;
}

export interface Member {
  user: string;
  /** Its server; the first one if absent. */
  guild?: string;
  roles: string[];
  joinedAt: number;
  /** Whether they were invited to a voice channel only. */
  isGuest?: true;
}

/** What a channel allows and denies to a role (0) or a member (1), on top of the roles. */
interface Overwrite {
  id: string;
  type: 0 | 1;
  allow: string;
  deny: string;
}

/** Discord's channel types, of which the sandbox has these. */
export const ChannelType = {
  Text: 0,
  Direct: 1,
  Voice: 2,
  Announcement: 5,
  AnnouncementThread: 10,
  PublicThread: 11,
  PrivateThread: 12,
  Stage: 13,
  Forum: 15,
  Media: 16,
} as const;
export type ChannelType = (typeof ChannelType)[keyof typeof ChannelType];

export interface Channel {
  id: string;
  type: ChannelType;
  name: string;
  guild?: string;
  /** The channel a thread belongs to. */
  parent?: string;
  /** The person a direct channel joins with the bot. */
  recipient?: string;
  topic?: string;
  position: number;
  overwrites: Overwrite[];
  lastMessage?: string;
  /** What a forum's posts can be tagged with. */
  tags?: ForumTag[];
  /** Whether each post of a forum must have a tag. */
  needsTag?: boolean;
  /** The ids of a post's tags; absent for other threads. */
  appliedTags?: string[];
  /** Seconds that a person waits between two messages; 0 by default. */
  slowMode?: number;
  thread?: ThreadState;
}

/** https://docs.discord.com/developers/resources/channel#forum-tag-object */
export interface ForumTag {
  id: string;
  name: string;
  /** Whether only those who manage threads set and remove it. */
  moderated: boolean;
}

/** A channel that everyone may use as their roles allow. */
export function newChannel(
  channel: Pick<Channel, 'id' | 'type' | 'name'> & Partial<Channel>,
): Channel {
  return { position: 0, overwrites: [], ...channel };
}

/** Whether a channel has only posts, each a thread of its own: nobody can write in it itself. */
export function holdsPosts({ type }: Pick<Channel, 'type'>): boolean {
  return type === ChannelType.Forum || type === ChannelType.Media;
}

export interface ThreadState {
  owner: string;
  archived: boolean;
  locked: boolean;
  /** Minutes. */
  autoArchive: number;
  archiveChangedAt: number;
  createdAt: number;
  members: string[];
  messages: number;
}

export interface Mentions {
  everyone: boolean;
  users: string[];
  roles: string[];
}

/** The interaction that a message answers. */
export interface MessageInteraction {
  id: string;
  type: number;
  user: string;
  /** The command as people see it: `/source list`, or the name of one for messages. */
  name?: string;
  /** The message whose component was used, also where it opened the modal. */
  message?: string;
  /** The interaction that opened the modal. */
  opener?: MessageInteraction;
}

/** The texts a message has shown, oldest first. */
interface Revisions {
  message: string;
  texts: string[];
}

/** Discord's message types, of which the sandbox has these. */
export const MessageType = {
  Default: 0,
  ThreadCreated: 18,
  Reply: 19,
  ChatInputCommand: 20,
  ThreadStarterMessage: 21,
} as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

export interface Message {
  id: string;
  channel: string;
  author: string;
  type: MessageType;
  content: string;
  createdAt: number;
  editedAt?: number;
  flags: number;
  embeds: Embed[];
  components: Component[];
  attachments: string[];
  mentions: Mentions;
  /** Whom any version of the message would have notified, had its author been allowed to. */
  pings: Mentions;
  reference?: { channel: string; message: string };
  /** The message that `reference` names, as it was when it was forwarded. */
  forwarded?: Message;
  nonce?: string | number;
  interaction?: MessageInteraction;
  /** The only person who sees the message. */
  ephemeralFor?: string;
}

export interface Attachment {
  id: string;
  channel: string;
  filename: string;
  /** The name as given, when the file's name had to be changed. */
  title?: string;
  size: number;
  contentType?: string;
  description?: string;
  ephemeral: boolean;
}

/** Documents of one kind, listed in the order they were first put. */
export interface Collection<T> {
  get(id: string): T | undefined;
  list(parent?: string): T[];
  /** As in Records. */
  newest(parent: string, range?: { before?: string }): Iterable<T>;
  oldest(parent: string, range?: { after?: string }): Iterable<T>;
  put(document: T): void;
  delete(id: string): void;
  count(parent?: string): number;
  trim(keep: number, parent?: string): void;
}

/** What the server consists of. */
export interface Documents {
  guilds: Collection<Guild>;
  users: Collection<User>;
  roles: Collection<Role>;
  members: Collection<Member>;
  /** Listed by the channel they are threads of. */
  channels: Collection<Channel>;
  /** Listed by channel. */
  messages: Collection<Message>;
  revisions: Collection<Revisions>;
  attachments: Collection<Attachment>;
}

/** The server's documents, each kind under its own name in `records`. */
export function createDocuments(records: Records): Documents {
  return {
    guilds: createCollection(records, 'guild', ({ id }) => ({ id })),
    users: createCollection(records, 'user', ({ id }) => ({ id })),
    roles: createCollection(records, 'role', ({ id }) => ({ id })),
    members: createCollection(records, 'member', ({ guild, user }) => ({
      id: guild ? `${guild}:${user}` : user,
    })),
    channels: createCollection(records, 'channel', ({ id, parent }) => ({ id, parent })),
    messages: createCollection(records, 'message', ({ id, channel }) => ({ id, parent: channel })),
    revisions: createCollection(records, 'revisions', ({ message }) => ({ id: message })),
    attachments: createCollection(records, 'attachment', ({ id }) => ({ id })),
  };
}

/** A collection kept under `discord.<kind>`, with the id and parent `keys` finds in a document. */
export function createCollection<T extends object>(
  records: Records,
  kind: string,
  keys: (document: T) => { id: string; parent?: string },
): Collection<T> {
  const name = `discord.${kind}`;
  return {
    get: (id) => records.get<T>(name, id),
    list: (parent) => records.list<T>(name, parent),
    newest: (parent, range) => records.newest<T>(name, parent, range),
    oldest: (parent, range) => records.oldest<T>(name, parent, range),
    put(document) {
      const { id, parent } = keys(document);
      records.put(name, id, document, parent);
    },
    delete: (id) => records.delete(name, id),
    count: (parent) => records.count(name, parent),
    trim: (keep, parent) => records.trim(name, keep, parent),
  };
}

/** Discord's epoch, the first second of 2015: https://docs.discord.com/developers/reference#snowflakes */
const discordEpoch = 1_420_070_400_000n;

/**
 * Ids in Discord's format: ms since its epoch above 22 bits. Each is greater than the previous one
 * and than `after`, even while the clock stands still.
 */
export function createSnowflakes(now: () => number, after = 0n): () => string {
  let last = after;
  return () => {
    const earliest = (BigInt(now()) - discordEpoch) << 22n;
    last = earliest > last ? earliest : last + 1n;
    return last.toString();
  };
}

/** When an id was created, in ms since the Unix epoch. */
export function toMilliseconds(snowflake: string): number {
  return Number((BigInt(snowflake) >> 22n) + discordEpoch);
}
