import { PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { openServer } from './open-server.ts';

/** A bot that has answered Ada in a thread below #general. */
async function beginThread(server: Awaited<ReturnType<typeof openServer>>) {
  const { discord, mention } = server;
  const before = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} First?` });
  const { thread } = await before.heard('First?');
  await thread.post({ markdown: 'Answer' });
  return { before, thread };
}

test('edits in threads and direct messages are reported, also of messages from before a restart', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { before, thread } = await beginThread(server);
  const inThread = await discord.say({
    user: 'grace',
    channel: thread.address.thread,
    content: 'And?',
  });
  await before.heard('And?');
  await before.platform[Symbol.asyncDispose]();

  const { core, heard } = await server.connect();
  await discord.edit({ user: 'grace', message: inThread.id, content: 'And then?' });
  const edit = await core.edits.find(({ text }) => text === 'And then?');
  expect(edit.thread.address).toEqual(thread.address);
  expect(edit.author).toMatchObject({ name: 'Grace', isManager: true });

  const direct = await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  await heard('Hello');
  await discord.edit({ user: 'ada', message: direct.id, content: 'Hello!' });
  const other = await core.edits.find(({ text }) => text === 'Hello!');
  expect(other).toMatchObject({ addressed: 'direct', author: { isManager: false } });
});

test('an edit that adds a mention is one to the bot', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { core } = await server.connect();
  const said = await discord.say({ user: 'ada', channel: '#general', content: 'Who knows?' });
  await discord.edit({ user: 'ada', message: said.id, content: `${mention} Who knows?` });
  const edit = await core.edits.find(({ id }) => id === said.id);
  expect(edit).toMatchObject({
    addressed: 'mention',
    text: 'Who knows?',
    thread: { address: { channel: server.channel('general'), thread: said.id } },
  });
});

test('edits and deletions of direct messages from before a restart are reported', async () => {
  await using server = await openServer();
  const { discord } = server;
  const before = await server.connect();
  const say = async (user: string, content: string) => {
    const { id } = await discord.say({ user, channel: '@', content });
    return id;
  };
  const [edited, removed] = [await say('ada', 'Hello'), await say('grace', 'Bye')];
  await before.heard('Bye');
  const { thread } = await before.heard('Hello');
  const answer = await thread.post({ markdown: 'Hi' });
  await before.platform[Symbol.asyncDispose]();

  const { core, platform } = await server.connect();
  await platform.thread(thread.address).message(answer.id).edit({ markdown: 'Hi!' });
  discord.unfurl(edited);
  await discord.edit({ user: 'ada', message: edited, content: 'Hello!' });
  discord.remove({ user: 'grace', message: removed });
  const edit = await core.edits.find(({ text }) => text === 'Hello!');
  expect(edit).toMatchObject({
    id: edited,
    addressed: 'direct',
    thread: { address: thread.address },
  });
  const { channel } = await core.removals.find(({ id }) => id === removed);
  expect(channel).toBe(discord.directChannel('grace').id);
  expect(core.edits.all).toHaveLength(1);
});

test('an edit is reported although something between Discord and the bot refuses to look it up', async () => {
  await using server = await openServer();
  const { discord } = server;
  const before = await server.connect();
  const { id } = await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  await before.heard('Hello');
  await before.platform[Symbol.asyncDispose]();

  const { core } = await server.connect({ sleep: async () => {} });
  const method = 'GET /channels/:channel';
  discord.faults.inject({ method, times: 2, status: 403, html: '<h1>Forbidden</h1>' });
  await discord.edit({ user: 'ada', message: id, content: 'Hello!' });
  expect(await core.edits.find(({ text }) => text === 'Hello!')).toMatchObject({ id });
});

test('edits and deletions in a thread that was archived before a restart are reported', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { before, thread } = await beginThread(server);
  const say = async (content: string) => {
    const { id } = await discord.say({ user: 'ada', channel: thread.address.thread, content });
    await before.heard(content);
    return id;
  };
  const removed = await say('Deleted');
  const many = [await say('One of many'), await say('Another one')];
  const edited = await say('And?');

  /** Connects while the thread is archived, so that the library does not know it. */
  async function reconnect() {
    discord.archive(thread.address.thread);
    return server.connect();
  }
  await before.platform[Symbol.asyncDispose]();
  const { platform, workspace, channel } = thread.address;
  const place = { platform, workspace, channel };
  const first = await reconnect();
  discord.remove({ user: 'ada', message: removed });
  expect(await first.core.removals.find(({ id }) => id === removed)).toEqual({
    ...place,
    id: removed,
  });
  await first.platform[Symbol.asyncDispose]();

  const second = await reconnect();
  discord.removeAll(many);
  for (const id of many) {
    expect(await second.core.removals.find((other) => other.id === id)).toEqual({ ...place, id });
  }
  await second.platform[Symbol.asyncDispose]();

  const third = await reconnect();
  discord.changePost({ user: 'ada', post: thread.address.thread, archived: false });
  await discord.edit({ user: 'ada', message: edited, content: 'And then?' });
  const edit = await third.core.edits.find(({ text }) => text === 'And then?');
  expect(edit.thread.address).toEqual(thread.address);
});

test('previews of links, a thread that opens and our own edits are no edits', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard, core } = await server.connect();
  const content = `${mention} What is https://example.com ?`;
  const { id } = await discord.say({ user: 'ada', channel: '#general', content });
  const { thread } = await heard('What is https://example.com ?');
  const sent = await thread.post({ markdown: 'One' });
  discord.unfurl(id);
  await sent.edit({ markdown: 'Two' });
  await discord.edit({ user: 'ada', message: id, content: 'Last' });
  await core.edits.find(({ text }) => text === 'Last');
  expect(core.edits.all).toHaveLength(1);
});

test('deleted messages are reported, one by one or in bulk', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard, core } = await server.connect();
  const say = async (channel: string, content: string) => {
    const { id } = await discord.say({ user: 'ada', channel, content });
    return id;
  };
  const first = await say('#general', `${mention} First?`);
  const { thread } = await heard('First?');
  await thread.post({ markdown: 'Answer' });
  const inThread = await say(thread.address.thread, 'Second');
  const direct = await say('@', 'Hello');
  await heard('Hello');

  const { channel, workspace } = thread.address;
  const place = { platform: 'discord', workspace, channel };
  discord.remove({ user: 'ada', message: inThread });
  discord.remove({ user: 'ada', message: direct });
  discord.removeAll([first]);
  await core.removals.find(({ id }) => id === first);
  const own = discord.directChannel('ada').id;
  expect(core.removals.all).toEqual([
    { ...place, id: inThread },
    { platform: 'discord', workspace: 'dm', channel: own, id: direct },
    { ...place, id: first },
  ]);
});

test('an edit or a deletion that can’t be stored is reported again', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { core, heard } = await server.connect({ sleep: async () => {} });
  const edited = await discord.say({ user: 'ada', channel: '#general', content: 'One' });
  const removed = await discord.say({ user: 'ada', channel: '#general', content: 'Two' });
  await heard('Two');
  const refused: string[] = [];
  const { edited: hearEdit, removed: hearRemoval } = core;
  core.edited = async (edit) => {
    core.edited = hearEdit;
    refused.push(edit.id);
    throw new Error('The store is away.');
  };
  core.removed = async (gone) => {
    core.removed = hearRemoval;
    refused.push(gone.id);
    throw new Error('The store is away.');
  };
  await discord.edit({ user: 'ada', message: edited.id, content: 'One!' });
  discord.remove({ user: 'ada', message: removed.id });
  await core.edits.find(({ text }) => text === 'One!');
  await core.removals.find(({ id }) => id === removed.id);
  expect(refused).toEqual([edited.id, removed.id]);
});

test('what follows a message in its channel waits until that could be stored', async () => {
  await using server = await openServer();
  const { discord } = server;
  const again = Promise.withResolvers<void>();
  const { core } = await server.connect({ sleep: () => again.promise });
  const { received } = core;
  let tries = 0;
  core.received = async (delivery) => {
    tries += 1;
    if (tries === 1) throw new Error('The store is away.');
    return received(delivery);
  };
  await discord.say({ user: 'ada', channel: '#general', content: 'One' });
  await discord.say({ user: 'ada', channel: '#general', content: 'Two' });
  await discord.say({ user: 'ada', channel: '#help', content: 'Elsewhere' });
  expect((await core.messages.next()).text).toBe('Elsewhere');
  again.resolve();
  expect((await core.messages.next()).text).toBe('One');
  expect((await core.messages.next()).text).toBe('Two');
});

test('a message that could be stored only after its edit is read as it was edited', async () => {
  await using server = await openServer();
  const { discord } = server;
  const again = Promise.withResolvers<void>();
  // So long that the edit no longer waits for it.
  const failures = 6;
  let failed = 0;
  const { core } = await server.connect({
    sleep: async () => (failed < failures ? undefined : again.promise),
  });
  const { received } = core;
  core.received = async () => {
    failed += 1;
    if (failed === failures) core.received = received;
    throw new Error('The store is away.');
  };
  const edited = Promise.withResolvers<void>();
  core.edited = async () => edited.resolve();
  const said = await discord.say({ user: 'ada', channel: '#general', content: 'One' });
  await discord.edit({ user: 'ada', message: said.id, content: 'One!' });
  await edited.promise;
  again.resolve();
  expect((await core.messages.next()).text).toBe('One!');
});

test('a deletion of a direct message from before a restart is reported again, too, if it can’t be stored', async () => {
  await using server = await openServer();
  const { discord } = server;
  const before = await server.connect();
  const { id } = await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  await before.heard('Hello');
  await before.platform[Symbol.asyncDispose]();

  const { core } = await server.connect({ sleep: async () => {} });
  const { removed } = core;
  core.removed = async () => {
    core.removed = removed;
    throw new Error('The store is away.');
  };
  discord.remove({ user: 'ada', message: id });
  expect(await core.removals.next()).toMatchObject({ id });
});

test('a stored message in a channel whose history the bot may no longer read is given up', async () => {
  await using server = await openServer();
  const { discord } = server;
  const said = await discord.say({ user: 'ada', channel: '#help', content: 'Why?' });
  const { platform } = await server.connect();
  server.forbid('help', PermissionFlagsBits.ReadMessageHistory);
  const event = { channel: said.channel, message: said.id };
  expect(await platform.read(event, { workspace: discord.guildId })).toBeUndefined();
});
