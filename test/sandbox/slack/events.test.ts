import { expect, test } from 'vitest';
import type { App } from '@slack/bolt';
import { createChanges } from '../../../src/sandbox/changes.ts';
import { serveWorkspace } from './serve-workspace.ts';
import { startBot } from './start-bot.ts';

interface Heard {
  type: string;
  subtype?: string;
  channel_type?: string;
  text?: string;
  retry?: number;
  [field: string]: unknown;
}

/** A workspace with a bot, and every event that the bot gets, before its filters. */
async function listen() {
  const served = await serveWorkspace();
  const heard: Heard[] = [];
  const news = createChanges<Heard>();
  const configure = (app: App) => {
    app.use(async ({ body, context, next }) => {
      const event = (body as { event?: Heard }).event;
      if (!event) return next();
      const { retryNum } = context;
      const noted = { ...event, ...(retryNum && { retry: retryNum }) };
      heard.push(noted);
      news.announce(noted);
      return next();
    });
  };
  served.use(await startBot(served.slack, configure));
  return {
    ...served,
    heard,
    hears: (type: string) => news.waitFor((event) => event.type === type),
    again: () => news.waitFor((event) => event.retry !== undefined),
  };
}

test('a mention sends the events message and app_mention, in either order', async () => {
  await using served = await listen();
  const { slack, ada, help, heard, hears } = served;

  for (const text of ['first', 'second']) {
    const both = Promise.all([hears('message'), hears('app_mention')]);
    await slack.say({ user: ada, channel: help, text: `<@${slack.bot.user}> ${text}` });
    await both;
  }
  expect(heard.map(({ type }) => type)).toEqual([
    'message',
    'app_mention',
    'app_mention',
    'message',
  ]);
  expect(heard[0]).toMatchObject({
    user: ada,
    channel: help,
    channel_type: 'channel',
    team: slack.team.id,
  });
  expect(heard[1]).toMatchObject({ user: ada, channel: help, ts: heard[0]?.['ts'] });
});

test('the bot gets no events of channels that it is not in', async () => {
  await using served = await listen();
  const { slack, ada, random, heard, hears } = served;

  await slack.say({ user: ada, channel: random, text: `<@${slack.bot.user}> are you here?` });
  const direct = hears('message');
  await slack.say({ user: ada, channel: slack.direct(ada).id, text: `<@${slack.bot.user}> hello` });
  await direct;
  expect(heard).toHaveLength(1);
  expect(heard[0]).toMatchObject({ type: 'message', channel_type: 'im' });
});

test('edits, removals, files and broadcasts send events with their subtypes', async () => {
  await using served = await listen();
  const { slack, ada, help, heard, hears } = served;
  async function inTurn(act: () => unknown): Promise<void> {
    const arrived = hears('message');
    await act();
    await arrived;
  }

  let ts = '';
  await inTurn(async () => {
    const file = { name: 'notes.txt', bytes: Buffer.from('notes') };
    ({ ts } = await slack.say({ user: ada, channel: help, text: 'a < b', files: [file] }));
  });
  await inTurn(() =>
    slack.say({ user: ada, channel: help, thread: ts, text: 'see', broadcast: true }),
  );
  await inTurn(() => slack.edit({ channel: help, ts, text: 'a > b' }));
  await inTurn(() => slack.remove({ channel: help, ts }));
  let lone = '';
  await inTurn(async () => {
    ({ ts: lone } = await slack.say({ user: ada, channel: help, text: 'alone' }));
  });
  await inTurn(() => slack.remove({ channel: help, ts: lone }));

  expect(heard.map(({ subtype }) => subtype)).toEqual([
    'file_share',
    'thread_broadcast',
    'message_changed',
    'message_changed',
    undefined,
    'message_deleted',
  ]);
  const [shared, broadcast, changed, buried, , deleted] = heard;
  expect(shared).toMatchObject({
    text: 'a &lt; b',
    files: [{ name: 'notes.txt', mimetype: 'text/plain', size: 5, user: ada }],
  });
  expect(broadcast).toMatchObject({ thread_ts: ts, root: { ts } });
  expect(changed).toMatchObject({
    message: { ts, text: 'a &gt; b', edited: { user: ada } },
    previous_message: { ts, text: 'a &lt; b' },
  });
  expect(buried).toMatchObject({
    message: { ts, subtype: 'tombstone', user: 'USLACKBOT', reply_count: 1 },
    previous_message: { user: ada, text: 'a &gt; b' },
  });
  expect(deleted).toMatchObject({ deleted_ts: lone, previous_message: { user: ada } });
});

test('an edited mention sends app_mention again, with the edit', async () => {
  await using served = await listen();
  const { slack, ada, help, hears } = served;

  const first = hears('app_mention');
  const { ts } = await slack.say({ user: ada, channel: help, text: `<@${slack.bot.user}> helo` });
  expect((await first)['edited']).toBeUndefined();
  const second = hears('app_mention');
  slack.edit({ channel: help, ts, text: `<@${slack.bot.user}> hello` });
  expect(await second).toMatchObject({ ts, edited: { user: ada } });
});

test('Slack sends an event again when its acknowledgement is lost', async () => {
  await using served = await listen();
  const { slack, ada, help, heard, again } = served;

  const repeated = again();
  slack.faults.inject({ method: 'events_api', times: 1, afterEffect: true });
  await slack.say({ user: ada, channel: help, text: 'once' });
  await repeated;
  expect(heard.map(({ text, retry }) => [text, retry])).toEqual([
    ['once', undefined],
    ['once', 1],
  ]);
});

test('an event that is lost arrives as a retry', async () => {
  await using served = await listen();
  const { slack, ada, help, heard, again } = served;

  const retried = again();
  slack.faults.inject({ method: 'events_api', times: 1 });
  await slack.say({ user: ada, channel: help, text: 'lost and found' });
  expect(await retried).toMatchObject({ text: 'lost and found', retry: 1 });
  expect(heard).toHaveLength(1);
});

test('a link preview changes a message but not its text', async () => {
  await using served = await listen();
  const { slack, ada, help, hears } = served;

  const posted = hears('message');
  const { ts } = await slack.say({ user: ada, channel: help, text: 'see https://a.example/x' });
  await posted;
  const changed = hears('message');
  slack.unfurl({ channel: help, ts });
  const text = 'see <https://a.example/x>';
  expect(await changed).toMatchObject({
    subtype: 'message_changed',
    message: { ts, text, attachments: [{ original_url: 'https://a.example/x' }] },
    previous_message: { ts, text },
  });
  expect(slack.messages(help)[0]).toMatchObject({ edits: 0 });
  expect(slack.revisions(help, ts)).toEqual(['see https://a.example/x']);
  const plain = await slack.say({ user: ada, channel: help, text: 'no address' });
  expect(() => slack.unfurl({ channel: help, ts: plain.ts })).toThrow('with an address');
});

test('the event of the stop button names the streams that it stopped', async () => {
  await using served = await listen();
  const { slack, client, ada, hears } = served;

  const channel = slack.direct(ada).id;
  const { ts: thread } = await slack.say({ user: ada, channel, text: 'why?' });
  const { ts } = await client.chat.startStream({ channel, thread_ts: thread });
  const stopped = hears('agent_session_stopped');
  slack.stop({ user: ada, channel, thread });
  expect(await stopped).toMatchObject({
    channel,
    user: ada,
    thread_ts: thread,
    streaming_message_ts: [ts],
  });
});
