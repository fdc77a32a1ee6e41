import type { AttachmentPayload } from './attachments.ts';
import type { Component } from './messages/component-tree.ts';
import type { ChannelType, Mentions, User } from './documents.ts';
import type { ModalComponent } from './interactions/modal-form.ts';

/** A message as people see it. */
export interface ShownMessage {
  id: string;
  channel: string;
  author: User;
  type: number;
  content: string;
  embeds: object[];
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
  parent?: string;
  recipient?: string;
  archived?: boolean;
  locked?: boolean;
}

/** A form that the bot opens for a person. */
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
  | { kind: 'gateway'; event: 'ready' | 'resumed' | 'closed'; session: string }
  /** All messages, threads and files are gone. */
  | { kind: 'emptied' };
