import { isRefusal } from '../conversation/platform-error.ts';
import type { Log, MessageContent, SentMessage } from '../conversation/ports.ts';
import { retry } from '../../shared/primitives/retry.ts';
import type { Sleep } from '../../shared/primitives/sleep.ts';
import { type MessagePart, renderMessage } from './message.ts';
import type { Writer } from './writer.ts';

/** A message of ours, with further messages for the small print that did not fit into it. */
export function createSentMessage(options: {
  writer: Writer;
  channel: string;
  id: string;
}): SentMessage {
  const { writer, channel, id } = options;
  const below: string[] = [];
  /** How many messages have been posted below it. */
  let posts = 0;

  async function remove(message: string): Promise<void> {
    try {
      await writer.remove(channel, message);
    } catch (error) {
      // Already removed.
      if (!isRefusal(error, 'gone')) throw error;
    }
  }

  /** The key stays the same until the post has succeeded. */
  async function postBelow(part: MessagePart): Promise<void> {
    below.push(await writer.post(channel, part, { key: `${id}.${posts}` }));
    posts += 1;
  }

  async function removeBelow(from: number): Promise<void> {
    for (const surplus of below.slice(from).toReversed()) {
      await remove(surplus);
      below.pop();
    }
  }

  return {
    id,
    async edit(content) {
      const [head, ...further] = renderMessage(content);
      await writer.edit(channel, id, head);
      for (const [index, part] of further.entries()) {
        const known = below[index];
        if (known) await writer.edit(channel, known, part);
        else await postBelow(part);
      }
      await removeBelow(further.length);
    },
    async remove() {
      await removeBelow(0);
      await remove(id);
    },
  };
}

const triesBelow = 3;

/** The limit for Discord's Retry-After: the message itself has been posted, and the reply waits. */
const maxWaitBelowMs = 10_000;

/**
 * Adds the small print that did not fit into a message just posted. Failures are retried and
 * finally ignored, because a rejection would post the message twice.
 */
export async function addBelow(
  message: SentMessage,
  content: MessageContent,
  { sleep, log }: { sleep: Sleep; log: Log },
): Promise<void> {
  try {
    await retry(() => message.edit(content), {
      sleep,
      waitMs(error, failures) {
        if (failures >= triesBelow || !isRefusal(error, 'rate_limited', 'failed')) return undefined;
        const { retryAfterMs = 1_000 } = error;
        return retryAfterMs > maxWaitBelowMs ? undefined : retryAfterMs;
      },
    });
  } catch (error) {
    log.warn({ err: error, message: message.id }, 'small print was left out');
  }
}
