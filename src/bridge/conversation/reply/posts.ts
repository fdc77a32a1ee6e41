import { isRefusal } from '../platform-error.ts';
import type { MessageContent, SentMessage, Thread } from '../ports.ts';
import {
  createEditedMessage,
  type GrowingMessage,
  postGrowingMessage,
  removeMessage,
} from './growing-message.ts';

/** Posts the messages of a reply, each of them once, even if the platform's response was lost. */
export interface Posts {
  /**
   * Posts the message at `index`, or finds the one that an earlier try left.
   * @throws {PlatformError}
   */
  post(index: number, content: MessageContent, last: boolean): Promise<GrowingMessage>;
  /**
   * Looks for a message whose post is uncertain. Resolves at once if no post is.
   * @throws {PlatformError}
   */
  findLost(): Promise<LostMessage | undefined>;
  /**
   * Removes messages that appeared after they had been looked for: a platform may carry out a
   * request long after its response was given up. Resolves at once if no post was uncertain.
   * @throws {PlatformError}
   */
  removeLate(): Promise<void>;
}

interface LostMessage {
  index: number;
  message: GrowingMessage;
}

export interface PostsOptions {
  thread: Thread;
  /** Starts the key of each message. */
  key: string;
  /** The turn of the buttons below the messages. */
  turn: string;
  /** The id of the message that is answered. */
  question: string;
  /** The reply's messages so far. */
  written: readonly GrowingMessage[];
  /** Whether the process that posted `written` may have died before it could store a post. */
  resumed?: boolean;
  /** What a message should show now; undefined if the text needs none there. */
  contentAt(index: number): MessageContent | undefined;
  /** Whether a new message may be a stream; asked for each. */
  mayStream?(): boolean;
  now: () => number;
}

export function createPosts(options: PostsOptions): Posts {
  const { thread, turn, question, written, now } = options;
  /** The place of a message that may have been posted. */
  let uncertain: number | undefined = options.resumed ? written.length : undefined;
  /** The keys of messages that were looked for and not found. */
  const missing = new Set<string>();

  /** A message that takes the place of another one must not be taken for it. */
  function keyOf(index: number): string {
    const replaced = written[index];
    return replaced ? `${replaced.id}.next` : `${options.key}.${index}`;
  }

  async function findLost(): Promise<LostMessage | undefined> {
    if (uncertain === undefined) return undefined;
    const index = uncertain;
    const key = keyOf(index);
    const found = await find(key, options.contentAt(index));
    uncertain = undefined;
    if (!found) missing.add(key);
    return found && { index, message: createEditedMessage(thread, found) };
  }

  async function find(key: string, content?: MessageContent): Promise<SentMessage | undefined> {
    const known = written.map(({ id }) => id);
    return thread.findPosted?.({ key, question, turn, content, known });
  }

  return {
    findLost,
    async removeLate() {
      for (const key of missing) {
        await removeMessage(await find(key));
        missing.delete(key);
      }
    },
    async post(index, content, last) {
      const lost = await findLost();
      if (lost) return lost.message;
      try {
        return await postGrowingMessage(thread, content, last, now, {
          key: keyOf(index),
          mayStream: options.mayStream,
          async onUncertain() {
            uncertain = index;
            await findLost();
          },
        });
      } catch (error) {
        if (isRefusal(error, 'failed')) uncertain = index;
        throw error;
      }
    },
  };
}
