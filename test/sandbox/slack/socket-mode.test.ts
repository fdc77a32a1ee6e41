import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createClock } from '../clock.ts';
import { openSocket } from './open-socket.ts';
import { createClient, serveWorkspace, silentLogger } from './serve-workspace.ts';
import { startBot } from './start-bot.ts';

/** A workspace with a connection that has had its hello. */
async function connect(clock?: Parameters<typeof serveWorkspace>[0]) {
  const served = await serveWorkspace(clock);
  const link = await openSocket(served.slack);
  await link.next();
  return { ...served, link };
}

test('a socket gets hello and a ping, and its URL works once', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  const link = await openSocket(slack);
  expect(await link.next()).toMatchObject({
    type: 'hello',
    num_connections: 1,
    connection_info: { app_id: slack.bot.app },
  });
  await link.pinged;
  expect(slack.connections()).toBe(1);

  const again = new WebSocket(link.url);
  const [error] = (await once(again, 'error')) as [Error];
  expect(error.message).toContain('404');
});

test('an unacknowledged event is retried at once, after 1 minute and after 5', async () => {
  const clock = createClock();
  await using served = await connect(clock);
  const { slack, ada, help, link } = served;

  await slack.say({ user: ada, channel: help, text: 'hello' });
  const first = await link.next();
  expect(first).toMatchObject({
    type: 'events_api',
    accepts_response_payload: false,
    retry_attempt: 0,
    retry_reason: '',
    payload: { type: 'event_callback', api_app_id: slack.bot.app, event: { text: 'hello' } },
  });
  const delays = [0, 60_000, 300_000];
  for (const [index, delay] of delays.entries()) {
    await clock.sleeping(3_000);
    clock.advance(3_000);
    if (delay > 0) {
      await clock.sleeping(delay);
      clock.advance(delay);
    }
    const retry = await link.next();
    expect(retry).toMatchObject({ retry_attempt: index + 1, retry_reason: 'timeout' });
    expect(retry.payload?.['event_id']).toBe(first.payload?.['event_id']);
    expect(retry.envelope_id).not.toBe(first.envelope_id);
  }
});

test('an acknowledged event is sent once', async () => {
  const clock = createClock();
  await using served = await connect(clock);
  const { slack, ada, help, link } = served;

  await slack.say({ user: ada, channel: help, text: 'one' });
  link.acknowledge(await link.next());
  await slack.say({ user: ada, channel: help, text: 'two' });
  const second = await link.next();
  expect(second.payload?.event).toMatchObject({ text: 'two' });
  await clock.sleeping(3_000);
  clock.advance(3_000);
  expect((await link.next()).payload?.event).toMatchObject({ text: 'two' });
});

test('an unacknowledged command fails for its user and is not retried', async () => {
  const clock = createClock();
  await using served = await connect(clock);
  const { slack, ada, help, link } = served;

  const running = slack.command({ user: ada, channel: help, command: '/ask', text: 'why' });
  expect(await link.next()).toMatchObject({
    type: 'slash_commands',
    accepts_response_payload: true,
    payload: { command: '/ask', text: 'why', user_id: ada, channel_name: 'help' },
  });
  await clock.sleeping(3_000);
  clock.advance(3_000);
  expect(await running).toBe(false);
  expect(slack.ephemerals(ada, help).map(({ text }) => text)).toEqual([
    '/ask failed with the error "operation_timeout"',
  ]);
  await slack.say({ user: ada, channel: help, text: 'next' });
  expect((await link.next()).type).toBe('events_api');
});

test('an acknowledgement with a text is shown to the user, or to everyone', async () => {
  await using served = await connect();
  const { slack, ada, help, link } = served;

  const answers = [{ text: 'just you' }, { text: 'everyone', response_type: 'in_channel' }, {}];
  for (const answer of answers) {
    const running = slack.command({ user: ada, channel: help, command: '/ask' });
    link.acknowledge(await link.next(), answer);
    if ('response_type' in answer) link.acknowledge(await link.next());
    expect(await running).toBe(true);
  }
  expect(slack.ephemerals(ada, help).map(({ text }) => text)).toEqual(['just you']);
  expect(slack.messages(help).map(({ text }) => text)).toEqual(['everyone']);
});

test('the bot gets the events of its own messages', async () => {
  await using served = await connect();
  const { slack, help, link } = served;
  await createClient(slack).chat.postMessage({ channel: help, text: 'mine' });
  expect((await link.next()).payload?.event).toMatchObject({
    type: 'message',
    user: slack.bot.user,
    bot_id: slack.bot.bot,
    text: 'mine',
  });
});

test('each payload goes to one connection, and an eleventh connection is refused', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const links = await Promise.all(Array.from({ length: 10 }, () => openSocket(slack)));
  for (const link of links) expect((await link.next()).type).toBe('hello');

  const eleventh = await openSocket(slack);
  expect(await eleventh.next()).toMatchObject({
    type: 'disconnect',
    reason: 'too_many_websockets',
  });
  await eleventh.closed;

  const arrivals = links.map(async (link) => {
    const frame = await link.next();
    link.acknowledge(frame);
    return frame.payload?.event?.['text'];
  });
  const texts = Array.from({ length: 10 }, (_, index) => `message ${index}`);
  for (const text of texts) await slack.say({ user: ada, channel: help, text });
  expect(new Set(await Promise.all(arrivals))).toEqual(new Set(texts));
});

test.each(['warning', 'refresh_requested', 'link_disabled'] as const)(
  'the app closes the connection after a disconnect message (%s)',
  async (reason) => {
    const clock = createClock();
    await using served = await connect(clock);
    const { slack, ada, help, link } = served;
    const running = slack.command({ user: ada, channel: help, command: '/ask' });
    const command = await link.next();
    slack.disconnect(reason);
    expect(await link.next()).toMatchObject({ type: 'disconnect', reason });
    link.acknowledge(command);
    expect(await running).toBe(true);
    // After a warning, commands still come, and fail unless they are acknowledged.
    void clock.sleeping(3_000).then(() => clock.advance(3_000));
    expect(await slack.command({ user: ada, channel: help, command: '/ask' })).toBe(false);
    expect(slack.connections()).toBe(1);
    const gone = slack.waitFor((change) => change.kind === 'connections' && change.count === 0);
    link.socket.close(1000);
    await gone;
  },
);

test('Bolt reconnects after a disconnect message and after a cut, and gets the events it missed', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const heard: string[] = [];
  served.use(
    await startBot(
      slack,
      (app) => {
        app.message(async ({ message, say }) => {
          if (message.subtype !== undefined) return;
          heard.push(message.text ?? '');
          await say(`heard ${message.text}`);
        });
      },
      // It reconnects this soon.
      { logger: silentLogger, pingTimeoutMs: 500 },
    ),
  );

  for (const [text, leave] of [
    ['after a warning', () => slack.disconnect('warning')],
    ['after a cut', () => slack.sever()],
  ] as const) {
    const gone = slack.waitFor((change) => change.kind === 'connections' && change.count === 0);
    const answered = slack.waitFor(
      (change) => change.kind === 'message' && change.message.text === `heard ${text}`,
    );
    leave();
    await gone;
    await slack.say({ user: ada, channel: help, text });
    await answered;
  }
  expect(heard).toEqual(['after a warning', 'after a cut']);
});
