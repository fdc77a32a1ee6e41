import { z } from 'zod';
import type { Problem } from '../../shared/problems/problem.ts';

/** The chatbot service, as the core needs it. All methods throw ChatbotError. */
export interface Chatbot {
  createSession(chatbot: string, signal: AbortSignal): Promise<CreatedSession>;
  /**
   * Streams the reply to a query, delta by delta. `context` is what people said among themselves
   * before it, `documents` are the files beside it. Asked again with the same `key`, the service gives
   * the same reply, from its start; `onKeyIgnored` is awaited if it does not say that it took the key.
   * `sentAt` says when it was first asked, in milliseconds since the epoch: its time counts from then.
   */
  reply(session: string, asked: Asked, signal: AbortSignal): AsyncIterable<string>;
  /** Whether the session's queries may carry a key, as the service says now. */
  takesKeys(session: string, signal: AbortSignal): Promise<boolean>;
  /** Adds a file for the session whose query names it first; resolves with its id. */
  addDocument(file: AttachedFile, signal: AbortSignal): Promise<string>;
  /** Ends the reply to the query with this key, which goes on although nobody reads it. */
  stopReply(session: string, key: string, signal: AbortSignal): Promise<void>;
  /**
   * The session's newest reply as the service stored it; undefined if it has none.
   * @param chatbot whose sources tell how old they are, if the reply doesn't
   */
  lastReply(
    session: string,
    signal: AbortSignal,
    chatbot?: string,
  ): Promise<StoredReply | undefined>;
  /** All replies of a session, oldest first; none if it is gone. */
  listReplies(session: string, signal: AbortSignal): Promise<{ id: string; query: string }[]>;
  /**
   * Deletes replies of a session; if these are all, the session. Resolves with how many are still there,
   * because the service can't delete them.
   */
  deleteReplies(
    session: string,
    replies: { ids: readonly string[]; isAll: boolean },
    signal: AbortSignal,
  ): Promise<number>;
  /** How the chatbot hands threads over to people; undefined if it does not. */
  handOver(chatbot: string, signal: AbortSignal): Promise<HandOverSettings | undefined>;
}

/** A query, with what belongs to it. */
interface Asked {
  query: string;
  context?: string;
  documents?: string[];
  key?: string;
  onKeyIgnored?(): Promise<void>;
  sentAt?: number;
}

/** A new session of the service. */
interface CreatedSession {
  session: string;
  /** Whether a query may carry a key. */
  takesKeys: boolean;
}

/** A reply as the service stored it. */
export interface StoredReply {
  /** The service's id of the message. */
  id: string;
  query: string;
  response: string;
  sources: Source[];
  /**
   * `whole`; `cut` at the model's length limit; `running` if it may still grow; `partial` if it
   * failed, or the service was interrupted.
   */
  state: 'whole' | 'cut' | 'running' | 'partial';
  /** Why it failed, in the service's words. The response may end with it. Absent if interrupted. */
  reason?: string;
  /** The service says that it found no source; `nearest` is the title of the one that came closest. */
  unanswered?: { nearest?: string };
  /** The service says that it may not answer the question. */
  isWeak?: boolean;
  /** Why it is partial, if the service says so in a way we know. */
  failure?: Problem;
}

/** A source that a reply cites; the text contains its marker as `[marker]`. */
export const Source = z.object({
  marker: z.string(),
  title: z.string(),
  quote: z.string(),
  url: z.string().optional(),
  /** Where the quoted passage begins, if its source has pages. */
  page: z.number().optional(),
  /** When the source was last changed, in ms since the epoch; absent if the service doesn't say. */
  updatedMs: z.number().optional(),
});
export type Source = z.infer<typeof Source>;

/** How a chatbot hands a thread over to people. Texts may be empty: the core has defaults. */
export interface HandOverSettings {
  /** Messages that count as asking for a person. */
  monitored: readonly string[];
  /**
   * What the bot says when somebody asks for a person, when a person takes over, and when the bot
   * answers again.
   */
  says: { requested: string; started: string; ended: string };
  /** Whether contacts are notified when somebody asks for a person. */
  notifies: boolean;
}

/** A file beside a question, as it is stored until it is read. */
export const Attachment = z.object({
  name: z.string(),
  /** Bytes, as reported by the platform. */
  size: z.number(),
  contentType: z.string().optional(),
  /** What `Thread.readFile` needs to read it; JSON. */
  ref: z.unknown(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A file that can be read once. */
interface AttachedFile extends Pick<Attachment, 'name' | 'size' | 'contentType'> {
  content: AsyncIterable<Uint8Array>;
}

/** Writes down what is said in a sound file. */
export type Transcribe = (file: AttachedFile, signal: AbortSignal) => Promise<string>;
