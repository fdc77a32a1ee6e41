import { expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { createClock } from '../clock.ts';
import { callSlack, openEvents, serveSandbox, startDiscordBot } from '../serve-sandbox.ts';
import { startBot } from '../slack/start-bot.ts';

test('the stream of events has both platforms’ changes, in order', async () => {
  await using served = await serveSandbox();
  const { post } = served;
  await using events = await openEvents(served.control);
  await post('/slack/say', { user: 'ada', channel: '#general', text: 'one' });
  expect(await events.next()).toMatchObject({
    platform: 'slack',
    kind: 'message',
    message: { source: 'one', inChannel: true },
  });
  const said = await post('/discord/say', { user: 'ada', channel: '#general', text: 'two' });
  expect(await events.next()).toMatchObject({
    platform: 'discord',
    kind: 'message',
    message: { source: 'two' },
  });
  const { id, channel } = said.body['message'] as { id: string; channel: string };
  await post('/discord/delete', { user: 'ada', channel: '#general', message: id });
  expect(await events.next()).toEqual({ platform: 'discord', kind: 'removed', channel, id });
  const { channel: help } = (
    await post('/slack/say', { user: 'ada', channel: '#help', text: 'three' })
  ).body['message'] as { channel: string };
  expect(await events.next()).toMatchObject({ message: { channel: help } });
});

test('the stream of events says what the bot is doing, and how many connections it has', async () => {
  await using served = await serveSandbox();
  const { post, sandbox } = served;
  await using events = await openEvents(served.control);
  const said = await post('/slack/say', { user: 'ada', channel: '#general', text: 'one' });
  const { id, channel } = said.body['message'] as { id: string; channel: string };
  await events.next();
  await using _ = await startBot(sandbox.slack, () => undefined);
  expect(await events.next()).toEqual({ platform: 'slack', kind: 'connections', connections: 1 });
  const status = { channel_id: channel, thread_ts: id, status: 'is thinking…' };
  await callSlack(sandbox, 'assistant.threads.setStatus', status);
  expect(await events.next()).toEqual({
    platform: 'slack',
    kind: 'activity',
    channel,
    thread: id,
    text: 'Causeway is thinking…',
    lasts: 120_000,
  });

  await using discord = await startDiscordBot(sandbox);
  expect(await events.next()).toMatchObject({ platform: 'discord', kind: 'connections' });
  const general = sandbox.discord.channels().find(({ name }) => name === 'general');
  const target = await discord.client.channels.fetch(general?.id ?? '');
  if (target?.isSendable()) await target.sendTyping();
  expect(await events.next()).toEqual({
    platform: 'discord',
    kind: 'activity',
    channel: general?.id,
    text: 'Causeway is typing…',
    lasts: 10_000,
  });
});

test('the stream of events has a heartbeat while nothing happens', async () => {
  const clock = createClock();
  await using served = await serveSandbox({ sleep: clock.sleep });
  const response = await fetch(`${served.control}/events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe('retry: 1000\n\n');
  await clock.sleeping(15_000);
  clock.advance(15_000);
  expect((await reader?.read())?.value).toBe(': still here\n\n');
  await reader?.cancel();
});

test('a client that does not read its events is disconnected', async () => {
  await using sandbox = createSandbox({
    database: ':memory:',
    origin: () => 'http://127.0.0.1:3000',
  });
  let destroyed = 0;
  const socket = { destroy: () => (destroyed += 1) };
  await sandbox.fetch(new Request('http://127.0.0.1:3000/sandbox/control/events'), {
    incoming: { socket },
  });
  const [ada] = sandbox.slack.users();
  const [general] = sandbox.slack.channels();
  const saying = { user: ada?.id ?? '', channel: general?.id ?? '', text: 'x'.repeat(12_000) };
  for (let said = 0; said < 30; said += 1) await sandbox.slack.say(saying);
  expect(destroyed).toBe(0);
  for (let said = 0; said < 30; said += 1) await sandbox.slack.say(saying);
  expect(destroyed).toBe(1);
});

test('at most 64 streams of events are open, and a closed one makes room', async () => {
  await using sandbox = createSandbox({
    database: ':memory:',
    origin: () => 'http://127.0.0.1:3000',
  });
  const open = () => sandbox.fetch(new Request('http://127.0.0.1:3000/sandbox/control/events'), {});
  const first = await open();
  for (let opened = 1; opened < 64; opened += 1) await open();
  expect((await open()).status).toBe(503);
  await first.body?.cancel();
  expect((await open()).status).toBe(200);
});
