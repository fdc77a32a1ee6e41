import type { webApi } from '@slack/bolt';
import type { MessageContent, SentMessage, Thread, ThreadAddress } from '../conversation/ports.ts';
import { toPlatformError } from './errors.ts';
import { messageLimits, renderMessage } from './message.ts';
import type { WorkingStatus } from './working-status.ts';

/** A thread of Slack's, its messages made of a Markdown block and a context block for small print. */
export function createThread(options: {
  address: ThreadAddress;
  client: webApi.WebClient;
  status: WorkingStatus;
}): Thread {
  const { address, client, status } = options;
  const { workspace, channel, thread } = address;

  function message(id: string): SentMessage {
    return {
      id,
      async edit(content, signal) {
        signal?.throwIfAborted();
        await editMessage(client, { channel, ts: id }, content);
      },
    };
  }

  return {
    address,
    limits: messageLimits,
    budgets: {
      // "One message per second per channel, short bursts allowed": docs.slack.dev/apis/web-api/rate-limits
      post: { key: `slack:${workspace}:post:${channel}`, writes: 5, windowMs: 5_000 },
      // Tier 3: 50 a minute for each method, app and workspace.
      edit: { key: `slack:${workspace}:edit`, writes: 50, windowMs: 60_000 },
    },
    async post(content, signal) {
      signal?.throwIfAborted();
      const { ts } = await postMessage(client, { channel, thread_ts: thread }, content);
      return message(ts);
    },
    message,
    async showWorking(signal) {
      signal?.throwIfAborted();
      await status.show(channel, thread);
    },
  };
}

/** Posts a message that unfurls nothing and calls nobody. @throws {PlatformError} */
export async function postMessage(
  client: webApi.WebClient,
  target: { channel: string; thread_ts?: string },
  content: MessageContent,
): Promise<{ channel: string; ts: string }> {
  try {
    const { channel = target.channel, ts } = await client.chat.postMessage({
      ...target,
      ...renderMessage(content),
      parse: 'none',
      unfurl_links: false,
      unfurl_media: false,
    });
    if (!ts) throw new Error('chat.postMessage answered without ts');
    return { channel, ts };
  } catch (error) {
    throw toPlatformError(error);
  }
}

/** Replaces what a message shows. @throws {PlatformError} */
export async function editMessage(
  client: webApi.WebClient,
  target: { channel: string; ts: string },
  content: MessageContent,
): Promise<void> {
  try {
    // Left out, `parse` falls back to `client`, which makes pings of plain names.
    await client.chat.update({ ...target, ...renderMessage(content), parse: 'none' });
  } catch (error) {
    throw toPlatformError(error);
  }
}
