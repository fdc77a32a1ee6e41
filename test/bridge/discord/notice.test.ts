import { expect, test } from 'vitest';
import { openServer } from './open-server.ts';

test('a notice in a channel pings the people it names, and nobody by its text', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { platform } = await server.connect();
  const ids = discord.users().map(({ id }) => id);
  const [ada = '', grace = '', linus = ''] = ids;
  await platform.notify?.({
    workspace: discord.guildId,
    to: { channel: server.channel('help') },
    markdown: `**Ada** asks for @everyone and <@${linus}>`,
    people: [ada, grace, '&1', '1> @here'],
  });
  const [notice] = discord.messages(server.channel('help'));
  expect(notice?.content).toContain(`<@${ada}> <@${grace}> **Ada** asks for`);
  expect(notice?.pings).toMatchObject({ everyone: false, users: [ada, grace] });
});

test('a notice to a person is a direct message, of a long text what fits', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { platform } = await server.connect();
  const grace = discord.users().find(({ username }) => username === 'grace')?.id ?? '';
  await platform.notify?.({
    workspace: 'any',
    to: { person: grace },
    markdown: 'word '.repeat(1000),
    people: [grace],
  });
  const [notice] = discord.messages(discord.directChannel('grace').id);
  expect(notice?.content.length).toBeGreaterThan(1900);
});

test('a notice to a person in a channel is a direct message as well', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { platform } = await server.connect();
  const person = discord.users().find(({ username }) => username === 'grace')?.id ?? '';
  const channel = server.channel('general');
  const to = { person, in: { channel } };
  await platform.notify?.({ workspace: discord.guildId, to, markdown: 'Hello' });
  expect(discord.messages(discord.directChannel('grace').id)).toMatchObject([{ content: 'Hello' }]);
  expect(discord.messages(channel)).toEqual([]);
});

test('a notice that Discord refuses rejects with the reason', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { platform } = await server.connect();
  const notice = {
    workspace: discord.guildId,
    to: { channel: server.channel('readonly') },
    markdown: 'Hello',
  };
  await expect(platform.notify?.(notice)).rejects.toMatchObject({ kind: 'forbidden' });
});

test('a notice does not reach the channel of another server', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { platform } = await server.connect();
  const { general } = discord.addServer('Other', ['linus']);
  const notice = { workspace: discord.guildId, to: { channel: general }, markdown: 'Hello' };
  await expect(platform.notify?.(notice)).rejects.toMatchObject({ kind: 'gone' });
  expect(discord.messages(general)).toEqual([]);
});

test('a thread has a link, a direct message has none', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  const { id } = await discord.say({
    user: 'ada',
    channel: '#general',
    content: `${mention} Why?`,
  });
  const { thread } = await heard('Why?');
  await thread.post({ markdown: 'So.' });
  const { workspace } = thread.address;
  expect(await thread.link?.()).toBe(`https://discord.com/channels/${workspace}/${id}`);
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const direct = await heard('Hello');
  expect(await direct.thread.link?.()).toBeUndefined();
});
