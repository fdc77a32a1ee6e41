import { RESTEvents, Routes } from 'discord.js';
import { expect, test } from 'vitest';
import { channelId, runServer, type RunningServer } from './server.ts';

const postRoute = 'POST /channels/:channel/messages';

function post(server: RunningServer, channel: string) {
  return server.call('POST', `/channels/${channel}/messages`, { content: 'Hi' });
}

test('a channel accepts five messages in five seconds, and the headers show the limit', async () => {
  let time = Date.now();
  await using server = await runServer({ now: () => time });
  const [general, help] = ['general', 'help'].map((name) => channelId(server.discord, name));
  if (!general || !help) throw new Error('Both channels are there.');
  const first = await post(server, general);
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'x-ratelimit-limit': '5',
    'x-ratelimit-remaining': '4',
    'x-ratelimit-reset': ((time + 5000) / 1000).toFixed(3),
    'x-ratelimit-reset-after': '5.000',
    'x-ratelimit-bucket': expect.stringMatching(/^\w+$/),
  });
  for (let sent = 1; sent < 5; sent += 1) expect((await post(server, general)).status).toBe(200);
  time += 1500;
  const limited = await post(server, general);
  expect(limited.status).toBe(429);
  expect(Object.fromEntries(limited.headers)).toMatchObject({
    'retry-after': '4',
    'x-ratelimit-scope': 'user',
    'x-ratelimit-remaining': '0',
  });
  expect(await limited.json()).toEqual({
    message: 'You are being rate limited.',
    retry_after: 3.5,
    global: false,
  });
  expect((await post(server, help)).status).toBe(200);
  time += 3500;
  expect((await post(server, general)).status).toBe(200);
  expect(server.discord.messages(general)).toHaveLength(6);
});

test('the global limit is fifty requests a second, without those of interactions', async () => {
  const time = Date.now();
  await using server = await runServer({ now: () => time });
  const paths = ['/users/@me', '/gateway', '/gateway/bot'];
  for (let sent = 0; sent < 50; sent += 1) {
    expect((await server.call('GET', paths[sent % 3] ?? '')).status).toBe(200);
  }
  const limited = await server.call('GET', '/gateway');
  expect([limited.status, await limited.json()]).toMatchObject([429, { global: true }]);
  expect(limited.headers.get('x-ratelimit-scope')).toBe('global');
  expect((await server.call('POST', '/interactions/1/none/callback', { type: 5 })).status).toBe(
    404,
  );
  server.discord.faults.rateLimits = false;
  expect((await server.call('GET', '/gateway')).status).toBe(200);
});

test("discord.js's client waits for the limit to pass and then posts", async () => {
  await using server = await runServer();
  const general = channelId(server.discord, 'general');
  server.discord.faults.inject({ method: postRoute, times: 1, retryAfter: 0.05 });
  const rest = server.rest();
  const statuses: number[] = [];
  rest.on(RESTEvents.Response, (_, { status }) => statuses.push(status));
  const body = { content: 'Waited' };
  expect(await rest.post(Routes.channelMessages(general), { body })).toMatchObject(body);
  expect(statuses).toEqual([429, 200]);
  expect(server.discord.messages(general)).toHaveLength(1);
});

test('a nonce prevents a second message when a fault follows the first', async () => {
  await using server = await runServer();
  const { discord } = server;
  const general = channelId(discord, 'general');
  discord.faults.rateLimits = false;
  const send = (extra: object) =>
    server.rest().post(Routes.channelMessages(general), { body: { content: 'Hi', ...extra } });
  discord.faults.inject({ method: postRoute, times: 2, status: 502, afterEffect: true });
  await send({ nonce: '1', enforce_nonce: true });
  expect(discord.messages(general)).toHaveLength(1);
  discord.faults.inject({ method: postRoute, times: 2, status: 502, afterEffect: true });
  await send({});
  expect(discord.messages(general)).toHaveLength(4);
});

test('a fault answers with its code, or drops the connection', async () => {
  await using server = await runServer();
  const { discord } = server;
  const general = channelId(discord, 'general');
  discord.faults.inject({ method: postRoute, times: 1, status: 403, error: 50001 });
  const answer = await post(server, general);
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: 50001 }]);
  discord.faults.inject({ method: postRoute, times: 1, drop: true });
  await expect(post(server, general)).rejects.toThrow('fetch failed');
  expect(discord.messages(general)).toEqual([]);
});

test('with latency, a message is shown before its request is answered', async () => {
  await using server = await runServer();
  const { discord } = server;
  discord.faults.latency = 40;
  const seen: string[] = [];
  const shown = discord.changes.waitFor(({ kind }) => kind === 'message');
  const answered = post(server, channelId(discord, 'general')).then(() => seen.push('answered'));
  await shown.then(() => seen.push('shown'));
  await answered;
  expect(seen).toEqual(['shown', 'answered']);
});
