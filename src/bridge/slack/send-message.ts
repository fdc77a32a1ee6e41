import type { webApi } from '@slack/bolt';
import { toPlatformError } from './errors.ts';
import {
  createMessageWriter,
  type renderKey,
  type RenderedMessage,
  type ShownContent,
} from './message.ts';

type KeyedMessage = RenderedMessage & ReturnType<typeof renderKey>;

/**
 * Posts a message.
 * @throws {PlatformError}
 */
export function postMessage(
  client: webApi.WebClient,
  target: { channel: string; thread_ts?: string },
  content: ShownContent,
): Promise<{ channel: string; ts: string }> {
  return createMessageWriter().write(content, (rendered) => sendPost(client, target, rendered));
}

/**
 * Edits a message.
 * @throws {PlatformError}
 */
export function editMessage(
  client: webApi.WebClient,
  target: { channel: string; ts: string },
  content: ShownContent,
): Promise<void> {
  return createMessageWriter().write(content, (rendered) => sendEdit(client, target, rendered));
}

/**
 * Posts what was rendered, without unfurls or pings.
 * @throws {PlatformError}
 */
export async function sendPost(
  client: webApi.WebClient,
  target: { channel: string; thread_ts?: string },
  rendered: KeyedMessage,
): Promise<{ channel: string; ts: string }> {
  try {
    const { channel = target.channel, ts } = await client.chat.postMessage({
      ...target,
      ...rendered,
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

/**
 * Shows what was rendered to one person alone.
 * @throws {PlatformError}
 */
export async function sendEphemeral(
  client: webApi.WebClient,
  target: { channel: string; user: string; thread_ts?: string },
  rendered: RenderedMessage,
): Promise<void> {
  try {
    await client.chat.postEphemeral({ ...target, ...rendered, parse: 'none' });
  } catch (error) {
    throw toPlatformError(error);
  }
}

/**
 * Replaces a message by what was rendered.
 * @throws {PlatformError}
 */
export async function sendEdit(
  client: webApi.WebClient,
  target: { channel: string; ts: string },
  rendered: KeyedMessage,
): Promise<void> {
  try {
    // Without it, `parse` defaults to `client`, which turns plain names into pings.
    await client.chat.update({ ...target, ...rendered, parse: 'none' });
  } catch (error) {
    throw toPlatformError(error);
  }
}
