import { z } from 'zod';

/** Which messages to list: a channel's, or a thread's together with the message it starts from. */
export const messagesQuery = z.strictObject({
  user: z.string().min(1).max(100),
  channel: z.string().min(1).max(100),
  thread: z.string().min(1).max(100).optional(),
  /** Max messages; the newest are returned. */
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a number of messages')
    .optional(),
});

const maxShownMessages = 200;

/** The newest `limit` messages, and whether there are more. */
export function takeNewest<T>(
  all: readonly T[],
  { limit }: z.infer<typeof messagesQuery>,
): { newest: T[]; more: boolean } {
  const max = limit === undefined ? maxShownMessages : Math.max(1, Number(limit));
  return { newest: all.slice(-max), more: all.length > max };
}
