import { expect, test } from 'vitest';
import { type Command, type CommandContext, defineAction } from '../../src/commands/command.ts';
import { createRunner, openServer } from './open-server.ts';

function sessionCommand(heard: (context: CommandContext, format: string) => void): Command {
  return {
    name: 'session',
    description: 'session',
    actions: {
      export: defineAction({
        description: 'session export',
        shownTo: 'private',
        options: {
          format: { type: 'text', description: 'session format' },
          session: { type: 'text', description: 'session name or here' },
        },
        async *run(context, { format = '' }) {
          heard(context, format);
          yield {
            markdown: 'Exported.',
            files: [{ name: 'session.json', text: '{}' }],
          };
        },
      }),
    },
  };
}

test('a command after a mention is answered by a reply in the thread, with its file', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const heard: [CommandContext, string][] = [];
  const command = sessionCommand((context, format) => heard.push([context, format]));
  const { core } = await server.connect({ commands: createRunner([command]) });
  const general = server.channel('general');
  const root = await discord.say({ user: 'ada', channel: general, content: `${mention} Hello` });
  const begun = await core.messages.find(({ id }) => id === root.id);
  await begun.thread.post({ markdown: 'The thread begins.' });
  const content = `${mention} session export format:json`;
  const said = await discord.say({ user: 'ada', channel: root.id, content });
  const message = await core.messages.find(({ id }) => id === said.id);
  expect(message.text).toBe('session export format:json');
  await message.command?.();

  const shown = await server.shown(root.id, 'Exported.');
  expect(shown).toMatchObject({ reference: { message: said.id } });
  expect(shown.ephemeralFor).toBeUndefined();
  const isThere = () =>
    discord
      .messages(root.id)
      .some(({ attachments }) => attachments.some(({ filename }) => filename === 'session.json'));
  if (!isThere()) await discord.changes.waitFor(isThere);
  const [[context, format] = []] = heard;
  expect(format).toBe('json');
  expect(context?.thread).toMatchObject({ channel: general, thread: root.id });
  expect(context?.requester.name).toBe('Ada');
});

test('an option that is not there is told, a question stays one, and so does what is overheard', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { core } = await server.connect({
    commands: createRunner([sessionCommand(() => undefined)]),
  });
  const say = async (content: string) => {
    const said = await discord.say({ user: 'ada', channel: '#general', content });
    return core.messages.find(({ id }) => id === said.id);
  };
  await (await say(`${mention} /session export --colour red`)).command?.();
  await server.shown(server.channel('general'), /There is no option --colour here\./);
  expect((await say(`${mention} session limits?`)).command).toBeUndefined();
  expect((await say('session export')).command).toBeUndefined();
});

test('a command that is forwarded is not run', async () => {
  await using server = await openServer();
  const { discord } = server;
  const command = sessionCommand(() => {});
  const { core } = await server.connect({ commands: createRunner([command]) });
  const content = 'session export';
  const { id } = await discord.say({ user: 'ada', channel: '@', content });
  const forward = discord.forward({ user: 'ada', message: id, channel: '@' });
  const said = await core.messages.find((message) => message.id === id);
  expect(said.command).toBeDefined();
  const forwarded = await core.messages.find((message) => message.id === forward.id);
  expect(forwarded.text).toBe(content);
  expect(forwarded.command).toBeUndefined();
});
