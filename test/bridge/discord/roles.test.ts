import { expect, test } from 'vitest';
import type { CommandContext } from '../../../src/bridge/commands/command.ts';
import { renderCommands } from '../../../src/bridge/discord/render-commands.ts';
import { namingCommand } from '../../fixtures/naming-command.ts';
import { createRunner, openServer } from './open-server.ts';

test('channels, people and groups are options of Discord’s own', () => {
  expect(renderCommands(createRunner([namingCommand]))[0]?.options).toMatchObject([
    { type: 7, name: 'channel', required: true, channel_types: [0, 5] },
    { type: 6, name: 'person', required: true },
    { type: 8, name: 'group', required: true },
    { type: 5, name: 'off' },
  ]);
});

test('channels, people and groups come by their ids, and the requester has roles', async () => {
  await using server = await openServer();
  const { discord } = server;
  const contexts: CommandContext[] = [];
  const runner = createRunner([namingCommand]);
  await server.connect({
    commands: {
      ...runner,
      run(invocation) {
        contexts.push(invocation.context);
        return runner.run(invocation);
      },
    },
  });
  const linus = discord.users().find(({ username }) => username === 'linus')?.id ?? '';
  const moderators = discord.roles().find(({ name }) => name === 'Moderators')?.id ?? '';
  await discord.command({
    user: 'grace',
    channel: '#general',
    name: 'name',
    options: [
      { name: 'channel', value: server.channel('help') },
      { name: 'person', value: linus },
      { name: 'group', value: moderators },
    ],
  });
  await server.shown(server.channel('general'), 'You named #help, Linus, @Moderators.');

  const [context] = contexts;
  expect(context?.requester.groups).toEqual([moderators]);
  const groups = await context?.names.groups();
  expect(groups).toContainEqual({ id: moderators, name: '@Moderators' });
  // The role that everyone has sets nobody apart.
  expect(groups?.map(({ id }) => id)).not.toContain(discord.guildId);
  expect(await context?.names.nameOf('person', '404')).toBeUndefined();
  // An id of Slack's, as MANAGERS may hold one.
  expect(await context?.names.nameOf('person', 'U012AB3CD')).toBeUndefined();
  expect(await context?.names.nameOf('group', discord.guildId)).toBeUndefined();
  expect(await context?.names.nameOf('channel', '404')).toBeUndefined();
});

test('what someone writes comes with their roles', async () => {
  await using server = await openServer();
  const { discord } = server;
  const moderators = discord.roles().find(({ name }) => name === 'Moderators')?.id ?? '';
  const { heard } = await server.connect();
  await discord.say({ user: 'grace', channel: '#general', content: `${server.mention} Hello` });
  expect((await heard('Hello')).author).toMatchObject({ name: 'Grace', groups: [moderators] });
  await discord.say({ user: 'linus', channel: '#general', content: `${server.mention} Hi` });
  expect((await heard('Hi')).author).not.toHaveProperty('groups');
});
