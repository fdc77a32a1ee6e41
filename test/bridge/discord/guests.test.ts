import { expect, test } from 'vitest';
import {
  type Command,
  type CommandContext,
  defineAction,
} from '../../../src/bridge/commands/command.ts';
import type { Author } from '../../../src/bridge/conversation/platform.ts';
import { createRunner, openServer } from './open-server.ts';

/** A command that hands over who used it. */
function createWho() {
  const used = Promise.withResolvers<Author>();
  const who: Command = {
    name: 'who',
    description: 'help',
    action: defineAction({
      description: 'help',
      shownTo: 'private',
      options: {},
      async *run({ requester }: CommandContext) {
        used.resolve(requester);
        yield 'Told.';
      },
    }),
  };
  return { who, used: used.promise };
}

test('a guest of a server is an outsider, whatever roles they have', async () => {
  await using server = await openServer();
  const { discord } = server;
  discord.makeGuest('grace');
  const { who, used } = createWho();
  const { core } = await server.connect({ commands: createRunner([who]) });
  const guest = { name: 'Grace', isManager: false, outsider: 'guest' };
  await discord.say({ user: 'grace', channel: '#general', content: 'Hi' });
  expect((await core.messages.find(({ text }) => text === 'Hi')).author).toMatchObject(guest);
  await discord.command({ user: 'grace', channel: '#general', name: 'who', options: [] });
  expect(await used).toMatchObject(guest);
});

test('guests differ from members in a server without the bot as well', async () => {
  await using server = await openServer();
  const { discord } = server;
  discord.makeGuest('grace');
  discord.removeBot();
  for (const [user, outsider, isManager] of [
    ['grace', 'guest', false],
    ['ada', undefined, true],
  ] as const) {
    const { who, used } = createWho();
    const { platform } = await server.connect({ commands: createRunner([who]) });
    await discord.command({ user, channel: '#general', name: 'who', options: [] });
    const { isManager: manages, outsider: is } = await used;
    expect([is, manages]).toEqual([outsider, isManager]);
    await platform[Symbol.asyncDispose]();
  }
});

test('nobody is an outsider in a direct message', async () => {
  await using server = await openServer();
  const { discord } = server;
  discord.makeGuest('grace');
  const { who, used } = createWho();
  const { heard } = await server.connect({ commands: createRunner([who]) });
  await discord.say({ user: 'grace', channel: '@', content: 'Hi' });
  expect((await heard('Hi')).author).not.toHaveProperty('outsider');
  await discord.command({ user: 'grace', channel: '@', name: 'who', options: [] });
  expect(await used).not.toHaveProperty('outsider');
});

test('the author of a message that is read after a restart is looked up, and unknown if they have left', async () => {
  await using server = await openServer();
  const { discord } = server;
  const said = await discord.say({ user: 'grace', channel: '#general', content: 'Hi' });
  const event = { channel: said.channel, message: said.id };
  const place = { workspace: discord.guildId };
  const first = await server.connect();
  const manager = { name: 'Grace', isManager: true };
  const { author } = (await first.platform.read(event, place)) ?? {};
  expect(author).toMatchObject(manager);
  expect(author).not.toHaveProperty('outsider');
  await first.platform[Symbol.asyncDispose]();
  discord.leave('grace');
  const second = await server.connect();
  const unknown = { name: 'Grace', isManager: false, outsider: 'unknown' };
  expect((await second.platform.read(event, place))?.author).toMatchObject(unknown);
});

test.for([
  ['is busy', { times: 1, retryAfter: 1 }],
  // The library tries four times by itself.
  ['is in trouble', { times: 4, status: 503 }],
] as const)(
  'the author of a message is not taken for unknown while Discord %s: the message is read again',
  async ([, fault]) => {
    await using server = await openServer();
    const { discord } = server;
    const said = await discord.say({ user: 'grace', channel: '#general', content: 'Hi' });
    const event = { channel: said.channel, message: said.id };
    const place = { workspace: discord.guildId };
    const { platform } = await server.connect();
    discord.faults.inject({ method: 'GET /guilds/:guild/members/:user', ...fault });
    await expect(platform.read(event, place)).rejects.toBeInstanceOf(Error);
    const { author } = (await platform.read(event, place)) ?? {};
    expect(author).toMatchObject({ name: 'Grace', isManager: true });
    expect(author).not.toHaveProperty('outsider');
  },
);

test.each([50_001, 10_004])(
  'the author of a message stays unknown where Discord refuses for good to say who it is (%i)',
  async (error) => {
    await using server = await openServer();
    const { discord } = server;
    const said = await discord.say({ user: 'grace', channel: '#general', content: 'Hi' });
    const event = { channel: said.channel, message: said.id };
    const { platform } = await server.connect();
    const method = 'GET /guilds/:guild/members/:user';
    discord.faults.inject({ method, times: 1, status: 403, error });
    const unknown = { name: 'Grace', isManager: false, outsider: 'unknown' };
    const read = await platform.read(event, { workspace: discord.guildId });
    expect(read?.author).toMatchObject(unknown);
  },
);
