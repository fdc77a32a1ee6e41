import { z } from 'zod';
import {
  type Channel,
  channelKey,
  type MessageAddress,
  messageKey,
  shortId,
  ThreadAddress,
} from '../address.ts';
import { Attachment, Source } from '../chatbot.ts';
import type { Author, IncomingMessage } from '../platform.ts';
import type { ButtonAction } from '../thread.ts';

/**
 * What happened: a message, its edit or deletion, a press of a button, a stop by the platform's own
 * button, or a command that the platform does not deliver as a message.
 */
const inboxKinds = ['message', 'edit', 'removal', 'press', 'stop', 'command'] as const;
export type InboxKind = (typeof inboxKinds)[number];

/** How far a row is handled; docs/decisions/0023-inbox.md explains each state. */
export const turnStates = [
  'received',
  'command',
  'accepted',
  'asking',
  'showing',
  'ending',
  'ended',
  'handled',
] as const;
export type TurnState = (typeof turnStates)[number];

const person = z.object({ id: z.string(), name: z.string(), locale: z.string().optional() });

const button = z.object({
  action: z.string() as unknown as z.ZodType<ButtonAction>,
  label: z.string(),
  turn: z.string(),
});

/** Something that happened; what is known of it depends on its kind and state. */
export const InboxRow = z.object({
  id: z.string(),
  kind: z.enum(inboxKinds),
  state: z.enum(turnStates),
  /** When it was stored, in milliseconds since the epoch, as all times here. */
  createdAt: z.number(),
  /** When it is to be worked on next. Without meaning once nothing is left to do. */
  dueAt: z.number(),
  /** How often its next step has failed in a row, and since when. */
  attempts: z.number(),
  failingSince: z.number().optional(),
  platform: z.string(),
  workspace: z.string(),
  channel: z.string(),
  /** The message that it is about; for a press or stop, that of its turn, if it is known. */
  messageId: z.string(),
  /** While `received`: what is needed to handle it, as JSON. */
  event: z.unknown().optional(),
  /** The process that runs a command, where several share a store: while it lives, nobody else does. */
  runBy: z.string().optional(),
  /** The message was delivered as one that is not addressed to us. */
  overheard: z.boolean().optional(),
  /** The message was sent while the bot was away. */
  missed: z.boolean().optional(),
  /** The message is the bot's own: it posts what somebody asks by a command. */
  isOurs: z.boolean().optional(),
  /** The thread that it is in, or would open, by the platform's id: what is in one keeps its order. */
  thread: z.string().optional(),
  address: ThreadAddress.optional(),
  author: person.optional(),
  query: z.string().optional(),
  /** The question as it was edited after the query had been sent. */
  edited: z.string().optional(),
  /** Ids of the tags of the forum post that it is in. */
  tags: z.array(z.string()).optional(),
  /** What people said before the question, one line each. */
  context: z.string().optional(),
  /** The files beside the question that it needs when it is asked again. */
  files: z.array(Attachment).optional(),
  /** What is said in those that are voice notes: it is part of the query. */
  heard: z.string().optional(),
  /** The documents that the service has made of them. */
  documents: z.array(z.string()).optional(),
  /**
   * Nothing is posted unless the service is sure of its answer; `unasked`: nor if it fails, because
   * nobody addressed the bot. A question that was left without an answer is `handled`.
   */
  quiet: z.enum(['unasked', 'always']).optional(),
  /** Managers may be among those who read the reply. */
  isTeachable: z.boolean().optional(),
  /** Who taught the answer for which it was asked again. */
  taughtBy: person.optional(),
  /** Names the files that were not read. */
  unread: z.string().optional(),
  /** Counts how often the question was asked again. */
  attempt: z.number(),
  session: z.string().optional(),
  /** What the query was sent with, where the service takes keys: it may be sent again. */
  key: z.string().optional(),
  /** How many starts have asked for the reply again. */
  continued: z.number().optional(),
  /** When somebody last asked for an answer, if not with the message itself. */
  askedAt: z.number().optional(),
  /** When the query was sent to the service. */
  sentAt: z.number().optional(),
  /** The newest message in the session before the query was sent; empty if there was none. */
  after: z.string().optional(),
  /** The ids of the reply's messages, in order. */
  posted: z.array(z.string()),
  /** While `ending`: what to show. */
  ending: z
    .object({
      text: z.string(),
      footer: z.string(),
      buttons: z.array(button),
      /** The markers that have a source; others are removed from the text. */
      markers: z.array(z.string()).optional(),
      /** What an earlier run has shown stays; the text comes below it. */
      keepsShown: z.boolean().optional(),
    })
    .optional(),
  /** How often in a row something refused the ending with this HTTP status. */
  refusals: z.object({ status: z.number(), count: z.number() }).optional(),
  /** The reply's message at the service. */
  answer: z.string().optional(),
  /** The cited sources, in the order of the footnotes. */
  sources: z.array(Source).optional(),
  /** The reply broke off, and the service has not said yet whether it has it whole. */
  unsettled: z.boolean().optional(),
  /** Readers' feedback, by user id. */
  feedback: z.record(z.string(), z.enum(['helpful', 'unhelpful'])).optional(),
  /** Why readers found it not helpful, by user id. */
  remarks: z.record(z.string(), z.string()).optional(),
  /** The newest edit that was applied. */
  edition: z.string().optional(),
  /** The message that offers to answer the edited question. */
  editNote: z.string().optional(),
  /** The row of the press that last asked the question again. */
  askedBy: z.string().optional(),
  /** Its message was deleted: nothing more comes of it. */
  removed: z.boolean().optional(),
});
export type InboxRow = z.infer<typeof InboxRow>;

/** How a reply ends: what is shown below its text. */
export type Ending = NonNullable<InboxRow['ending']>;

/** What a row becomes when there is nothing left to do about it and nothing worth keeping. */
export const handled = { state: 'handled', event: undefined } as const;

/** Whether a row waits for those of its lane that came before it. */
export function isInLane({ kind, state }: Pick<InboxRow, 'kind' | 'state'>): boolean {
  return state === 'received' && (kind === 'message' || kind === 'edit');
}

/** What keeps its order: the messages of a thread and their edits. */
export function laneOf(row: InboxRow): string {
  return `${channelKey(row)}:${row.thread ?? row.messageId}`;
}

/** A query and its reply. */
export type TurnRecord = InboxRow & Required<Pick<InboxRow, 'address' | 'author' | 'query'>>;

export type Feedback = NonNullable<InboxRow['feedback']>[string];

/** A row as a turn; undefined if the message is not a question, or not yet known to be one. */
export function asTurn(row: InboxRow | undefined): TurnRecord | undefined {
  const isTurn = row?.kind === 'message' && row.address && row.author && row.query !== undefined;
  return isTurn ? (row as TurnRecord) : undefined;
}

/** Whether a question was left without an answer, because the service was not sure of one. */
export function isLeftOpen({ quiet, state }: InboxRow): boolean {
  return quiet !== undefined && state === 'handled';
}

/** Whether a message is not for us, as far as is known: a later event or edit may mention us. */
export function isForNobody(row: InboxRow): boolean {
  const { overheard, address, removed, state } = row;
  const isUndecided = state === 'received' || state === 'handled';
  return isUndecided && overheard === true && (!address || isLeftOpen(row)) && !removed;
}

/** The id of a turn, which follows from its message. */
export function turnId(channel: Channel, messageId: string): string {
  return shortId(messageKey(channel, messageId));
}

/** The row of a message that has not been read yet. */
export function toReceivedRow(message: MessageAddress, event?: unknown): InboxRow {
  return toRow({ kind: 'message', id: turnId(message, message.id), message, event });
}

/** A row with a change. A step that was taken makes earlier failures forgotten. */
export function changeRow(row: InboxRow, change: Partial<InboxRow>): InboxRow {
  const isStep = change.state !== undefined && change.state !== row.state;
  return { ...row, ...(isStep && { attempts: 0, failingSince: undefined }), ...change };
}

/** A row of something that has just happened. */
export function toRow(happened: {
  kind: InboxKind;
  id: string;
  message: MessageAddress;
  event?: unknown;
}): InboxRow {
  const { kind, id, message, event } = happened;
  const { platform, workspace, channel, id: messageId } = message;
  const place = { platform, workspace, channel, messageId };
  const now = Date.now();
  const times = { createdAt: now, dueAt: now, attempts: 0 };
  return { id, kind, state: 'received', ...times, ...place, event, attempt: 0, posted: [] };
}

/** What identifies a message. */
export function toAddress({ id, thread }: IncomingMessage): MessageAddress {
  const { platform, workspace, channel } = thread.address;
  return { platform, workspace, channel, id };
}

/** A person as rows have them. */
export function toPerson({ id, name, locale }: Author) {
  return { id, name, locale };
}

/** What a message that is for us adds to its row; its event is no longer needed. */
export function toTurn({ author, text, files, thread, post, addressed }: IncomingMessage) {
  return {
    event: undefined,
    address: thread.address,
    author: toPerson(author),
    query: text,
    documents: undefined,
    heard: undefined,
    isTeachable: addressed !== 'direct' || author.isManager,
    ...(files && { files }),
    ...(post && { tags: [...post.tags] }),
  };
}
