import type { types, webApi } from '@slack/bolt';
import { isPassingRefusal } from '../conversation/errors.ts';
import type { Notice } from '../conversation/platform.ts';
import { orPlatformError, unreachable } from './errors.ts';
import {
  createMessageWriter,
  fitMessage,
  type RenderedMessage,
  type renderKey,
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
  const post = client.chat.postMessage({
    ...target,
    ...rendered,
    parse: 'none',
    unfurl_links: false,
    unfurl_media: false,
  });
  const { channel = target.channel, ts } = await orPlatformError(post);
  if (!ts) throw unreachable(new Error('chat.postMessage returned no ts'));
  return { channel, ts };
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
  await orPlatformError(client.chat.postEphemeral({ ...target, ...rendered, parse: 'none' }));
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
  // Without it, `parse` defaults to `client`, which turns plain names into pings.
  await orPlatformError(client.chat.update({ ...target, ...rendered, parse: 'none' }));
}

/** @throws {PlatformError} */
export async function deleteMessage(
  client: webApi.WebClient,
  target: { channel: string; ts: string },
): Promise<void> {
  await orPlatformError(client.chat.delete(target));
}

/** docs.slack.dev/reference/objects/user-object, `id`. */
const userId = /^[UW][A-Z0-9]{1,20}$/;

/**
 * Posts a notice to a channel, or to a person: where they are, if only they see it there, or else as
 * a direct message. Only the people it names are mentioned, in a section above the text; the text
 * itself pings nobody.
 * @throws {PlatformError}
 */
export async function sendNotice(
  client: webApi.WebClient,
  { to, markdown, people = [] }: Notice,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const called = renderCalls(people.filter((id) => userId.test(id)));
  const content = { markdown: await fitMessage(markdown) };
  const write = (send: (rendered: RenderedMessage) => Promise<unknown>) =>
    createMessageWriter().write(content, async ({ text, blocks }) => {
      await send({ text, blocks: [...called, ...blocks] });
    });
  const post = (channel: string) => write((rendered) => sendPost(client, { channel }, rendered));
  if ('channel' in to) return post(to.channel);
  const { person, in: place } = to;
  if (!place) return post(person);
  const { channel, thread } = place;
  const inThread = thread !== undefined && thread !== channel && { thread_ts: thread };
  try {
    const target = { channel, user: person, ...inThread };
    await write((rendered) => sendEphemeral(client, target, rendered));
  } catch (error) {
    if (isPassingRefusal(error)) throw error;
    await post(person);
  }
}

function renderCalls(people: readonly string[]): types.SectionBlock[] {
  if (people.length === 0) return [];
  const text = people.map((id) => `<@${id}>`).join(' ');
  return [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }];
}
