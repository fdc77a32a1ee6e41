import type { Changes } from '../changes.ts';
import type { Records } from '../records.ts';
import type { Block } from './block.ts';
import type { SlackMessage } from './message.ts';
import type { MessageMetadata } from './metadata.ts';
import { plainText } from './plain-text.ts';
import type { SlackChange } from './slack-changes.ts';
import type { Timestamps } from './timestamps.ts';

/** A message without its timestamp. */
type MessageDraft = Omit<SlackMessage, 'type' | 'ts' | 'edits'>;
/** The fields that an edit changes. Omitted ones stay, except that the message becomes "edited". */
type MessagePatch = Partial<Pick<SlackMessage, 'text' | 'files' | 'streaming_state'>> & {
  /** Null removes the metadata. */
  metadata?: MessageMetadata | null;
  /** An empty list removes the blocks. */
  blocks?: Block[];
  edited?: { user: string; ts: string };
};

type MessageAmendment = Pick<SlackMessage, 'attachments' | 'streaming_state' | 'interrupted'>;

/** The messages of all channels. */
export interface Messages {
  post(draft: MessageDraft): SlackMessage;
  edit(message: SlackMessage, patch: MessagePatch): SlackMessage;
  /** Changes metadata of a message, not its content. */
  amend(message: SlackMessage, patch: MessageAmendment): SlackMessage;
  /** Deletes a message. One with replies leaves a tombstone that keeps the thread. */
  remove(message: SlackMessage): void;
  find(channel: string, ts: string): SlackMessage | undefined;
  /** A channel's messages outside threads, oldest first. */
  list(channel: string): SlackMessage[];
  /** A thread's first message and its replies, oldest first. */
  thread(channel: string, ts: string): SlackMessage[];
  /**
   * The texts that readers of a message have seen, as plain text, oldest first; at most the last
   * 200.
   */
  revisions(channel: string, ts: string): string[];
}

interface MessagesOptions {
  records: Records;
  changes: Changes<SlackChange>;
  timestamps: Timestamps;
}

interface Revision {
  text: string;
}

const maxMessages = 5_000;
const maxRevisions = 200;

/** Keeps at most 5,000 messages per channel. Every change is announced. */
export function createMessages({ records, changes, timestamps }: MessagesOptions): Messages {
  const find = (channel: string, ts: string) =>
    records.get<SlackMessage>('slack.message', `${channel}:${ts}`);
  const all = (channel: string) => records.list<SlackMessage>('slack.message', channel);

  function put(message: SlackMessage): void {
    records.put('slack.message', `${message.channel}:${message.ts}`, message, message.channel);
  }

  function addRevision(message: SlackMessage): void {
    const parent = `${message.channel}:${message.ts}`;
    const revision: Revision = { text: plainText(message) };
    records.put('slack.revision', `${parent}:${message.edits}`, revision, parent);
    records.trim('slack.revision', maxRevisions, parent);
  }

  function announce(event: 'posted' | 'edited' | 'replied', message: SlackMessage): void {
    changes.announce({ kind: 'message', event, ...place(message), message });
  }

  function announceEdit(message: SlackMessage, previous: SlackMessage): void {
    changes.announce({ kind: 'message', event: 'edited', ...place(message), message, previous });
  }

  function countReplies(channel: string, ts: string): void {
    const root = find(channel, ts);
    if (!root) return;
    const replies = all(channel).filter((reply) => reply.thread_ts === ts && reply.ts !== ts);
    const users = [...new Set(replies.map((reply) => reply.user))];
    const latest = replies.at(-1)?.ts;
    const { latest_reply: _, ...rest } = root;
    const counted: SlackMessage = {
      ...rest,
      thread_ts: ts,
      reply_count: replies.length,
      reply_users: users,
      ...(latest && { latest_reply: latest }),
    };
    put(counted);
    announce('replied', counted);
  }

  return {
    find,
    post(draft) {
      const message: SlackMessage = { ...draft, type: 'message', ts: timestamps.next(), edits: 0 };
      put(message);
      addRevision(message);
      for (const id of records.trim('slack.message', maxMessages, message.channel)) {
        records.trim('slack.revision', 0, id);
      }
      announce('posted', message);
      if (message.thread_ts) countReplies(message.channel, message.thread_ts);
      return message;
    },
    edit(message, patch) {
      const { edited: _, blocks: old, ...rest } = message;
      const { blocks = old, metadata = message.metadata, ...changed } = patch;
      const edits = message.edits + 1;
      const kept = blocks && blocks.length > 0 ? { blocks } : {};
      const edited: SlackMessage = {
        ...rest,
        ...changed,
        ...kept,
        metadata: metadata ?? undefined,
        edits,
      };
      put(edited);
      addRevision(edited);
      announceEdit(edited, message);
      return edited;
    },
    amend(message, patch) {
      const amended = { ...message, ...patch };
      put(amended);
      announceEdit(amended, message);
      return amended;
    },
    remove(message) {
      const { channel, ts } = message;
      const stub = message.reply_count ? toStub(message) : undefined;
      if (stub) put(stub);
      else records.delete('slack.message', `${channel}:${ts}`);
      records.trim('slack.revision', 0, `${channel}:${ts}`);
      changes.announce({ kind: 'removed', ...place(message), message, ...(stub && { stub }) });
      if (message.thread_ts && message.thread_ts !== ts) countReplies(channel, message.thread_ts);
    },
    list: (channel) => all(channel).filter((message) => isTopLevel(message)),
    thread: (channel, ts) =>
      all(channel).filter((message) => message.ts === ts || message.thread_ts === ts),
    revisions: (channel, ts) =>
      records.list<Revision>('slack.revision', `${channel}:${ts}`).map((revision) => revision.text),
  };
}

function toStub({ blocks: _blocks, files: _files, ...rest }: SlackMessage): SlackMessage {
  return { ...rest, subtype: 'tombstone', text: 'This message was deleted.' };
}

/** Whether a message appears in its channel, not only in a thread. */
export function isTopLevel({ thread_ts, ts, subtype }: SlackMessage): boolean {
  return !thread_ts || thread_ts === ts || subtype === 'thread_broadcast';
}

function place({ channel, thread_ts }: SlackMessage): { channel: string; thread?: string } {
  return { channel, ...(thread_ts && { thread: thread_ts }) };
}
