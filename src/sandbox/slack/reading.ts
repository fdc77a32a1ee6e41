import type { Changes, WaitOptions } from '../changes.ts';
import type { Directory } from './directory.ts';
import type { SlackFile } from './files.ts';
import { isTopLevel, type MessagePlace, type Messages } from './message-store.ts';
import type {
  EphemeralMessage,
  MessageChange,
  SessionStatus,
  SlackChange,
  SlackMessage,
  SlackView,
} from './model.ts';
import type { Parts } from './parts.ts';

/** What can be seen in the workspace. */
export interface Reading
  extends
    Pick<Directory, 'users' | 'channels' | 'direct' | 'userGroups'>,
    Pick<Messages, 'latest' | 'newest' | 'oldest' | 'revisions'>,
    Pick<Changes<SlackChange>, 'waitFor'> {
  /** A channel's messages outside threads, or a thread's including the first; newest last. */
  messages(channel: string, thread?: string): SlackMessage[];
  /** The message with a ts, wherever it appears. */
  message(channel: string, ts: string): SlackMessage | undefined;
  /** The messages in a channel that only this user sees, newest last. */
  ephemerals(user: string, channel: string): EphemeralMessage[];
  /** A user's open modals; the last one is on top. */
  modals(user: string): SlackView[];
  /** The app's status in a thread; empty if there is none. */
  status(channel: string, thread: string): string;
  /** The status of the app's session with a thread; undefined if there is none. */
  session(channel: string, thread: string): SessionStatus | undefined;
  /** A file's bytes, for the page. */
  file(id: string): { file: SlackFile; bytes: ReadableStream<Uint8Array> } | undefined;
  /** All later changes. */
  changes: Changes<SlackChange>;
  /**
   * Waits for a message that the predicate accepts: an existing one, or the first that is posted or
   * changed.
   */
  waitForMessage(
    place: MessagePlace,
    accepts: (message: SlackMessage) => boolean,
    options?: WaitOptions,
  ): Promise<SlackMessage>;
}

/** The workspace as the page and tests read it. */
export function createReading(parts: Parts): Reading {
  const { changes, directory, ephemerals, files, messages, sessions, views } = parts;

  function read(channel: string, thread?: string): SlackMessage[] {
    return [...messages.oldest({ channel, thread })];
  }

  return {
    users: directory.users,
    channels: directory.channels,
    direct: directory.direct,
    userGroups: directory.userGroups,
    latest: messages.latest,
    newest: messages.newest,
    oldest: messages.oldest,
    revisions: messages.revisions,
    waitFor: changes.waitFor,
    messages: read,
    message: messages.find,
    ephemerals: ephemerals.list,
    modals: views.stack,
    status: sessions.status,
    session: (channel, thread) => sessions.find(channel, thread)?.status,
    file(id) {
      const file = files.find(id);
      const bytes = file && files.read(file);
      return bytes && { file, bytes };
    },
    changes,
    async waitForMessage(place, accepts, waiting) {
      const there = read(place.channel, place.thread).find(accepts);
      if (there) return there;
      const isWanted = (change: SlackChange): change is MessageChange =>
        change.kind === 'message' && isIn(place, change.message) && accepts(change.message);
      return (await changes.waitFor(isWanted, waiting)).message;
    },
  };
}

function isIn({ channel, thread }: MessagePlace, message: SlackMessage): boolean {
  if (message.channel !== channel) return false;
  if (thread === undefined) return isTopLevel(message);
  return message.ts === thread || message.thread_ts === thread;
}
