import type { Changes } from '../changes.ts';
import type { Records } from '../records.ts';
import type { Block } from './block.ts';
import type { MessageMetadata } from './content.ts';
import type { Timestamps } from './identifiers.ts';
import type {
  EphemeralMessage,
  MessageChange,
  RemovedChange,
  SlackChange,
  SlackMessage,
} from './model.ts';
import { plainText } from './plain-text.ts';

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

/** A channel without its threads, or a thread with its first message. */
export interface MessagePlace {
  channel: string;
  /** The ts of the thread's first message. */
  thread?: string;
}

/** The messages of all channels. */
export interface Messages {
  post(draft: MessageDraft): SlackMessage;
  edit(message: SlackMessage, patch: MessagePatch): SlackMessage;
  /** Changes metadata of a message, not its content. */
  amend(message: SlackMessage, patch: MessageAmendment): SlackMessage;
  /** Deletes a message. One with replies leaves a tombstone that keeps the thread. */
  remove(message: SlackMessage): void;
  /** Repeats a change that another workspace made in a channel that it shares. */
  copy(change: MessageChange | RemovedChange): void;
  find(channel: string, ts: string): SlackMessage | undefined;
  /** A channel's newest message, in a thread or not. */
  latest(channel: string): SlackMessage | undefined;
  /**
   * The messages of a place that were written before a ts, newest first. Each is read when it is
   * asked for.
   */
  newest(place: MessagePlace, before?: string): Iterable<SlackMessage>;
  /** The messages of a place that were written after a ts, oldest first, in the same way. */
  oldest(place: MessagePlace, after?: string): Iterable<SlackMessage>;
  /**
   * The texts that readers of a message have seen, as plain text, oldest first; at most the last
   * 200.
   */
  revisions(channel: string, ts: string): string[];
}

interface Revision {
  text: string;
}

const maxMessages = 10_000;
const maxRevisions = 200;

/** Keeps at most 10,000 messages per channel. Every change is announced. */
export function createMessages(
  records: Records,
  changes: Changes<SlackChange>,
  timestamps: Timestamps,
): Messages {
  const find = (channel: string, ts: string) =>
    records.get<SlackMessage>('slack.message', `${channel}:${ts}`);

  function put(message: SlackMessage): void {
    records.put('slack.message', `${message.channel}:${message.ts}`, message, message.channel);
  }

  function add(message: SlackMessage): void {
    put(message);
    addRevision(message);
    for (const id of records.trim('slack.message', maxMessages, message.channel)) {
      records.trim('slack.revision', 0, id);
    }
  }

  /** Deletes a message, or puts what remains of it in its place. */
  function drop({ channel, ts }: SlackMessage, stub?: SlackMessage): void {
    if (stub) put(stub);
    else records.delete('slack.message', `${channel}:${ts}`);
    records.trim('slack.revision', 0, `${channel}:${ts}`);
  }

  function addRevision(message: SlackMessage): void {
    const parent = `${message.channel}:${message.ts}`;
    const revision: Revision = { text: plainText(message) };
    records.put('slack.revision', `${parent}:${message.edits}`, revision, parent);
    records.trim('slack.revision', maxRevisions, parent);
  }

  function announce(
    event: MessageChange['event'],
    message: SlackMessage,
    previous?: SlackMessage,
  ): void {
    changes.announce({ kind: 'message', event, ...place(message), message, previous });
  }

  function addReply({ channel, ts, user, thread_ts: thread = ts }: SlackMessage): void {
    const root = find(channel, thread);
    if (!root) return;
    const users = new Set([...(root.reply_users ?? []), user]);
    saveReplies(root, { count: (root.reply_count ?? 0) + 1, users, latest: ts });
  }

  function removeReply(channel: string, thread: string): void {
    const root = find(channel, thread);
    if (!root) return;
    const left = [...oldest({ channel, thread })].filter(({ ts }) => ts !== thread);
    const users = new Set(left.map(({ user }) => user));
    saveReplies(root, { count: left.length, users, latest: left.at(-1)?.ts });
  }

  function saveReplies(
    root: SlackMessage,
    { count, users, latest }: { count: number; users: Set<string>; latest?: string },
  ): void {
    const replies = { reply_count: count, reply_users: [...users], latest_reply: latest };
    const counted: SlackMessage = { ...root, thread_ts: root.ts, ...replies };
    put(counted);
    announce('replied', counted);
  }

  function* newest({ channel, thread }: MessagePlace, before?: string): Generator<SlackMessage> {
    const range = { before: before && `${channel}:${before}`, thread };
    for (const message of records.newest<SlackMessage>('slack.message', channel, range)) {
      if (thread === undefined ? isTopLevel(message) : message.ts !== thread) yield message;
    }
    const root = thread && find(channel, thread);
    if (root && (!before || Number(root.ts) < Number(before))) yield root;
  }

  function* oldest({ channel, thread }: MessagePlace, after?: string): Generator<SlackMessage> {
    const root = thread && find(channel, thread);
    if (root && (!after || Number(root.ts) > Number(after))) yield root;
    const range = { after: after && `${channel}:${after}`, thread };
    for (const message of records.oldest<SlackMessage>('slack.message', channel, range)) {
      if (thread === undefined ? isTopLevel(message) : message.ts !== thread) yield message;
    }
  }

  return {
    find,
    post(draft) {
      const message: SlackMessage = { ...draft, type: 'message', ts: timestamps.next(), edits: 0 };
      add(message);
      announce('posted', message);
      if (message.thread_ts) addReply(message);
      return message;
    },
    edit(message, patch) {
      const { edited: _, blocks: old, ...rest } = message;
      const { blocks = old, metadata = message.metadata, ...changed } = patch;
      const edited: SlackMessage = {
        ...rest,
        ...changed,
        ...(blocks && blocks.length > 0 && { blocks }),
        metadata: metadata ?? undefined,
        edits: message.edits + 1,
      };
      put(edited);
      addRevision(edited);
      announce('edited', edited, message);
      return edited;
    },
    amend(message, patch) {
      const amended = { ...message, ...patch };
      put(amended);
      announce('edited', amended, message);
      return amended;
    },
    remove(message) {
      const { channel, ts } = message;
      const stub = message.reply_count ? toStub(message) : undefined;
      drop(message, stub);
      changes.announce({ kind: 'removed', ...place(message), message, stub });
      if (message.thread_ts && message.thread_ts !== ts) removeReply(channel, message.thread_ts);
    },
    copy(change) {
      if (change.kind === 'removed') drop(change.message, change.stub);
      else add(change.message);
      changes.announce(change);
    },
    latest(channel) {
      const [message] = records.newest<SlackMessage>('slack.message', channel);
      return message;
    },
    newest,
    oldest,
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
  return { channel, thread: thread_ts };
}

/** Messages that only one person sees, at most 200 per person and channel. */
export interface Ephemerals {
  post(draft: Omit<EphemeralMessage, 'ts'>): EphemeralMessage;
  replace(message: EphemeralMessage, content: Pick<EphemeralMessage, 'text' | 'blocks'>): void;
  remove(message: EphemeralMessage): void;
  find(channel: string, ts: string): EphemeralMessage | undefined;
  list(user: string, channel: string): EphemeralMessage[];
  /** Stores one that another workspace’s bot wrote in a channel that it shares. */
  copy(message: EphemeralMessage): void;
}

const maxEphemerals = 200;

/** Unlike Slack's, these ephemeral messages survive a restart. Every change is announced. */
export function createEphemerals(
  records: Records,
  changes: Changes<SlackChange>,
  timestamps: Timestamps,
): Ephemerals {
  function put(message: EphemeralMessage): void {
    const { channel, to: user, ts } = message;
    const parent = `${channel}:${user}`;
    records.put('slack.ephemeral', `${channel}:${ts}`, message, parent);
    records.trim('slack.ephemeral', maxEphemerals, parent);
    changes.announce({ kind: 'ephemeral', channel, user, message });
  }

  return {
    post(draft) {
      const message = { ...draft, ts: timestamps.next() };
      put(message);
      return message;
    },
    replace({ blocks: _blocks, ...message }, content) {
      put({ ...message, ...content });
    },
    remove({ channel, to: user, ts }) {
      records.delete('slack.ephemeral', `${channel}:${ts}`);
      changes.announce({ kind: 'ephemeral-removed', channel, user, ts });
    },
    copy: put,
    find: (channel, ts) => records.get('slack.ephemeral', `${channel}:${ts}`),
    list: (user, channel) => records.list('slack.ephemeral', `${channel}:${user}`),
  };
}
