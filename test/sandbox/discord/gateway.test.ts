import { on, once } from 'node:events';
import { type Client, Events, GatewayIntentBits, type Message } from 'discord.js';
import { WebSocket } from 'ws';
import { expect, test } from 'vitest';
import { runServer, type RunningServer } from './server.ts';

const guildMessagesIntent = 1 << 9;

interface Payload {
  op: number;
  t?: string;
  s?: number;
  d: Record<string, unknown>;
}

/** A client of the gateway, past HELLO, that reads its payloads one by one. */
async function connect(server: RunningServer) {
  const { url } = (await (await server.call('GET', '/gateway/bot')).json()) as { url: string };
  const socket = new WebSocket(`${url}?v=10&encoding=json`);
  const messages = on(socket, 'message');
  const next = async (): Promise<Payload> => {
    const { value } = await messages.next();
    return JSON.parse(String(value?.[0])) as Payload;
  };
  expect((await next()).op).toBe(10);
  return {
    socket,
    next,
    send: (payload: object) => socket.send(JSON.stringify(payload)),
    closed: once(socket, 'close').then(([code]) => code as number),
    identify(intents: number, shard?: [number, number]) {
      const { token } = server.discord.credentials;
      socket.send(JSON.stringify({ op: 2, d: { token, intents, properties: {}, shard } }));
    },
  };
}

const identifyAs = (shard: [number, number]) => ({
  op: 2,
  d: { token: '', intents: 0, properties: {}, shard },
});

test.each([
  ['a bad token', { op: 2, d: { token: 'wrong', intents: 0, properties: {} } }, 4004],
  ['unknown intents', { op: 2, d: { token: '', intents: 2 ** 30, properties: {} } }, 4013],
  ['a payload before identifying', { op: 3, d: {} }, 4003],
  ['an identify that is none', { op: 2, d: {} }, 4002],
  ['a shard that there is not', identifyAs([2, 2]), 4010],
  ['a shard of none', identifyAs([0, 0]), 4010],
  ['a payload that is too large', { op: 1, d: 'x'.repeat(5000) }, 4002],
])('%s closes the connection', async (_, payload, code) => {
  await using server = await runServer();
  const client = await connect(server);
  const { token } = server.discord.credentials;
  client.send(JSON.parse(JSON.stringify(payload).replace('"token":""', `"token":"${token}"`)));
  expect(await client.closed).toBe(code);
});

test('identifying twice closes the connection, and so does sending too much', async () => {
  await using server = await runServer();
  const twice = await connect(server);
  twice.identify(0);
  twice.identify(0);
  expect(await twice.closed).toBe(4005);
  const busy = await connect(server);
  for (let sent = 0; sent < 125; sent += 1) busy.send({ op: 1, d: null });
  expect(await busy.closed).toBe(4008);
});

test('a shard with more servers than it can have is refused', async () => {
  let time = Date.now();
  await using server = await runServer({ now: () => time });
  const { discord } = server;
  discord.rules.guildsPerShard = 1;
  const fitting = await connect(server);
  fitting.identify(0);
  expect((await fitting.next()).t).toBe('READY');
  // One of an even millisecond, one of an odd one.
  time += 1;
  discord.addServer('Other', ['ada']);
  const full = await connect(server);
  full.identify(0);
  expect(await full.closed).toBe(4011);
  const half = await connect(server);
  half.identify(0, [1, 2]);
  expect((await half.next()).t).toBe('READY');
});

test('within five seconds, as many shards begin a session as max_concurrency says', async () => {
  let time = Date.now();
  await using server = await runServer({ now: () => time });
  const { rules } = server.discord;
  Object.assign(rules, { shards: 4, maxConcurrency: 2, identifyMs: 5_000 });
  const limit = async () => (await server.call('GET', '/gateway/bot')).json();
  expect(await limit()).toMatchObject({
    shards: 4,
    session_start_limit: { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 2 },
  });

  const begin = async (shard: number) => {
    const client = await connect(server);
    client.identify(0, [shard, 4]);
    const { op, d } = await client.next();
    return op === 0 ? d['shard'] : { op, d };
  };
  expect(await begin(0)).toEqual([0, 4]);
  expect(await begin(1)).toEqual([1, 4]);
  expect(await begin(2)).toEqual({ op: 9, d: false });
  time += 4_999;
  expect(await begin(2)).toEqual({ op: 9, d: false });
  time += 1;
  expect(await begin(2)).toEqual([2, 4]);
  expect(await limit()).toMatchObject({
    session_start_limit: { remaining: 997, reset_after: 24 * 3_600_000 - 5_000 },
  });
});

test('a session gets the events of its intents, and content only with its intent', async () => {
  await using server = await runServer();
  const { discord } = server;
  const blind = await connect(server);
  blind.identify(guildMessagesIntent);
  expect((await blind.next()).t).toBe('READY');
  const deaf = await connect(server);
  deaf.identify(0);
  expect((await deaf.next()).t).toBe('READY');

  const file = { name: 'a.txt', bytes: Buffer.from('a') };
  await discord.say({ user: 'ada', channel: '@', content: 'Not asked for' });
  await discord.say({ user: 'ada', channel: '#help', content: 'Secret', files: [file] });
  const mention = `<@${discord.credentials.applicationId}> open`;
  await discord.say({ user: 'ada', channel: '#help', content: mention });
  expect(await blind.next()).toMatchObject({
    t: 'MESSAGE_CREATE',
    d: { content: '', attachments: [], author: { username: 'ada' } },
  });
  expect(await blind.next()).toMatchObject({ t: 'MESSAGE_CREATE', d: { content: mention } });
  deaf.send({ op: 1, d: null });
  expect((await deaf.next()).op).toBe(11);
});

test('a resumed session gets the events that it missed', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await connect(server);
  client.identify(guildMessagesIntent);
  const ready = await client.next();
  client.socket.terminate();
  await client.closed;
  await discord.say({ user: 'ada', channel: '#help', content: 'Missed' });

  const again = await connect(server);
  const resume = {
    token: discord.credentials.token,
    session_id: ready.d['session_id'],
    seq: ready.s,
  };
  again.send({ op: 6, d: resume });
  expect(await again.next()).toMatchObject({ t: 'MESSAGE_CREATE', s: 2 });
  expect(await again.next()).toMatchObject({ t: 'RESUMED', s: 3 });
  const stranger = await connect(server);
  stranger.send({ op: 6, d: { ...resume, session_id: 'unknown' } });
  expect(await stranger.next()).toMatchObject({ op: 9, d: false });
});

test('no session can be resumed after an outage', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await connect(server);
  client.identify(guildMessagesIntent);
  const ready = await client.next();
  discord.gateway.drop();
  await client.closed;

  const again = await connect(server);
  const { token } = discord.credentials;
  again.send({ op: 6, d: { token, session_id: ready.d['session_id'], seq: ready.s } });
  expect(await again.next()).toMatchObject({ op: 9, d: false });
});

function nextMessage(client: Client): Promise<Message> {
  return new Promise((resolve) => {
    client.once(Events.MessageCreate, resolve);
  });
}

test('discord.js resumes after its connection was cut, and misses nothing', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await server.logIn();
  const closed = discord.changes.waitFor(
    (change) => change.kind === 'gateway' && change.event === 'closed',
  );
  discord.gateway.disconnect();
  await closed;
  const missed = nextMessage(client);
  await discord.say({ user: 'ada', channel: '#help', content: 'Missed' });
  expect((await missed).content).toBe('Missed');
});

test('discord.js follows a request to reconnect', async () => {
  await using server = await runServer();
  const { discord } = server;
  await server.logIn();
  const resumed = discord.changes.waitFor(
    (change) => change.kind === 'gateway' && change.event === 'resumed',
  );
  discord.gateway.reconnect();
  await resumed;
  expect(discord.gateway.connections).toBe(1);
});

test.each([true, false])(
  'discord.js recovers from an invalid session, resumable: %s',
  async (resumable) => {
    await using server = await runServer();
    const { discord } = server;
    const client = await server.logIn({
      ws: {
        buildIdentifyThrottler: () => Promise.resolve({ waitForIdentify: () => Promise.resolve() }),
      },
    });
    const event = resumable ? 'resumed' : 'ready';
    const back = discord.changes.waitFor(
      (change) => change.kind === 'gateway' && change.event === event,
    );
    discord.gateway.invalidate(resumable);
    await back;
    const next = nextMessage(client);
    await discord.say({ user: 'ada', channel: '#help', content: 'Hello again' });
    expect((await next).content).toBe('Hello again');
  },
);

test('the gateway sends the members on request', async () => {
  await using server = await runServer();
  const client = await server.logIn({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers],
  });
  const members = await client.guilds.cache.first()?.members.fetch({ query: 'gra', limit: 5 });
  expect(members?.map(({ displayName }) => displayName)).toEqual(['Grace']);
});
