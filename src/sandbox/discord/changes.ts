import { channel } from 'node:diagnostics_channel';
import type { AttachmentPayload } from './attachments.ts';
import type { ChannelType, ForumTag, Mentions, MessageType, User } from './documents.ts';
import type { ModalComponent } from './interactions/modal-schema.ts';
import type { Component } from './messages/components.ts';
import type { Embed } from './messages/message-schema.ts';

/** A message as people see it. */
export interface ShownMessage {
  id: string;
  channel: string;
  author: User;
  type: MessageType;
  content: string;
  embeds: Embed[];
  components: Component[];
  attachments: AttachmentPayload[];
  flags: number;
  reference?: { channel: string; message: string };
  /** The command that it answers, and who used it. */
  answers?: { user: User; command: string };
  /** What it forwards. */
  forwarded?: { content: string; attachments: AttachmentPayload[] };
  /** The thread that starts from this message. */
  thread?: string;
  /** The only person who sees it. */
  ephemeralFor?: string;
  /** Everyone that any version of it mentions, whether or not its author may ping them. */
  pings: Mentions;
  /** Milliseconds since the epoch. */
  createdAt: number;
  editedAt?: number;
}

/** A channel, thread or direct channel as people see it. */
export interface ShownChannel {
  id: string;
  type: ChannelType;
  name: string;
  /** The id of its server. */
  guild?: string;
  parent?: string;
  recipient?: string;
  /** Present for forum and media channels. */
  forum?: { tags: ForumTag[]; needsTag: boolean };
  archived?: boolean;
  locked?: boolean;
  /** Who opened a thread. */
  owner?: string;
  /** The ids of a post's tags. */
  appliedTags?: string[];
}

/** A modal that the bot opens for a person. */
export interface ShownModal {
  /** The id of the interaction that opened it, for `submit`. */
  id: string;
  user: string;
  channel: string;
  customId: string;
  title: string;
  components: ModalComponent[];
}

/** The changes on the server. */
export type DiscordChange =
  | {
      kind: 'message';
      event: 'posted' | 'edited' | 'removed';
      channel: string;
      message: ShownMessage;
    }
  | { kind: 'channel'; event: 'created' | 'changed'; channel: ShownChannel }
  | { kind: 'typing'; channel: string; user: string }
  | { kind: 'modal'; modal: ShownModal }
  | { kind: 'commands' }
  /** The bot joined or left a server. */
  | { kind: 'guilds' }
  | { kind: 'gateway'; event: 'ready' | 'resumed' | 'closed'; session: string }
  /** A shard has to wait until it may begin a session. */
  | { kind: 'refused' }
  /** All messages, threads and files are gone. */
  | { kind: 'emptied' };

/** What a bot and the server send each other. */
export type Sent =
  | { kind: 'call'; call: SentCall; answer: { status: number; body?: object } }
  /** A dispatch of the gateway, such as `MESSAGE_CREATE`. */
  | { kind: 'event'; name: string; data: object };

/** A request as it was read. */
export interface SentCall {
  method: string;
  /** Below the API's base, such as `/channels/1/messages`. */
  path: string;
  query: URLSearchParams;
  /** The JSON body, or the `payload_json` part. */
  body: unknown;
}

const sent = channel('causeway.sandbox.discord.sent');

/** Publishes what is sent; costs nothing where nobody listens. */
export function publishSent(message: Sent): void {
  if (sent.hasSubscribers) sent.publish(message);
}
