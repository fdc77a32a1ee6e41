import { z } from 'zod';
import type { Located } from './reach.ts';

/** A channel, or a thread together with the message it starts from. */
export type Conversation = Located & { thread?: string };

/** Which of a conversation's messages to list, by their ids. */
export interface Range {
  /** Only what is older. */
  before?: string;
  /** Only what is newer. */
  after?: string;
}

/** Which messages to list: the newest, or those next to a message, whose ids look like `message`. */
export function createMessagesQuery(message: z.ZodType<string>) {
  return z
    .strictObject({
      user: z.string().min(1).max(100),
      channel: z.string().min(1).max(100),
      thread: z.string().min(1).max(100).optional(),
      before: message.optional(),
      after: message.optional(),
      /** Max messages. */
      limit: z
        .string()
        .regex(/^\d{1,4}$/, 'must be a number of messages')
        .optional(),
    })
    .refine(({ before, after }) => !before || !after, 'Give before or after, not both.');
}

const maxShownMessages = 200;

/** The first of the messages, and whether there are more; none beyond them is read. */
export function takePage<T>(messages: Iterable<T>, limit?: string): { page: T[]; more: boolean } {
  const max = limit === undefined ? maxShownMessages : Math.max(1, Number(limit));
  const page = [...Iterator.from(messages).take(max + 1)];
  return { page: page.slice(0, max), more: page.length > max };
}
