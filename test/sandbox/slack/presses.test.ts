import { expect, test } from 'vitest';
import { openSocket } from './open-socket.ts';
import { createClient, serveWorkspace } from './serve-workspace.ts';

const choice = (text: string, value: string) => ({ text: { type: 'plain_text', text }, value });
const feedback = {
  type: 'context_actions',
  elements: [
    {
      type: 'feedback_buttons',
      action_id: 'feedback',
      positive_button: choice('Good', 'yes'),
      negative_button: choice('Bad', 'no'),
    },
  ],
};
const button = { type: 'button', action_id: 'more', ...choice('More', 'turn-1') };
const actions = { type: 'actions', elements: [button] };

async function connect() {
  const served = await serveWorkspace();
  const link = await openSocket(served.slack);
  await link.next();
  const client = createClient(served.slack);
  async function pressed(press: Parameters<typeof served.slack.press>[0]) {
    const pressing = served.slack.press(press);
    let frame = await link.next();
    for (; frame.type === 'events_api'; frame = await link.next()) link.acknowledge(frame);
    link.acknowledge(frame);
    expect(await pressing).toBe(true);
    return frame.payload;
  }
  return { ...served, client, pressed };
}

test('a press of either feedback button says which it was', async () => {
  await using served = await connect();
  const { slack, ada, client, pressed } = served;
  const channel = slack.direct(ada).id;
  const { ts } = await client.chat.postMessage({ channel, text: '', blocks: [feedback] });
  const at = { user: ada, channel, ts: String(ts), actionId: 'feedback' };
  expect(await pressed({ ...at, value: 'no' })).toMatchObject({
    type: 'block_actions',
    user: { id: ada },
    actions: [{ type: 'feedback_buttons', action_id: 'feedback', value: 'no' }],
  });
  await expect(slack.press({ ...at, value: 'maybe' })).rejects.toThrow('"yes" and "no"');
});

test('buttons on messages for one person alone are pressed, in their thread', async () => {
  await using served = await connect();
  const { slack, ada, help, client, pressed } = served;
  const { ts: thread_ts } = await slack.say({ user: ada, channel: help, text: 'why?' });
  const alone = { channel: help, user: ada, thread_ts, text: 'nobody sees it' };
  await client.chat.postEphemeral(alone);
  expect(slack.ephemerals(ada, help)).toEqual([]);
  await slack.say({ user: ada, channel: help, thread: thread_ts, text: 'because' });
  const { message_ts: ts } = await client.chat.postEphemeral({
    channel: help,
    user: ada,
    thread_ts,
    text: '',
    blocks: [actions],
  });
  const payload = await pressed({ user: ada, channel: help, ts: String(ts), actionId: 'more' });
  expect(payload).toMatchObject({
    container: { is_ephemeral: true, thread_ts, message_ts: ts },
    actions: [{ type: 'button', value: 'turn-1' }],
  });

  const respond = (body: object) =>
    fetch(String(payload?.['response_url']), { method: 'POST', body: JSON.stringify(body) });
  await respond({ blocks: [actions], text: 'again', replace_original: false });
  const [, again] = slack.ephemerals(ada, help);
  expect(again).toMatchObject({ text: 'again', thread_ts });
  const second = await pressed({
    user: ada,
    channel: help,
    ts: again?.ts ?? '',
    actionId: 'more',
  });
  expect(second).toMatchObject({ actions: [{ block_id: again?.blocks?.[0]?.block_id }] });
  await respond({ text: 'instead', replace_original: true });
  expect(slack.ephemerals(ada, help).map(({ text }) => text)).toEqual(['instead', 'again']);
});
