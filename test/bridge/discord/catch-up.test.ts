import { GatewayCloseCodes, PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { allLeases, type Leases } from '../../../src/bridge/conversation/leases.ts';
import type { Delivery, IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import { turnId } from '../../../src/bridge/conversation/inbox/row.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { openServer, passIdentifyLimit } from './open-server.ts';

const hourMs = 60 * 60 * 1000;

/** What a bot remembers across its runs, in a store of its own. */
async function createMemory({ maxAgeMs = 24 * hourMs, now = Date.now } = {}) {
  const store = await openStore('memory:');
  return {
    watermarks: store.keyv<string>('watermark'),
    directChannels: store.keyv<string>('direct-channel'),
    maxAgeMs,
    now,
  };
}

/** A server where the bot has answered Ada in a thread and in a direct message, and left. */
async function openLeftServer(options: { now?: () => number } = {}) {
  const server = await openServer(options);
  const { discord, mention } = server;
  const catchUp = await createMemory();
  const { platform, heard } = await server.connect({ catchUp });
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} First?` });
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread } = await heard('First?');
  await thread.post({ markdown: 'Answer' });
  await (await heard('Hello')).thread.post({ markdown: 'Hello' });
  await platform[Symbol.asyncDispose]();
  server.calls.length = 0;
  return {
    ...server,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    mention,
    catchUp,
    thread: thread.address.thread,
    say: (channel: string, content: string, user = 'ada') =>
      discord.say({ user, channel, content }),
  };
}

const pagesRead = (calls: string[]) =>
  calls.filter((call) => /^GET \/channels\/\d+\/messages$/.test(call));

test('what was said while the bot was away is heard once, in order', async () => {
  await using server = await openLeftServer();
  const { say, mention, thread, catchUp } = server;
  await say('#general', `${mention} Second?`);
  await say(thread, 'And then?');
  await say('@', 'One');
  await say('#general', `${mention} Third?`, 'grace');
  await say(thread, 'And after that?');
  await say('@', 'Two');

  const back = await server.connect({ catchUp });
  await Promise.all(['Third?', 'And after that?', 'Two'].map((text) => back.heard(text)));
  const textsIn = (channel: string) =>
    back.received
      .filter(({ thread: { address } }) => [address.channel, address.thread].includes(channel))
      .map(({ text }) => text);
  expect(back.received).toHaveLength(6);
  expect(back.core.missed).toEqual(expect.arrayContaining(back.received.map(({ id }) => id)));
  expect(textsIn(thread)).toEqual(['And then?', 'And after that?']);
  expect(textsIn(server.discord.directChannel('ada').id)).toEqual(['One', 'Two']);
  const third = back.received.find(({ text }) => text === 'Third?');
  expect(third?.author).toMatchObject({ name: 'Grace', isManager: true });
  await back.platform[Symbol.asyncDispose]();

  server.calls.length = 0;
  const again = await server.connect({ catchUp });
  await say('#general', `${mention} Live?`);
  await again.heard('Live?');
  expect(again.received).toHaveLength(1);
  expect(again.core.missed).toEqual([]);
  expect(pagesRead(server.calls)).toEqual([]);
});

test('what was missed need not be fetched again where its author can’t be looked up at first', async () => {
  await using server = await openLeftServer();
  const { discord, say, mention, catchUp } = server;
  await say('#general', `${mention} Second?`, 'grace');
  discord.leave('grace');
  const { platform, core } = server.prepare({ catchUp });
  const delivered = Promise.withResolvers<Delivery>();
  await platform.start({ ...core, received: async (delivery) => delivered.resolve(delivery) });
  const { event, ...place } = await delivered.promise;
  server.calls.length = 0;
  discord.faults.inject({ method: 'GET /guilds/:guild/members/:user', times: 1, retryAfter: 1 });
  await expect(platform.read(event, place)).rejects.toBeInstanceOf(Error);
  expect(await platform.read(event, place)).toMatchObject({ author: { name: 'Grace' } });
  expect(server.calls.filter((call) => call.includes('/messages/'))).toEqual([]);
});

test('a post of a forum that was written while the bot was away is heard with its title', async () => {
  await using server = await openLeftServer();
  const { discord, catchUp } = server;
  const { id: channel } = discord.addChannel('forum', 'Questions', {
    tags: [{ name: 'Printers' }],
  });
  const post = { user: 'ada', channel, title: 'Printer', content: 'It is jammed.' };
  const { id } = await discord.openPost({ ...post, tags: ['Printers'] });
  const back = await server.connect({ catchUp });
  const message = await back.heard('Printer\n\nIt is jammed.');
  expect(message).toMatchObject({
    id,
    post: { isFirst: true },
    thread: { address: { thread: id } },
  });
  expect(message.post?.tags).toHaveLength(1);
});

test('after a restore, nothing older than it is heard', async () => {
  let passedMs = 0;
  const now = () => Date.now() + passedMs;
  await using server = await openLeftServer({ now });
  const { say, mention, thread, catchUp } = server;
  await say('#general', `${mention} Answered since?`);
  await say(thread, 'And this?');
  await say('@', 'Answered as well?');
  const restoredAt = now() + hourMs;
  passedMs = 2 * hourMs;
  await say('#general', `${mention} Missed?`);
  await say('@', 'Missed as well?');
  const back = await server.connect({ catchUp: { ...catchUp, restoredAt, now } });
  await Promise.all(['Missed?', 'Missed as well?'].map((text) => back.heard(text)));
  await say('#general', `${mention} Live?`);
  await back.heard('Live?');
  expect(back.received).toHaveLength(3);
});

test('a question is not heard again where its reply stands, although nothing is stored of it', async () => {
  await using server = await openLeftServer();
  const { say, mention, thread, catchUp } = server;
  const earlier: [string, string][] = [];
  for await (const row of catchUp.watermarks.entries()) earlier.push(row);

  const first = await server.connect({ catchUp });
  const hear = async (channel: string, text: string) => {
    const isMention = channel.startsWith('#');
    await say(channel, isMention ? `${mention} ${text}` : text);
    return first.heard(text);
  };
  const answer = ({ id, thread }: IncomingMessage, action: 'helpful' | 'retry' | 'stop') => {
    const turn = turnId(thread.address, id);
    const button = { action, label: action, turn: action === 'retry' ? `${turn}.1` : turn };
    return thread.post({ markdown: 'Answer', buttons: [button] });
  };
  await answer(await hear('#general', 'Answered?'), 'helpful');
  await answer(await hear('#general', 'Answered with Try again?'), 'retry');
  await (await hear('#general', 'Greeted?')).thread.post({ markdown: 'Hello' });
  await answer(await hear('#general', 'Cut off?'), 'stop');
  await answer(await hear(thread, 'Answered in the thread?'), 'helpful');
  await answer(await hear(thread, 'Cut off in the thread?'), 'stop');
  await answer(await hear('@', 'Answered directly?'), 'helpful');
  await hear('@', 'Not answered directly?');
  server.forbid('help', PermissionFlagsBits.CreatePublicThreads);
  await (await hear('#help', 'Answered by a reply?')).thread.post({ markdown: 'Hello' });
  await hear('#help', 'Not answered?');
  // As while the store is away: the process ends before it can take the question.
  const later = { markdown: `⚠️ ${english.failures.later}` };
  await (await hear('#general', 'Told to wait?')).thread.post(later);
  await (await hear('#help', 'Told to wait here?')).thread.post(later);
  await first.platform[Symbol.asyncDispose]();

  for (const [key, value] of earlier) await catchUp.watermarks.set(key, value);
  const { heard, received } = await server.connect({ catchUp });
  const open = [
    'Cut off?',
    'Cut off in the thread?',
    'Not answered directly?',
    'Not answered?',
    'Told to wait?',
    'Told to wait here?',
  ];
  await Promise.all(open.map((text) => heard(text)));
  await say('#general', `${mention} Live?`);
  await heard('Live?');
  expect(new Set(received.map(({ text }) => text))).toEqual(new Set([...open, 'Live?']));
  expect(received).toHaveLength(7);
});

test('what was said while the session was lost is heard, in order and once', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard, received } = await server.connect({ catchUp: await createMemory() });
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} First?` });
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  await Promise.all([heard('First?'), heard('Hello')]);
  passIdentifyLimit();
  discord.gateway.drop();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Second?` });
  await discord.say({ user: 'ada', channel: '@', content: 'Still there?' });
  await discord.changes.waitFor((change) => change.kind === 'gateway' && change.event === 'ready');
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Third?` });
  await Promise.all([heard('Third?'), heard('Still there?')]);
  const texts = received.map(({ text }) => text).filter((text) => text.endsWith('d?'));
  expect(texts).toEqual(['Second?', 'Third?']);
  expect(received).toHaveLength(5);
});

test('what was said while Discord had an outage of the server is heard', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard, received } = await server.connect({ catchUp: await createMemory() });
  const say = (channel: string, content: string) =>
    discord.say({ user: 'ada', channel, content: `${mention} ${content}` });
  await say('#general', 'First?');
  await heard('First?');
  discord.gateway.setAvailable(false);
  await say('#general', 'Second?');
  await say('@', 'Elsewhere');
  await heard('Elsewhere');
  discord.gateway.setAvailable(true);
  await say('#general', 'Third?');
  await heard('Third?');
  expect(received.map(({ text }) => text)).toEqual(['First?', 'Elsewhere', 'Second?', 'Third?']);
});

test('a thread is read after the channel in which it was asked for', async () => {
  await using server = await openLeftServer();
  const { discord, say, mention, catchUp } = server;
  const { id } = await say('#general', `${mention} Second?`);
  const { token, apiUrl } = discord.credentials;
  await fetch(`${apiUrl}/v10/channels/${server.channel('general')}/messages/${id}/threads`, {
    method: 'POST',
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Second?' }),
  });
  await say(id, 'In its thread');
  await say('#help', `${mention} Elsewhere?`);
  discord.faults.inject({ method: 'GET /channels/:channel/messages', times: 1, retryAfter: 2 });
  const { heard, received } = await server.connect({
    catchUp,
    sleep: (ms) => (ms > 10_000 ? new Promise(() => {}) : heard('Elsewhere?')),
  });
  await heard('In its thread');
  const texts = received.map(({ text }) => text);
  expect(texts).toEqual(['Elsewhere?', 'Second?', 'In its thread']);
});

test('unreadable rows are set aside', async () => {
  await using server = await openLeftServer();
  const { say, mention, catchUp } = server;
  await catchUp.watermarks.set(`${server.discord.credentials.applicationId}:0`, 'null');
  await catchUp.directChannels.set('other', 'broken');
  await say('#general', `${mention} Missed?`);
  const { heard, received } = await server.connect({ catchUp });
  await say('#general', `${mention} New?`);
  await heard('New?');
  expect(received).toHaveLength(1);
});

test('the first start hears nothing old', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Old?` });
  await discord.say({ user: 'ada', channel: '@', content: 'Old' });
  const { heard, received } = await server.connect({ catchUp: await createMemory() });
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} New?` });
  await heard('New?');
  expect(received).toHaveLength(1);
  expect(pagesRead(server.calls)).toEqual([]);
});

test.each([1, 0])('nothing older than %i hours is heard', async (hours) => {
  await using server = await openLeftServer();
  const { say, mention, catchUp } = server;
  await say('#general', `${mention} Too old?`);
  await say('@', 'Too old');
  const now = () => Date.now() + hours * hourMs + 5000;
  const { heard, received } = await server.connect({
    catchUp: { ...catchUp, maxAgeMs: hours * hourMs, now },
  });
  await say('#general', `${mention} New?`);
  await heard('New?');
  expect(received).toHaveLength(1);
  expect(pagesRead(server.calls)).toEqual([]);
});

test('a page that fails is read again, and later messages wait for it', async () => {
  await using server = await openLeftServer();
  const { discord, say, mention, catchUp } = server;
  await say('#general', `${mention} Second?`);
  const method = 'GET /channels/:channel/messages';
  discord.faults.inject({ method, times: 4, status: 503 });
  discord.faults.inject({ method, times: 1, retryAfter: 2 });
  const waits: number[] = [];
  const waiting = Promise.withResolvers<void>();
  const wait = Promise.withResolvers<void>();
  const { heard, received } = await server.connect({
    catchUp,
    async sleep(ms) {
      waits.push(ms);
      waiting.resolve();
      await wait.promise;
    },
  });
  await waiting.promise;
  await say('#general', `${mention} Third?`);
  await say('#help', `${mention} Elsewhere?`);
  await heard('Elsewhere?');
  wait.resolve();
  await heard('Third?');
  expect(received.map(({ text }) => text)).toEqual(['Elsewhere?', 'Second?', 'Third?']);
  expect(waits[0]).toBe(1000);
  expect(waits[1]).toBeGreaterThanOrEqual(2000);
});

test('what something between Discord and the bot refuses is read again', async () => {
  await using server = await openLeftServer();
  const { discord, say, mention, catchUp } = server;
  await say('#general', `${mention} Second?`);
  const method = 'GET /channels/:channel/messages';
  discord.faults.inject({ method, times: 7, status: 403, html: '<h1>Forbidden</h1>' });
  const { heard, received } = await server.connect({ catchUp, sleep: async () => {} });
  await say('#general', `${mention} Third?`);
  await Promise.all([heard('Second?'), heard('Third?')]);
  expect(received).toHaveLength(2);
});

/** Leases that other processes can take, and give back. */
function createLeases() {
  let isHeld = true;
  let tell: (held: readonly string[]) => void = () => {};
  const leases: Leases = {
    ...allLeases,
    leaseIn: (scope) => (isHeld ? allLeases.leaseIn(scope) : undefined),
    onChange: (listener) => void (tell = listener),
  };
  const hold = (held: boolean) => {
    isHeld = held;
    tell(held ? ['discord:0/1'] : []);
  };
  return { leases, hold };
}

test.each(['ends', 'is given away'])(
  'a shard that %s is read no more, and reads what was missed once it is connected again',
  async (how) => {
    await using server = await openLeftServer();
    const { discord, say, mention, catchUp } = server;
    const { leases, hold } = createLeases();
    await say('#general', `${mention} Second?`);
    discord.faults.inject({ method: 'GET /channels/:channel/messages', times: 4, status: 503 });
    const waiting = Promise.withResolvers<AbortSignal | undefined>();
    const { platform, core, heard, received } = await server.connect({
      catchUp,
      leases,
      sleep: (_, signal) => {
        waiting.resolve(signal);
        return new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
      },
    });
    const reading = await waiting.promise;
    if (how === 'ends') {
      discord.gateway.disconnect(GatewayCloseCodes.AuthenticationFailed);
      await platform.fatalError;
    } else hold(false);
    expect(reading?.aborted).toBe(true);
    expect(received).toEqual([]);

    passIdentifyLimit();
    if (how === 'ends') await platform.start(core);
    else hold(true);
    await heard('Second?');
    await say('#general', `${mention} Third?`);
    await heard('Third?');
    expect(received).toHaveLength(2);
    await platform[Symbol.asyncDispose]();

    server.calls.length = 0;
    const again = await server.connect({ catchUp });
    await say('#general', `${mention} Live?`);
    await again.heard('Live?');
    expect(pagesRead(server.calls)).toEqual([]);
  },
);

test('many messages are read page by page', async () => {
  await using server = await openLeftServer();
  const { say, mention, catchUp } = server;
  const numbers = Array.from({ length: 230 }, (_, index) => `Number ${index}`);
  for (const number of numbers) await say('#general', `${mention} ${number}`);
  const { heard, received } = await server.connect({ catchUp });
  await heard('Number 229');
  expect(received.map(({ text }) => text)).toEqual(numbers);
  expect(pagesRead(server.calls)).toHaveLength(3);
});

test('a channel that the bot may not read is skipped', async () => {
  await using server = await openLeftServer();
  const { say, mention, catchUp } = server;
  await say('#help', `${mention} Unreadable?`);
  server.forbid('help', PermissionFlagsBits.ReadMessageHistory);
  await say('#general', `${mention} Readable?`);
  const { heard, received } = await server.connect({ catchUp });
  await heard('Readable?');
  expect(received).toHaveLength(1);
  expect(pagesRead(server.calls)).toHaveLength(1);
});

test('a message that the core does not accept is delivered again, in this run and in the next', async () => {
  await using server = await openLeftServer();
  const { say, mention, catchUp } = server;
  const again = Promise.withResolvers<void>();
  const failing = await server.connect({
    catchUp,
    sleep: () => {
      again.resolve();
      return new Promise(() => {});
    },
  });
  const { received: receive } = failing.core;
  failing.core.received = async () => {
    throw new Error('The store is down.');
  };
  await say('#general', `${mention} Second?`);
  await again.promise;
  failing.core.received = receive;
  await say('#help', `${mention} Third?`);
  await failing.heard('Third?');
  await failing.platform[Symbol.asyncDispose]();

  const { heard, received } = await server.connect({ catchUp });
  await Promise.all(['Second?', 'Third?'].map(heard));
  expect(received).toHaveLength(2);
});

test('a server with many channels where nothing is new is not read', async () => {
  await using server = await openLeftServer();
  const { discord, say, mention, catchUp } = server;
  const before = await server.connect({ catchUp });
  const channels = Array.from({ length: 100 }, (_, index) => `voice-${index}`);
  for (const name of channels) await say(discord.addChannel('voice', name).id, name);
  await before.heard('voice-99');
  await before.platform[Symbol.asyncDispose]();

  server.calls.length = 0;
  const { heard, received } = await server.connect({ catchUp });
  await say('#general', `${mention} Second?`);
  await heard('Second?');
  expect(received).toHaveLength(1);
  expect(pagesRead(server.calls)).toEqual([]);
});
