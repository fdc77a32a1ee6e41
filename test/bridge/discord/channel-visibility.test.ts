import { PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import type { ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import { isLostLease, withLease } from '../../../src/bridge/conversation/leases.ts';
import { createLostLease } from '../../fixtures/lost-lease.ts';
import { openServer, type OpenServer } from './open-server.ts';

const { ViewChannel, Connect } = PermissionFlagsBits;

/** Connects to the server, and to further ones, each with its people. */
async function openRooms(...servers: [name: string, owner: string, ...others: string[]][]) {
  const server = await openServer();
  const { discord } = server;
  const more = servers.map(([name, ...people]) => discord.addServer(name, people).id);
  const { platform, heard } = await server.connect();
  const idOf = (name: string) => discord.users().find((user) => user.username === name)?.id ?? '';
  const at = (channel: string, thread = channel): ThreadAddress => ({
    platform: 'discord',
    workspace: discord.guildId,
    channel,
    thread,
  });
  return Object.assign(server, { rooms: platform.rooms, heard, idOf, at, more });
}

/** Hides a channel from everyone but the bot and, as moderators, Grace. */
function hide({ discord }: OpenServer, channel: string, permission = ViewChannel): void {
  const moderators = discord.roles().find(({ name }) => name === 'Moderators')?.id ?? '';
  const bot = discord.users().find((user) => user.bot)?.id ?? '';
  const shown = { allow: permission, deny: 0n };
  discord.setPermissions({ channel, id: discord.guildId, allow: 0n, deny: permission });
  for (const id of [moderators, bot]) discord.setPermissions({ channel, id, ...shown });
}

test('a channel is public if everyone can view it, and so are its threads', async () => {
  await using server = await openRooms();
  const { discord, rooms, at, heard, mention, channel } = server;
  const [general, help] = [channel('general'), channel('help')];
  hide(server, help);
  await discord.say({ user: 'ada', channel: general, content: `${mention} Why?` });
  const { thread } = await heard('Why?');
  const open = { id: general, isPublic: true };
  expect(await rooms.of(at(general))).toEqual(open);
  // Its thread has not opened yet.
  expect(await rooms.of(thread.address)).toEqual(open);
  await thread.post({ markdown: 'So.' });
  expect(await rooms.of(thread.address)).toEqual(open);
  expect(await rooms.of(at(help))).toEqual({ id: help, isPublic: false });
});

test('a channel that not everyone can view has the members who can, as of now', async () => {
  await using server = await openRooms();
  const { discord, rooms, at, idOf, channel } = server;
  const help = channel('help');
  expect(await rooms.of(at(help))).toMatchObject({ isPublic: true });
  // The bot is not told: the servers are cut off from the gateway.
  discord.gateway.setAvailable(false);
  hide(server, help);
  const room = { id: help, isPublic: false };
  expect(await rooms.of(at(help))).toEqual(room);
  const isIn = (name: string) => rooms.has(at(help), room, idOf(name));
  expect(await Promise.all(['ada', 'grace', 'linus'].map(isIn))).toEqual([true, true, false]);
  const grace = idOf('grace');
  discord.leave('grace');
  expect(await rooms.has(at(help), room, grace)).toBe(false);
  expect(await rooms.has(at(help), room, '1')).toBe(false);
});

test('people who may not connect to a voice channel are not in its room', async () => {
  await using server = await openRooms();
  const { discord, rooms, at, idOf } = server;
  const { id } = discord.addChannel('voice', 'Lounge');
  expect(await rooms.of(at(id))).toEqual({ id, isPublic: true });
  hide(server, id, Connect);
  const room = { id, isPublic: false };
  expect(await rooms.of(at(id))).toEqual(room);
  expect(await rooms.has(at(id), room, idOf('grace'))).toBe(true);
  expect(await rooms.has(at(id), room, idOf('linus'))).toBe(false);
});

test('a private thread has its members, as long as they can view its channel', async () => {
  await using server = await openRooms();
  const { discord, rooms, at, idOf, channel } = server;
  const help = channel('help');
  const people = ['linus'];
  const thread = { user: 'ada', channel: help, name: 'Secret', people };
  const { id } = discord.openPrivateThread(thread);
  const room = { id, isPublic: false };
  expect(await rooms.of(at(help, id))).toEqual(room);
  const isIn = (name: string) => rooms.has(at(help, id), room, idOf(name));
  // Grace may manage threads, and has not joined.
  expect(await Promise.all(['ada', 'linus', 'grace'].map(isIn))).toEqual([true, true, false]);
  hide(server, help);
  expect(await isIn('linus')).toBe(false);
  discord.leaveThread(id, 'ada');
  expect(await isIn('ada')).toBe(false);
});

test('a private thread that the bot is not in has no room', async () => {
  await using server = await openRooms();
  const { discord, rooms, at, idOf, channel } = server;
  const help = channel('help');
  const thread = { user: 'ada', channel: help, name: 'Secret', withoutBot: true };
  const { id } = discord.openPrivateThread(thread);
  expect(await rooms.of(at(help, id))).toBeUndefined();
  expect(await rooms.has(at(help, id), { id, isPublic: false }, idOf('ada'))).toBe(false);
});

test('an address that does not exist, or not in its channel and server, has no room', async () => {
  await using server = await openRooms();
  const { discord, rooms, at, channel, heard, mention } = server;
  const [general, help] = [channel('general'), channel('help')];
  await discord.say({ user: 'ada', channel: general, content: `${mention} Why?` });
  const { thread } = await heard('Why?');
  await thread.post({ markdown: 'So.' });
  const direct = discord.directChannel('ada').id;
  const other = discord.addServer('Other', ['linus']);
  for (const address of [
    at(help, thread.address.thread),
    at(thread.address.thread),
    at(other.general),
    at(direct),
    at('1'),
    at(general, '1'),
    { ...thread.address, workspace: other.id },
  ]) {
    expect([address, await rooms.of(address)]).toEqual([address, undefined]);
    expect(await rooms.has(address, { id: address.channel, isPublic: false }, '1')).toBe(false);
  }
  server.forbid('help', ViewChannel);
  expect(await rooms.of(at(help))).toBeUndefined();
  discord.faults.inject({ method: 'GET /channels/:channel', times: 9, status: 500 });
  expect(await rooms.of(at(general))).toBeUndefined();
});

test('the servers that a person shares with the bot have names', async () => {
  await using server = await openRooms(['Other', 'linus'], ['Third', 'linus', 'ada']);
  const { discord, rooms, idOf, more } = server;
  const [other = '', third = ''] = more;
  const ids = [discord.guildId, other, third, '1'];
  expect(await rooms.sharedWith?.(idOf('ada'), ids)).toEqual([
    { id: discord.guildId, name: 'Causeway Sandbox' },
    { id: third, name: 'Third' },
  ]);
  expect(await rooms.sharedWith?.(idOf('linus'), [other])).toEqual([{ id: other, name: 'Other' }]);
});

test('who may read what is not told by a process that has lost the lease, so nothing follows from it', async () => {
  await using server = await openRooms();
  const { discord, rooms, idOf, at, channel } = server;
  const general = channel('general');
  const lease = createLostLease('discord:0/1');
  const asked = [
    () => rooms.of(at(general)),
    () => rooms.has(at(general), { id: general, isPublic: false }, idOf('ada')),
    () => rooms.sharedWith?.(idOf('ada'), [discord.guildId]),
    () => rooms.standing?.(discord.guildId, idOf('ada')),
  ];
  for (const ask of asked) {
    await expect(withLease(lease, async () => ask())).rejects.toSatisfy(isLostLease);
  }
});
