import { createSplitter } from '../markdown/split-markdown.ts';
import { retryWrite } from '../reply/retry-write.ts';
import type { Button, Log, MessageContent, Thread } from '../ports.ts';
import { inSteps } from '../../../shared/primitives/in-steps.ts';

/** A message of ours that announces a hand-over. */
export interface Announcement {
  id: string;
  markdown: string;
}

/**
 * Posts a text, in several messages if it is long. A thread must not go silent without explanation,
 * so rate limits are waited for. The key is that of the last message (`Thread.post`).
 * @throws {PlatformError}
 */
export type Say = (
  thread: Thread,
  markdown: string,
  buttons?: readonly Button[],
  key?: string,
) => Promise<Announcement>;

/** @param signal aborted at shutdown: ends waits for a busy platform */
export function createSay(signal: AbortSignal): Say {
  return async (thread, markdown, buttons = [], key) => {
    const pieces = await inSteps(createSplitter(thread.limits)(markdown));
    const last = pieces.pop() ?? markdown;
    const post = (content: MessageContent, keyOfIt?: string) =>
      retryWrite(() => thread.post(content, keyOfIt), { passing: ['rate_limited'], signal });
    for (const piece of pieces) await post({ markdown: piece });
    const { id } = await post({ markdown: last, buttons }, key);
    return { id, markdown: last };
  };
}

/** Removes the button that ended a hand-over; if that fails, the button does no harm. */
export async function takeButtonsAway(
  thread: Thread,
  { id, markdown }: Announcement,
  log: Log,
): Promise<void> {
  try {
    await thread.message(id).edit({ markdown });
  } catch (error) {
    log.debug({ err: error, thread: thread.address }, 'a button could not be removed');
  }
}
