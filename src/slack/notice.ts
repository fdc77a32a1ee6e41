import type { types, webApi } from '@slack/bolt';
import type { Notice } from '../conversation/ports.ts';
import { createMessageWriter, fitMessage } from './message.ts';
import { sendPost } from './send-message.ts';

/** docs.slack.dev/reference/objects/user-object, `id`. */
const userId = /^[UW][A-Z0-9]{1,20}$/;

const maxPeople = 20;

/**
 * Posts a notice to a channel, or to a person as a direct message. Only the people it names are
 * mentioned, in a section above the text; the text itself pings nobody.
 * @throws {PlatformError}
 */
export async function sendNotice(
  client: webApi.WebClient,
  { to, markdown, people = [] }: Notice,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const called = renderCalls(people.filter((id) => userId.test(id)).slice(0, maxPeople));
  const channel = 'channel' in to ? to.channel : to.person;
  const content = { markdown: await fitMessage(markdown) };
  await createMessageWriter().write(content, ({ text, blocks }) =>
    sendPost(client, { channel }, { text, blocks: [...called, ...blocks] }),
  );
}

function renderCalls(people: readonly string[]): types.SectionBlock[] {
  if (people.length === 0) return [];
  const text = people.map((id) => `<@${id}>`).join(' ');
  return [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }];
}
