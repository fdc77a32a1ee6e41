import { GatewayCloseCodes, PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { createRunner, openServer, passIdentifyLimit } from './open-server.ts';

/** A bot whose application may not read messages that don't mention it. */
async function openDeafServer() {
  const server = await openServer();
  const { discord } = server;
  discord.changeApplication({ messageContent: false });
  return Object.assign(server, {
    say: (channel: string, content: string, replyTo?: string) =>
      discord.say({ user: 'ada', channel, content, ...(replyTo && { replyTo }) }),
  });
}

test('without Message Content, what was missed is heard as far as the bot may read it', async () => {
  await using server = await openDeafServer();
  const { say, mention } = server;
  const store = await openStore('memory:');
  const catchUp = {
    watermarks: store.keyv<string>('watermark'),
    directChannels: store.keyv<string>('direct-channel'),
    maxAgeMs: 24 * 60 * 60 * 1000,
  };
  const first = await server.connect({ catchUp });
  await say('#general', `${mention} First?`);
  await say('@', 'Hello');
  const { thread } = await first.heard('First?');
  await thread.post({ markdown: 'Answer' });
  await first.heard('Hello');
  await first.platform[Symbol.asyncDispose]();

  await say(thread.address.thread, 'Not for the bot');
  await say(thread.address.thread, `${mention} Second?`);
  await say('@', 'Third?');
  const { received, heard } = await server.connect({ catchUp });
  await Promise.all([heard('Second?'), heard('Third?')]);
  expect(received.map(({ text, addressed }) => `${addressed}: ${text}`).toSorted()).toEqual([
    'direct: Third?',
    'mention: Second?',
    'overheard: ',
  ]);
});

test('without Message Content, a reply that pings the bot is a mention that can be read', async () => {
  await using server = await openDeafServer();
  const { say, mention } = server;
  const { heard } = await server.connect();
  await say('#general', `${mention} First?`);
  const { thread } = await heard('First?');
  const { id } = await thread.post({ markdown: 'Answer' });
  await say(thread.address.thread, 'And then?', id);
  expect(await heard('And then?')).toMatchObject({ addressed: 'mention' });
});

test('without Message Content, a message’s command gets its files', async () => {
  await using server = await openDeafServer();
  const { discord } = server;
  const taken: string[] = [];
  const add: Command = {
    name: 'source',
    description: 'source',
    actions: {
      upload: defineAction({
        description: 'source upload',
        shortcut: { name: 'source upload shortcut', takes: 'file' },
        shownTo: 'channel',
        options: { file: { type: 'file', many: true, description: 'source file', required: true } },
        async *run(_, { file }) {
          taken.push(...file.map(({ name }) => name));
          yield 'Added.';
        },
      }),
    },
  };
  await server.connect({ commands: createRunner([add]) });
  const files = ['a.txt', 'b.md'].map((name) => ({ name, bytes: Buffer.from(name) }));
  const said = await discord.say({ user: 'ada', channel: '#general', files });
  discord.messageCommand({ user: 'ada', message: said.id, name: 'Add files as sources' });
  await server.shown(said.channel, 'Added.');
  expect(taken).toEqual(['a.txt', 'b.md']);
});

test('when Message Content is switched off, the bot goes on without it', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { platform, core, heard } = await server.connect();
  expect(platform.warning).toBeUndefined();
  discord.changeApplication({ messageContent: false });
  discord.gateway.disconnect(GatewayCloseCodes.DisallowedIntents);
  await platform.fatalError;
  passIdentifyLimit();
  await platform.start(core);
  expect(platform.warning).toContain('“Message Content Intent”');
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Still there?` });
  await heard('Still there?');
});

test.each(['said', 'forwarded'])(
  'the file of a message that was %s is read after its address has expired, and once the message is deleted, no more',
  async (how) => {
    let passedMs = 0;
    await using server = await openServer({ now: () => Date.now() + passedMs });
    const { discord } = server;
    const { core } = await server.connect();
    const files = [{ name: 'a.txt', bytes: Buffer.from('Some words') }];
    const said = await discord.say({ user: 'ada', channel: '@', files });
    const { id, channel } =
      how === 'forwarded' ? discord.forward({ user: 'ada', message: said.id, channel: '@' }) : said;
    const { files: [file] = [], thread } = await core.messages.find((each) => each.id === id);
    const stored: unknown = JSON.parse(JSON.stringify(file?.ref));
    const read = async () =>
      Buffer.concat(
        await Array.fromAsync(thread.readFile!(stored, new AbortController().signal)),
      ).toString();
    server.calls.length = 0;
    expect(await read()).toBe('Some words');
    expect(server.calls).toEqual([]);
    passedMs = 25 * 60 * 60 * 1000;
    expect(await read()).toBe('Some words');
    expect(server.calls).toEqual([`GET /channels/${channel}/messages/${id}`]);
    discord.remove({ user: 'ada', message: id });
    await expect(read()).rejects.toMatchObject({ kind: 'gone' });
  },
);

test('a file that can’t be looked up after its address has expired says which permission the bot lacks', async () => {
  let passedMs = 0;
  await using server = await openServer({ now: () => Date.now() + passedMs });
  const { discord, mention } = server;
  const { heard } = await server.connect();
  const files = [{ name: 'a.txt', bytes: Buffer.from('Some words') }];
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} What?`, files });
  const { files: [file] = [], thread } = await heard('What?');
  passedMs = 25 * 60 * 60 * 1000;
  server.forbid('general', PermissionFlagsBits.ReadMessageHistory);
  const read = Array.fromAsync(thread.readFile!(file?.ref, new AbortController().signal));
  await expect(read).rejects.toMatchObject({
    kind: 'forbidden',
    problem: { params: { permission: 'Read Message History' } },
  });
});
