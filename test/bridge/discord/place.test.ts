import { PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import { createRunner, openServer, type OpenServer } from './open-server.ts';

const hearingCommand: Command = {
  name: 'hearing',
  description: 'help',
  action: defineAction({
    description: 'help',
    shownTo: 'private',
    options: {},
    async *run(context) {
      yield `Here: ${await context.channelAccess()}`;
    },
  }),
};

async function hearing(server: OpenServer, channel: string, id: string): Promise<string> {
  await server.discord.command({ user: 'ada', channel, name: 'hearing', options: [] });
  return (await server.shown(id, /^Here: /)).content;
}

test('the bot reads the channels it may view, their threads, and direct messages', async () => {
  await using server = await openServer();
  const { discord, mention, channel } = server;
  server.forbid('help', PermissionFlagsBits.ViewChannel);
  const { heard } = await server.connect({ commands: createRunner([hearingCommand]) });
  expect(await hearing(server, '#general', channel('general'))).toBe('Here: everything');
  expect(await hearing(server, '#help', channel('help'))).toBe('Here: unseen');
  expect(await hearing(server, '@', discord.directChannel('ada').id)).toBe('Here: direct');
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Thread?` });
  const { thread, id } = await heard('Thread?');
  await thread.post({ markdown: 'Thread.' });
  expect(await hearing(server, id, id)).toBe('Here: everything');
});

test('a command in a private thread that the bot is not in is answered there', async () => {
  await using server = await openServer();
  const thread = { user: 'ada', channel: '#general', name: 'Secret', withoutBot: true };
  const { id } = server.discord.openPrivateThread(thread);
  await server.connect({ commands: createRunner([hearingCommand]) });
  expect(await hearing(server, id, id)).toMatch(/^Here: /);
});

test('without the message content intent it reads only mentions', async () => {
  await using server = await openServer();
  server.discord.changeApplication({ messageContent: false });
  await server.connect({ commands: createRunner([hearingCommand]) });
  expect(await hearing(server, '#general', server.channel('general'))).toBe('Here: mentions');
});
