import { ChannelFlags, ChannelType, PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { runServer } from './server.ts';

const { ManageThreads } = PermissionFlagsBits;

const tags = [{ name: 'Printer' }, { name: 'Solved', moderated: true }];

async function openForum(kind: 'forum' | 'media' = 'forum', needsTag = false) {
  const server = await runServer();
  const { discord } = server;
  const client = await server.logIn();
  const { id } = discord.addChannel(kind, 'Questions', { tags, needsTag });
  const forum = await client.channels.fetch(id);
  if (!forum?.isThreadOnly()) throw new Error('It has only posts.');
  const idOf = (name: string) => forum.availableTags.find((tag) => tag.name === name)?.id ?? '';
  return {
    discord,
    client,
    forum,
    idOf,
    call: server.call,
    post: (title: string, given: string[] = []) =>
      discord.openPost({
        user: 'linus',
        channel: id,
        title,
        content: 'It is jammed.',
        tags: given,
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test.each(['forum', 'media'] as const)(
  'discord.js knows the tags of a %s channel',
  async (kind) => {
    await using opened = await openForum(kind, true);
    const { forum, client, idOf, post } = opened;
    expect(forum.type).toBe(kind === 'forum' ? ChannelType.GuildForum : ChannelType.GuildMedia);
    expect(forum.availableTags).toMatchObject([
      { name: 'Printer', moderated: false },
      { name: 'Solved', moderated: true },
    ]);
    expect(forum.flags.has(ChannelFlags.RequireTag)).toBe(true);
    await expect(post('Untagged')).rejects.toMatchObject({ code: 40067 });
    await expect(post('Unknown', ['12345'])).rejects.toMatchObject({ code: 10087 });
    await expect(post('Moderated', ['Solved'])).rejects.toMatchObject({ code: 50013 });
    const { id } = await post('Tagged', ['Printer']);
    const thread = await client.channels.fetch(id);
    expect(thread?.isThread() && thread.appliedTags).toEqual([idOf('Printer')]);
  },
);

test('the bot opens posts, and tags those of others only with the permission', async () => {
  await using opened = await openForum();
  const { forum, discord, client, idOf, post, call } = opened;
  const opening = await call('POST', `/channels/${forum.id}/threads`, {
    name: 'News',
    message: { content: 'The printer works.' },
    applied_tags: [idOf('Printer')],
  });
  const own = (await opening.json()) as { id: string };
  expect(own).toMatchObject({ name: 'News', applied_tags: [idOf('Printer')] });
  expect(discord.message(own.id)).toMatchObject({ content: 'The printer works.' });
  const { id } = await post('Jam');
  const thread = await client.channels.fetch(id);
  if (!thread?.isThread()) throw new Error('A post is a thread.');
  await expect(thread.setAppliedTags([idOf('Printer')])).rejects.toMatchObject({ code: 50013 });
  const bot = client.user?.id ?? '';
  discord.setPermissions({ channel: forum.id, id: bot, allow: ManageThreads, deny: 0n });
  await thread.setAppliedTags([idOf('Printer'), idOf('Solved')]);
  expect(discord.channel(id)?.appliedTags).toEqual([idOf('Printer'), idOf('Solved')]);
  await expect(thread.setAppliedTags(['12345'])).rejects.toMatchObject({ code: 10087 });
});

test('a closed post is listed apart, and opens with the next message', async () => {
  await using opened = await openForum();
  const { forum, discord, post } = opened;
  const { id } = await post('Jam');
  const closed = discord.changePost({ user: 'linus', post: id, archived: true });
  expect(closed).toMatchObject({ archived: true });
  const { threads } = await forum.threads.fetchArchived();
  expect(threads.map(({ name }) => name)).toEqual(['Jam']);
  const others = () => discord.changePost({ user: 'konrad', post: id, tags: ['Printer'] });
  expect(others).toThrow('Missing Permissions');
  await discord.say({ user: 'grace', channel: id, content: 'Open the lid.' });
  expect(discord.channel(id)).toMatchObject({ archived: false });
  expect((await forum.threads.fetchArchived()).threads.size).toBe(0);
});

test('a post without a first message is not opened', async () => {
  await using opened = await openForum();
  const { discord, forum } = opened;
  const post = discord.openPost({ user: 'linus', channel: forum.id, title: 'Nothing' });
  await expect(post).rejects.toMatchObject({ code: 50006 });
  expect(discord.threads(forum.id)).toEqual([]);
});
