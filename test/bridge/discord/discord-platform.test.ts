import { ChannelType, PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { openServer } from './open-server.ts';

const postMessage = 'POST /channels/:channel/messages';
const { CreatePublicThreads, SendMessages, SendMessagesInThreads, ViewChannel } =
  PermissionFlagsBits;

test('a mention opens a thread, named by the question, and is answered there in place', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({
    user: 'ada',
    channel: '#general',
    content: `${mention} How **do** I start?`,
  });
  const message = await heard('How **do** I start?');
  expect(message).toMatchObject({ addressed: 'mention', author: { name: 'Ada' } });
  expect(message.thread.address).toEqual({
    platform: 'discord',
    workspace: discord.guildId,
    channel: server.channel('general'),
    thread: message.id,
  });

  const sent = await message.thread.post({ markdown: 'One' });
  await sent.edit({ markdown: 'One two' });
  await sent.edit({ markdown: 'One two three', footer: 'Sources: [1] notes.md' });

  const [thread] = discord.threads(server.channel('general'));
  expect(thread).toMatchObject({ id: message.id, name: 'How do I start?' });
  const [reply] = discord.messages(message.id);
  expect(reply?.revisions).toEqual(['One', 'One two', 'One two three\n-# Sources: [1] notes.md']);
});

test('a thread has a name of at most 100 characters, cut between words', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  const ask = async (text: string) => {
    await discord.say({ user: 'ada', channel: '#general', content: `${mention} ${text}` });
    await (await heard(text)).thread.post({ markdown: 'Answer' });
    return discord.threads(server.channel('general')).at(-1)?.name;
  };
  expect(await ask('How do I start? '.repeat(10).trim())).toMatch(/^How do I .{50,85}[^ ]…$/);
  expect(await ask('# Is `my_var` > 1?')).toBe('Is my_var > 1?');
  expect(await ask('😀'.repeat(80))).toBe(`${'😀'.repeat(49)}…`);
  expect(await ask('Does ||the *butler* | die||?')).toBe('Does …?');
  expect(await ask('Is `a || b || c` right?')).toBe('Is a || b || c right?');
  expect(await ask('\u200B\u202E')).toBe('Conversation');
  await discord.say({ user: 'ada', channel: '#help', content: mention });
  await (await heard('')).thread.post({ markdown: 'Hello!' });
  expect(discord.threads(server.channel('help'))).toMatchObject([{ name: 'Conversation' }]);
});

test('a thread that was deleted is not opened again', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} First?` });
  const { thread, id } = await heard('First?');
  await thread.post({ markdown: 'Answer' });
  await discord.say({ user: 'ada', channel: id, content: 'Second' });
  const second = await heard('Second');
  discord.faults.inject({ method: postMessage, times: 1, status: 404, error: 10_003 });
  await expect(second.thread.post({ markdown: 'No' })).rejects.toMatchObject({ kind: 'gone' });
});

test('a thread that was archived before the bot came keeps its address', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const before = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} First?` });
  const { thread, id } = await before.heard('First?');
  await thread.post({ markdown: 'Answer' });
  await before.platform[Symbol.asyncDispose]();
  discord.archive(id);

  const after = await server.connect();
  await discord.say({ user: 'ada', channel: id, content: 'Still there?' });
  const message = await after.heard('Still there?');
  expect(message.thread.address).toEqual(thread.address);
  await message.thread.post({ markdown: 'Yes' });
  expect(discord.messages(id).map(({ content }) => content)).toContain('Yes');
});

test('names stand where Discord has ids, and @everyone is no mention', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  const grace = discord.users().find(({ username }) => username === 'grace');
  const content = `@everyone ask <@${grace?.id}> in <#${server.channel('help')}> <:party:1>`;
  await discord.say({ user: 'ada', channel: '#general', content });
  const message = await heard('@everyone ask @Grace in #help :party:');
  expect(message.addressed).toBe('overheard');
  await discord.say({ user: 'ada', channel: '#general', content: mention });
  expect(await heard('')).toMatchObject({ addressed: 'mention' });
});

test('a reply pings nobody and unfurls nothing, also when it is edited', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Ping?` });
  const { thread, author } = await heard('Ping?');
  const markdown = `@everyone <@${author.id}> https://example.com`;
  const sent = await thread.post({ markdown });
  await sent.edit({ markdown: `${markdown} again` });
  const [reply] = discord.messages(thread.address.thread);
  expect(reply?.pings).toEqual({ everyone: false, users: [], roles: [] });
  expect(reply?.flags).toBe(4);
  expect(reply?.content).not.toMatch(/@everyone|<@/);
});

test('a post whose response was lost appears once', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread } = await heard('Hello');
  discord.faults.inject({ method: postMessage, times: 2, status: 502, afterEffect: true });
  await thread.post({ markdown: 'Once' });
  const texts = discord.messages(thread.address.thread).map(({ content }) => content);
  expect(texts.filter((text) => text === 'Once')).toHaveLength(1);
});

test('a thread that is open already is used', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Open?` });
  const { thread } = await heard('Open?');
  const open = 'POST /channels/:channel/messages/:message/threads';
  discord.faults.inject({ method: open, times: 1, status: 502, afterEffect: true });
  await thread.post({ markdown: 'Yes' });
  expect(discord.messages(thread.address.thread).map(({ content }) => content)).toEqual(['Yes']);
});

test('posts made at once open one thread', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Both?` });
  const { thread } = await heard('Both?');
  await Promise.all([thread.post({ markdown: 'One' }), thread.post({ markdown: 'Two' })]);
  expect(discord.threads(server.channel('general'))).toHaveLength(1);
  expect(discord.messages(thread.address.thread)).toHaveLength(2);
});

test('where no thread can be opened, the channel is the conversation', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  server.forbid('general', CreatePublicThreads);
  const { heard } = await server.connect();
  const asked = await discord.say({
    user: 'ada',
    channel: '#general',
    content: `${mention} Here?`,
  });
  const { thread } = await heard('Here?');
  const general = server.channel('general');
  expect(thread.address).toMatchObject({ channel: general, thread: general });
  await thread.post({ markdown: 'Here.' });
  expect(await server.shown(general, 'Here.')).toMatchObject({
    reference: { message: asked.id },
    pings: { users: [] },
  });

  await discord.say({ user: 'ada', channel: '#general', content: `${mention} And now?` });
  const next = await heard('And now?');
  expect(next.thread.address).toEqual(thread.address);
  await discord.say({ user: 'grace', channel: '#general', content: 'By the way' });
  const aside = await heard('By the way');
  expect(aside.addressed).toBe('overheard');
  expect(aside.thread.address).not.toEqual(thread.address);
});

test.each(['voice', 'stage'] as const)(
  'in the chat of a %s channel, answers are replies in place',
  async (kind) => {
    await using server = await openServer();
    const { discord, mention } = server;
    const { heard } = await server.connect();
    const { id } = discord.addChannel(kind, 'Lounge');
    const asked = await discord.say({ user: 'ada', channel: id, content: `${mention} Here?` });
    const { thread } = await heard('Here?');
    expect(thread.address).toMatchObject({ channel: id, thread: id });
    await thread.showWorking?.('is thinking…');
    expect(discord.typing(id)).toHaveLength(1);
    await thread.post({ markdown: 'Here.' });
    expect(await server.shown(id, 'Here.')).toMatchObject({ reference: { message: asked.id } });
  },
);

test.each(['forum', 'media'] as const)(
  'a question in a post of a %s channel is answered in the post',
  async (kind) => {
    await using server = await openServer();
    const { discord, mention } = server;
    const { heard } = await server.connect();
    const channel = discord.addChannel(kind, 'Questions').id;
    const content = `${mention} How do I start?`;
    const first = await discord.openPost({ user: 'ada', channel, title: 'Starting', content });
    const asked = await heard('Starting\n\nHow do I start?');
    expect(asked).toMatchObject({
      id: first.id,
      addressed: 'mention',
      post: { isFirst: true, tags: [] },
    });
    expect(asked.thread.address).toMatchObject({ channel, thread: first.id });
    await asked.thread.showWorking?.('is thinking…');
    const sent = await asked.thread.post({ markdown: 'Like' });
    await sent.edit({ markdown: 'Like this.' });
    await discord.say({ user: 'grace', channel: first.id, content: 'And then?' });
    const next = await heard('And then?');
    expect(next.thread.address).toEqual(asked.thread.address);
    await next.thread.post({ markdown: 'Go on.' });
    const texts = discord.messages(first.id).map((message) => message.content);
    expect(texts).toEqual([content, 'Like this.', 'And then?', 'Go on.']);
    expect(discord.threads(channel)).toHaveLength(1);
  },
);

test('each of several servers is answered as a workspace of its own', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const first = await server.connect();
  const other = discord.addServer('Other', ['linus', 'ada']);
  const ask = async (channel: string, user: string, text: string, { heard } = first) => {
    await discord.say({ user, channel, content: `${mention} ${text}` });
    const { thread, author } = await heard(text);
    await thread.post({ markdown: `${text} Yes.` });
    const shown = discord.messages(thread.address.thread).map(({ content }) => content);
    expect(shown).toContain(`${text} Yes.`);
    return { ...thread.address, isManager: author.isManager };
  };
  const general = server.channel('general');
  expect(await ask(general, 'ada', 'Here?')).toMatchObject({
    workspace: discord.guildId,
    channel: general,
    isManager: true,
  });
  const there = { workspace: other.id, channel: other.general };
  expect(await ask(other.general, 'ada', 'There?')).toMatchObject({ ...there, isManager: false });
  expect(await ask(other.general, 'linus', 'Mine?')).toMatchObject({ ...there, isManager: true });
  const outsider = discord.say({ user: 'grace', channel: other.general, content: 'Hello' });
  await expect(outsider).rejects.toMatchObject({ code: 50001 });

  await first.platform[Symbol.asyncDispose]();
  const again = await server.connect();
  expect(await ask(other.general, 'linus', 'Again?', again)).toMatchObject(there);
  expect(await ask(general, 'linus', 'And here?', again)).toMatchObject({ isManager: false });
});

test('slow mode does not hold up an answer', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  discord.setSlowMode(server.channel('general'), 3_600);
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Slow?` });
  const { thread } = await heard('Slow?');
  const sent = await thread.post({ markdown: 'No' });
  discord.setSlowMode(thread.address.thread, 3_600);
  await sent.edit({ markdown: 'No.' });
  await thread.post({ markdown: 'And more.' });
  const texts = discord.messages(thread.address.thread).map(({ content }) => content);
  expect(texts).toEqual(['No.', 'And more.']);
});

test.each([
  ['AutoMod blocks its title', { blockedWords: ['Here'] }, '#general'],
  ['the server has as many threads as it may', { maxActiveThreads: 0 }, '#general'],
  [
    'the server has as many threads on announcements as it may',
    { maxActiveAnnouncements: 0 },
    '#news',
  ],
])(
  'where no thread can be opened because %s, the answer is a reply in the channel',
  async (_, rules, channel) => {
    await using server = await openServer();
    const { discord, mention } = server;
    discord.addChannel('announcement', 'news');
    const { heard } = await server.connect();
    const content = `${mention} Here?`;
    const asked = await discord.say({ user: 'ada', channel, content });
    Object.assign(discord.rules, rules);
    const { thread } = await heard('Here?');
    const sent = await thread.post({ markdown: 'Yes' });
    await sent.edit({ markdown: 'Yes.' });
    expect(await server.shown(asked.channel, 'Yes.')).toMatchObject({
      reference: { message: asked.id },
    });
  },
);

test('a question in an announcement channel is answered in a thread of its own', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  const { id: channel } = discord.addChannel('announcement', 'news');
  await discord.say({ user: 'ada', channel, content: `${mention} Here?` });
  const { thread } = await heard('Here?');
  await thread.post({ markdown: 'Yes' });
  expect(discord.threads(channel)).toMatchObject([
    { id: thread.address.thread, type: ChannelType.AnnouncementThread },
  ]);
});

test('a refused write names the missing permission and where', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#help', content: `${mention} May I?` });
  const { thread } = await heard('May I?');
  const sent = await thread.post({ markdown: 'Yes' });

  server.forbid('help', SendMessagesInThreads);
  await discord.say({ user: 'ada', channel: '@', content: 'permissions have arrived' });
  await heard('permissions have arrived');
  await expect(thread.post({ markdown: 'No' })).rejects.toMatchObject({
    kind: 'forbidden',
    message: expect.stringMatching(/“Send Messages in Threads” in #help\..*grant/),
  });
  server.forbid('help', ViewChannel);
  await discord.say({ user: 'ada', channel: '@', content: 'again' });
  await heard('again');
  await expect(sent.edit({ markdown: 'No' })).rejects.toMatchObject({ kind: 'forbidden' });
});

test('a channel where the bot may not write names that permission', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  server.forbid('help', CreatePublicThreads | SendMessages);
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#help', content: `${mention} Hello?` });
  const { thread } = await heard('Hello?');
  await expect(thread.post({ markdown: 'No' })).rejects.toMatchObject({
    kind: 'forbidden',
    message: expect.stringContaining('“Send Messages” in #help'),
  });
});
