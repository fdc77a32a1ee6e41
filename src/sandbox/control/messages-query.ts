import { z } from 'zod';

/** Which messages a reader asks for: a channel's, or a thread's with the one it starts at. */
export const messagesQuery = z.strictObject({
  user: z.string().min(1).max(100),
  channel: z.string().min(1).max(100),
  thread: z.string().min(1).max(100).optional(),
  /** How many of the newest. */
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a number of messages')
    .optional(),
});

const maxShownMessages = 200;

/** The newest of some messages, as many as were asked for, and whether there are more. */
export function takeNewest<T>(
  all: readonly T[],
  { limit }: z.infer<typeof messagesQuery>,
): { newest: T[]; more: boolean } {
  const most = limit === undefined ? maxShownMessages : Math.max(1, Number(limit));
  return { newest: all.slice(-most), more: all.length > most };
}
