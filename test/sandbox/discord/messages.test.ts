import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Attachment,
  AttachmentBuilder,
  Events,
  type Message,
  Partials,
  type SendableChannels,
} from 'discord.js';
import { expect, test } from 'vitest';
import { channelId, runServer, type RunningServer } from './server.ts';

async function openGeneral(server: RunningServer): Promise<SendableChannels> {
  const client = await server.logIn();
  const channel = await client.channels.fetch(channelId(server.discord, 'general'));
  if (!channel?.isSendable()) throw new Error('The bot may write in #general.');
  return channel;
}

function file(name: string): AttachmentBuilder {
  return new AttachmentBuilder(Buffer.from(name), { name, description: 'A file' });
}

function see({ discord }: RunningServer): object {
  return {
    credentials: { ...discord.credentials, apiUrl: '' },
    channels: discord.channels(),
    users: discord.users(),
    texts: discord.messages(channelId(discord, 'general')).map(({ id, content }) => id + content),
  };
}

test('two posts with the same nonce create one message', async () => {
  await using server = await runServer();
  const general = channelId(server.discord, 'general');
  const post = async (nonce: string) => {
    const body = { content: 'Once', nonce, enforce_nonce: true };
    const response = await server.call('POST', `/channels/${general}/messages`, body);
    return ((await response.json()) as { id: string }).id;
  };
  const [one, same, other] = [await post('1'), await post('1'), await post('2')];
  expect(same).toBe(one);
  expect(other).not.toBe(one);
  expect(server.discord.messages(general)).toHaveLength(2);
});

test('edits at the same time are all shown, and the last one stays', async () => {
  await using server = await runServer();
  const { discord } = server;
  discord.faults.rateLimits = false;
  const general = channelId(discord, 'general');
  const path = `/channels/${general}/messages`;
  const sent = await server.call('POST', path, { content: 'Start' });
  const { id } = (await sent.json()) as { id: string };
  const texts = Array.from({ length: 20 }, (_, number) => `Edit ${number}`);
  await Promise.all(texts.map((content) => server.call('PATCH', `${path}/${id}`, { content })));
  const shown = discord.revisions(id);
  expect(shown.toSorted()).toEqual([...texts, 'Start'].toSorted());
  expect(discord.messages(general)).toMatchObject([{ content: shown.at(-1) }]);
});

test('messages are listed newest first, before, after or around one', async () => {
  await using server = await runServer();
  const { discord } = server;
  const general = channelId(discord, 'general');
  const ids: string[] = [];
  for (const content of ['1', '2', '3', '4', '5']) {
    ids.push((await discord.say({ user: 'ada', channel: general, content })).id);
  }
  const list = async (query: string) => {
    const response = await server.call('GET', `/channels/${general}/messages?${query}`);
    return ((await response.json()) as { content: string }[])
      .map(({ content }) => content)
      .join('');
  };
  expect(await list('')).toBe('54321');
  expect(await list('limit=2')).toBe('54');
  expect(await list(`before=${ids[2]}`)).toBe('21');
  expect(await list(`after=${ids[1]}&limit=2`)).toBe('43');
  expect(await list(`around=${ids[2]}&limit=3`)).toBe('432');
  const tooMany = await server.call('GET', `/channels/${general}/messages?limit=101`);
  expect(await tooMany.json()).toMatchObject({ code: 50035, errors: { limit: {} } });
});

test('allowed_mentions limits who is notified, and an edit resets it', async () => {
  await using server = await runServer();
  const { discord } = server;
  const general = channelId(discord, 'general');
  const linus = discord.users().find(({ username }) => username === 'linus')?.id;
  const content = `@everyone <@${linus}> \`<@1>\``;
  const post = async (extra: object) => {
    const path = `/channels/${general}/messages`;
    const response = await server.call('POST', path, { content, ...extra });
    return ((await response.json()) as { id: string }).id;
  };
  const pings = () => discord.messages(general).at(-1)?.pings;

  const silent = await post({ allowed_mentions: { parse: [] } });
  expect(pings()).toEqual({ everyone: false, users: [], roles: [] });
  await server.call('PATCH', `/channels/${general}/messages/${silent}`, { content: `${content}!` });
  expect(pings()).toEqual({ everyone: true, users: [linus], roles: [] });
  await post({ allowed_mentions: { users: [linus] } });
  expect(pings()).toEqual({ everyone: false, users: [linus], roles: [] });
});

test('files are served at signed URLs for a day, and an edit keeps or removes them', async () => {
  let time = Date.now();
  await using server = await runServer({ now: () => time });
  const channel = await openGeneral(server);
  const message = await channel.send({ files: [file('a.txt'), file('b.txt')] });
  const [a, b] = [...message.attachments.values()];
  if (!a || !b) throw new Error('Two files were sent.');
  expect(a).toMatchObject({ name: 'a.txt', size: 5, description: 'A file' });
  expect(await (await fetch(a.url)).text()).toBe('a.txt');
  expect((await fetch(a.url.replace('hm=', 'hm=0'))).status).toBe(404);
  expect((await fetch(a.url.split('?')[0] ?? '')).status).toBe(404);

  const kept = { id: b.id } as Attachment;
  const edited = await message.edit({ attachments: [kept], files: [file('c.txt')] });
  expect(edited.attachments.map(({ name }) => name)).toEqual(['b.txt', 'c.txt']);
  expect((await fetch(a.url)).status).toBe(404);
  expect((await fetch(b.url)).status).toBe(200);
  time += 24 * 60 * 60 * 1000 + 1000;
  expect((await fetch(b.url)).status).toBe(404);
});

test('a file that is too large is refused, and file names become ASCII', async () => {
  await using server = await runServer();
  const { discord } = server;
  const say = (name: string, size: number) =>
    discord.say({
      user: 'ada',
      channel: '#general',
      files: [{ name, bytes: new Uint8Array(size) }],
    });
  await expect(say('big', 10 * 1024 * 1024 + 1)).rejects.toMatchObject({ code: 40005 });
  const { attachments } = await say('Übersicht 1.pdf', 1);
  expect(attachments).toMatchObject([{ filename: '_bersicht_1.pdf', title: 'Übersicht 1' }]);
});

test('a second start finds the server unchanged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  const database = join(folder, 'sandbox.db');
  const time = Date.now();
  try {
    let before;
    {
      await using server = await runServer({ database, now: () => time });
      await server.discord.say({ user: 'ada', channel: '#general', content: 'Remember' });
      before = see(server);
    }
    await using server = await runServer({ database, now: () => time });
    expect(see(server)).toEqual(before);
    const next = await server.discord.say({ user: 'ada', channel: '#general', content: 'Next' });
    const [first] = server.discord.messages(channelId(server.discord, 'general'));
    expect(BigInt(next.id)).toBeGreaterThan(BigInt(first?.id ?? 0));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('link previews arrive as an update that is not an edit', async () => {
  await using server = await runServer();
  const client = await server.logIn({ partials: [Partials.Channel, Partials.Message] });
  const changed = Promise.withResolvers<[number | null, string | undefined]>();
  client.on(Events.MessageUpdate, (_, { editedTimestamp, embeds }) =>
    changed.resolve([editedTimestamp, embeds?.[0]?.url ?? undefined]),
  );
  const url = 'https://example.com/a';
  const { id } = await server.discord.say({ user: 'ada', channel: '#general', content: url });
  server.discord.unfurl(id);
  expect(await changed.promise).toEqual([null, url]);
});

test('messages deleted in bulk arrive in one event', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await server.logIn({ partials: [Partials.Channel, Partials.Message] });
  const told = Promise.withResolvers<string[]>();
  client.on(Events.MessageBulkDelete, (messages) => told.resolve([...messages.keys()]));
  const say = (content: string) => discord.say({ user: 'ada', channel: '#general', content });
  const ids = [(await say('One')).id, (await say('Two')).id];
  discord.removeAll(ids);
  expect(await told.promise).toEqual(ids);
  expect(discord.messages(channelId(discord, 'general'))).toEqual([]);
});

test('messages older than an hour can be edited only a few times', async () => {
  let time = Date.now();
  await using server = await runServer({ now: () => time });
  server.discord.faults.rateLimits = false;
  const general = channelId(server.discord, 'general');
  const path = `/channels/${general}/messages`;
  const sent = await server.call('POST', path, { content: 'Start' });
  const { id } = (await sent.json()) as { id: string };
  const edit = () => server.call('PATCH', `${path}/${id}`, { content: 'Edit' });
  const edits = async (count: number) => {
    const statuses: number[] = [];
    for (let index = 0; index < count; index += 1) statuses.push((await edit()).status);
    return statuses;
  };
  expect(new Set(await edits(10))).toEqual(new Set([200]));
  time += 60 * 60 * 1000 + 1;
  expect(await edits(6)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(await (await edit()).json()).toMatchObject({ code: 30046 });
});

test.each(['voice', 'stage'] as const)(
  'a %s channel accepts messages but no threads',
  async (kind) => {
    await using server = await runServer();
    const client = await server.logIn();
    const created = once(client, Events.ChannelCreate);
    const { id } = server.discord.addChannel(kind, 'Lounge');
    const [channel] = (await created) as [{ id: string; isVoiceBased(): boolean }];
    expect([channel.id, channel.isVoiceBased()]).toEqual([id, true]);
    const sent = await server.call('POST', `/channels/${id}/messages`, { content: 'Hi' });
    const message = (await sent.json()) as { id: string };
    const path = `/channels/${id}/messages/${message.id}/threads`;
    const refused = await server.call('POST', path, { name: 'Thread' });
    expect(await refused.json()).toMatchObject({ code: 50024 });
  },
);

test.each(['forum', 'media'] as const)(
  'a %s channel accepts only posts, which are threads',
  async (kind) => {
    await using server = await runServer();
    const { discord } = server;
    const client = await server.logIn();
    const { id } = discord.addChannel(kind, 'Questions');
    const say = () => discord.say({ user: 'ada', channel: id, content: 'Hi' });
    await expect(say()).rejects.toMatchObject({ code: 50008 });
    const sent = await server.call('POST', `/channels/${id}/messages`, { content: 'Hi' });
    expect(await sent.json()).toMatchObject({ code: 50008 });

    const heard = once(client, Events.MessageCreate);
    const post = { user: 'ada', channel: '#Questions', title: 'How?', content: 'Like this?' };
    const first = await discord.openPost(post);
    expect(discord.threads(id)).toMatchObject([{ id: first.id, name: 'How?', parent: id }]);
    const [message] = (await heard) as [Message];
    expect(message).toMatchObject({ id: first.id, channelId: first.id, content: 'Like this?' });
    expect(message.hasThread).toBe(false);
    const path = `/channels/${first.id}/messages/${first.id}/threads`;
    const refused = await server.call('POST', path, { name: 'Thread' });
    expect(await refused.json()).toMatchObject({ code: 50024 });
  },
);

test('slow mode applies to people, but not to moderators or the bot', async () => {
  let time = Date.now();
  await using server = await runServer({ now: () => time });
  const { discord } = server;
  const general = channelId(discord, 'general');
  discord.setSlowMode(general, 60);
  const say = (user: string) => discord.say({ user, channel: general, content: 'Hi' });
  const post = () => server.call('POST', `/channels/${general}/messages`, { content: 'Hi' });
  for (const user of ['linus', 'grace', 'grace']) await say(user);
  await expect(say('linus')).rejects.toMatchObject({ code: 20016 });
  expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
  time += 60_000;
  expect(await say('linus')).toMatchObject({ content: 'Hi' });
});
