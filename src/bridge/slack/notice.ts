import type { types, webApi } from '@slack/bolt';
import type { Notice } from '../conversation/ports.ts';
import { isRefusal } from '../conversation/platform-error.ts';
import { createMessageWriter, fitMessage, type RenderedMessage } from './message.ts';
import { sendEphemeral, sendPost } from './send-message.ts';

/** docs.slack.dev/reference/objects/user-object, `id`. */
const userId = /^[UW][A-Z0-9]{1,20}$/;

const maxPeople = 20;

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
  const called = renderCalls(people.filter((id) => userId.test(id)).slice(0, maxPeople));
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
    if (isRefusal(error, 'rate_limited', 'failed')) throw error;
    await post(person);
  }
}

function renderCalls(people: readonly string[]): types.SectionBlock[] {
  if (people.length === 0) return [];
  const text = people.map((id) => `<@${id}>`).join(' ');
  return [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }];
}
