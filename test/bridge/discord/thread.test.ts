import { PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { openServer } from './open-server.ts';

const postMessage = 'POST /channels/:channel/messages';
const { AttachFiles } = PermissionFlagsBits;

test('an edit in an archived thread is uneditable, and a new message goes on', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Old?` });
  const { thread } = await heard('Old?');
  const sent = await thread.post({ markdown: 'Old' });
  discord.archive(thread.address.thread);
  await expect(sent.edit({ markdown: 'New' })).rejects.toMatchObject({ kind: 'uneditable' });
  await thread.post({ markdown: 'New' });
  expect(discord.messages(thread.address.thread).map(({ content }) => content)).toEqual([
    'Old',
    'New',
  ]);
});

test('a thread that was archived long ago is answered in again', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const before = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Old?` });
  const { thread } = await before.heard('Old?');
  await thread.post({ markdown: 'Old' });
  await before.platform[Symbol.asyncDispose]();
  discord.archive(thread.address.thread);

  const { platform } = await server.connect();
  const known = platform.thread(thread.address);
  await known.showWorking?.('is thinking…');
  await known.post({ markdown: 'Again' });
  expect(discord.threads(server.channel('general'))).toMatchObject([{ archived: false }]);
  const texts = discord.messages(thread.address.thread).map(({ content }) => content);
  expect(texts).toEqual(['Old', 'Again']);
});

test('a message too old for further edits is uneditable', async () => {
  let behind = 2 * 60 * 60 * 1000;
  await using server = await openServer({ now: () => Date.now() - behind });
  const { discord } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread } = await heard('Hello');
  const sent = await thread.post({ markdown: '0' });
  behind = 0;
  discord.faults.rateLimits = false;
  for (let count = 1; count <= 5; count += 1) await sent.edit({ markdown: String(count) });
  await expect(sent.edit({ markdown: '6' })).rejects.toMatchObject({
    kind: 'uneditable',
    message: expect.stringContaining('this old'),
  });
});

test('a limit of the whole bot passes, also for an old message', async () => {
  let now = Date.now() - 2 * 60 * 60 * 1000;
  await using server = await openServer({ now: () => now });
  const { discord } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread } = await heard('Hello');
  const sent = await thread.post({ markdown: '0' });
  now = Date.now();
  await Promise.allSettled(Array.from({ length: 60 }, async () => thread.showWorking?.('')));
  await expect(sent.edit({ markdown: '1' })).rejects.toMatchObject({
    kind: 'rate_limited',
    isGlobal: true,
  });
});

test('what a person or another bot says is not taken for a post that was lost', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Same?` });
  const { id: question, thread } = await heard('Same?');
  const sent = await thread.post({ markdown: 'The same' });
  await discord.say({ user: 'ada', channel: question, content: 'The same' });
  discord.sayAsBot({ name: 'Robot', channel: question, content: 'The same' });
  const post = { key: 'k', question, turn: 't', content: { markdown: 'The same' }, known: [] };
  expect(await thread.findPosted?.(post)).toMatchObject({ id: sent.id });
});

test('a text that nobody sees is not looked for', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Where?` });
  const { id: question, thread } = await heard('Where?');
  await thread.postFile({ name: 'answer.md', text: 'Whole' });
  const content = { markdown: '\u200B' };
  const post = { key: 'k', question, turn: 't', content, known: [] };
  expect(await thread.findPosted?.(post)).toBeUndefined();
});

test('a message is removed, and one that is gone stays so', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread } = await heard('Hello');
  const sent = await thread.post({ markdown: 'Text' });
  await sent.remove();
  expect(discord.messages(thread.address.thread)).toHaveLength(1);
  await sent.remove();
});

test('a text is attached as a file', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#help', content: `${mention} Long?` });
  const { thread } = await heard('Long?');
  const text = 'Größe 👩🏽‍💻\n'.repeat(5_000);
  await thread.postFile({ name: 'answer.md', text });
  const [message] = discord.messages(thread.address.thread);
  expect(message?.attachments).toMatchObject([{ filename: 'answer.md' }]);
  const file = await fetch(message?.attachments[0]?.url ?? '');
  expect(await file.text()).toBe(text);

  server.forbid('help', AttachFiles);
  await discord.say({ user: 'ada', channel: '@', content: 'permissions have arrived' });
  await heard('permissions have arrived');
  await expect(thread.postFile({ name: 'answer.md', text })).rejects.toMatchObject({
    kind: 'forbidden',
    message: expect.stringContaining('“Attach Files” in #help'),
  });
});

test('a file whose response was lost is not posted again', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  discord.faults.rateLimits = false;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#help', content: `${mention} Long?` });
  const { thread } = await heard('Long?');
  const post = () => thread.postFile({ name: 'answer.md', text: 'Long.' }, 'key');
  discord.faults.inject({ method: postMessage, times: 4, status: 502, afterEffect: true });
  await expect(post()).rejects.toMatchObject({ kind: 'failed' });
  await post();
  expect(discord.messages(thread.address.thread)).toHaveLength(1);
});

test('too many writes are refused at once, whether Discord says so or the library knows', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread } = await heard('Hello');
  discord.faults.inject({ method: postMessage, times: 1, retryAfter: 3 });
  const refused = { kind: 'rate_limited', retryAfterMs: expect.closeTo(3_000, -3) };
  await expect(thread.post({ markdown: 'No' })).rejects.toMatchObject(refused);

  const posts = Array.from({ length: 7 }, () => thread.post({ markdown: 'Text' }));
  const outcomes = await Promise.allSettled(posts);
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome] : []));
  expect(reasons).toHaveLength(3);
  // Most of the five seconds is still to come: nobody waited for their end.
  for (const { reason } of reasons) {
    expect(reason).toMatchObject({ kind: 'rate_limited', retryAfterMs: expect.any(Number) });
    expect((reason as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(1_000);
  }
});

test('typing opens the thread and shows there, so that the first text need not wait', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Typing?` });
  const { thread } = await heard('Typing?');
  const general = server.channel('general');
  expect(discord.threads(general)).toEqual([]);
  await Promise.all([thread.showWorking?.('is thinking…'), thread.showWorking?.('is thinking…')]);
  expect(discord.threads(general)).toHaveLength(1);
  expect(discord.typing(thread.address.thread)).toHaveLength(1);
  expect(discord.typing(general)).toEqual([]);
  const open = 'POST /channels/:channel/messages/:message/threads';
  discord.faults.inject({ method: open, times: 1, status: 400, error: 50_024 });
  await thread.post({ markdown: 'Yes' });
  expect(discord.messages(thread.address.thread).map(({ content }) => content)).toEqual(['Yes']);
});

test('an answer whose thread Discord refuses, for whatever reason, is in the channel', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Blank?` });
  const { thread } = await heard('Blank?');
  const open = 'POST /channels/:channel/messages/:message/threads';
  discord.faults.inject({ method: open, times: 1, status: 400, error: 50_035 });
  await thread.post({ markdown: 'Yes' });
  expect(discord.messages(server.channel('general')).at(-1)).toMatchObject({ content: 'Yes' });
});

test('a thread and a message known from an earlier run go on', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const first = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Before?` });
  const { thread } = await first.heard('Before?');
  const sent = await thread.post({ markdown: 'Half' });
  await first.platform[Symbol.asyncDispose]();

  const { platform } = await server.connect();
  const known = platform.thread(thread.address);
  await known.message(sent.id).edit({ markdown: 'Whole' });
  await known.post({ markdown: 'More' });
  expect(discord.messages(thread.address.thread).map(({ content }) => content)).toEqual([
    'Whole',
    'More',
  ]);
});

test('a reply in the channel, where no thread could be opened, goes on in place after a restart', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const first = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Before?` });
  discord.rules.maxActiveThreads = 0;
  const { thread } = await first.heard('Before?');
  const stop = { action: 'stop', label: 'Stop', turn: 'turn' } as const;
  const sent = await thread.post({ markdown: 'Half', buttons: [stop] });
  await first.platform[Symbol.asyncDispose]();

  const second = await server.connect();
  const known = second.platform.thread(thread.address).message(sent.id);
  await known.edit({ markdown: 'More' });
  await known.edit({ markdown: 'Whole', footer: 'Note', buttons: [stop] });
  await second.platform[Symbol.asyncDispose]();

  const third = await server.connect();
  await third.platform.thread(thread.address).message(sent.id).keep?.('Kept', []);
  const replies = discord.messages(server.channel('general')).slice(1);
  expect(replies).toMatchObject([
    { id: sent.id, content: 'Whole\n-# Note\n\nKept', components: [] },
  ]);
  expect(replies[0]?.revisions).toContain('More');
});

test('a thread that an earlier run did not get to open is opened', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard, platform } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Crash?` });
  const { thread } = await heard('Crash?');
  await platform.thread(thread.address).post({ markdown: 'Please ask again.' });
  expect(discord.messages(thread.address.thread).map(({ content }) => content)).toEqual([
    'Please ask again.',
  ]);
});

test('a text that Discord strips characters of is not edited after its post, and is found again', async () => {
  await using server = await openServer();
  const { discord, calls } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread, id: question } = await heard('Hello');
  const content = { markdown: 'Half an emoji \uD83D, a bell \u0007\nand the end' };
  const { id } = await thread.post(content, 'key');
  expect(calls.filter((call) => call.startsWith('PATCH'))).toEqual([]);
  expect(discord.messages(thread.address.thread)).toMatchObject([
    {},
    { id, content: 'Half an emoji , a bell \nand the end' },
  ]);
  const lost = { key: 'key', question, turn: 'turn', content, known: [] };
  expect(await thread.findPosted?.(lost)).toMatchObject({ id });
});

test('a message that was deleted is gone', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { heard, platform } = await server.connect();
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread, id } = await heard('Hello');
  discord.remove({ user: 'ada', message: id });
  const gone = platform.thread(thread.address).message(id);
  await expect(gone.edit({ markdown: 'x' })).rejects.toMatchObject({ kind: 'gone' });
});

test('a direct message to somebody without a server in common, or with a link that Discord takes for harmful, is forbidden', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'linus', channel: '@', content: 'Hello' });
  const { thread } = await heard('Hello');
  discord.faults.inject({ method: postMessage, times: 1, status: 400, error: 240_000 });
  await expect(thread.post({ markdown: 'Hi' })).rejects.toMatchObject({
    kind: 'forbidden',
    message: expect.stringContaining('harmful'),
  });
  discord.leave('linus');
  await expect(thread.post({ markdown: 'Hi' })).rejects.toMatchObject({
    kind: 'forbidden',
    message: expect.stringContaining('direct messages'),
  });
  expect(discord.messages(thread.address.thread)).toHaveLength(1);
});
