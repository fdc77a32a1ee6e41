import { expect, test } from 'vitest';
import { type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import type { CommandRunner } from '../../../src/bridge/commands/invocation.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { createRunner, openServer } from './open-server.ts';

function sessionCommand(ran: () => void): Command {
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
        async *run() {
          ran();
          yield {
            markdown: 'Exported.',
            files: [{ name: 'session.json', text: '{}' }],
          };
        },
      }),
    },
  };
}

/** A thread in #general in which Ada says what is a command. */
async function openThread(commands: CommandRunner) {
  const server = await openServer();
  const { discord, mention } = server;
  const { core } = await server.connect({ commands });
  const general = server.channel('general');
  const root = await discord.say({ user: 'ada', channel: general, content: `${mention} Hello` });
  const begun = await core.messages.find(({ id }) => id === root.id);
  await begun.thread.post({ markdown: 'The thread begins.' });
  const direct = discord.directChannel('ada').id;
  return Object.assign(server, {
    general,
    thread: root.id,
    direct,
    /** Says it in a channel or thread; resolves once it is done. */
    async give(text: string, channel = root.id) {
      const content = channel === direct ? text : `${mention} ${text}`;
      const said = await discord.say({ user: 'ada', channel, content });
      const message = await core.messages.find(({ id }) => id === said.id);
      await message.command?.();
      return { said: said.id, message };
    },
    /** The texts and files of the bot's in a channel, but for the first in the thread. */
    shownIn: (channel: string) =>
      discord
        .messages(channel)
        .filter(({ author, content }) => author.bot && content !== 'The thread begins.')
        .flatMap(({ content, attachments }) => [
          ...(content ? [content] : []),
          ...attachments.map(({ filename }) => filename),
        ]),
  });
}

const answeredDirectly = english.places.sentDirectly('`/session export`');

test('a private result goes to its author in a direct message, with its file, and the thread says so', async () => {
  await using server = await openThread(createRunner([sessionCommand(() => {})]));
  const { thread, direct, shownIn } = server;
  const { said } = await server.give('session export format:json');
  expect(shownIn(thread)).toEqual([answeredDirectly]);
  const why = `*${english.places.othersRead}*`;
  expect(shownIn(direct)).toEqual([`Exported.\n\n${why}`, 'session.json']);
  const reply = server.discord.messages(thread).find(({ content }) => content === answeredDirectly);
  expect(reply).toMatchObject({ reference: { message: said } });
});

test('where the author takes no direct messages, the reply names the slash command, and nothing runs', async () => {
  let runs = 0;
  const command = sessionCommand(() => void runs++);
  await using server = await openThread(createRunner([command]));
  const method = 'POST /channels/:channel/messages';
  server.discord.faults.inject({ method, times: 1, status: 403, error: 50_007 });
  await server.give('session export');
  const { thread, direct, shownIn } = server;
  expect(shownIn(thread)).toEqual([english.places.useSlash('`/session export`')]);
  expect(shownIn(direct)).toEqual([]);
  expect(runs).toBe(0);
});

test('a result in a direct message is a reply, and so is a public result in a thread', async () => {
  const command = sessionCommand(() => {});
  const runner = createRunner([command]);
  await using server = await openThread(runner);
  const { thread, direct, shownIn } = server;
  const { said } = await server.give('session export', direct);
  expect(shownIn(direct)).toEqual(['Exported.', 'session.json']);
  const [, answer] = server.discord.messages(direct);
  expect(answer).toMatchObject({ reference: { message: said } });

  runner.isShared = async () => true;
  await server.give('session export');
  expect(shownIn(thread)).toEqual(['Exported.', 'session.json']);
});

test('a result in a direct message has its buttons', async () => {
  const command = sessionCommand(() => {});
  const runner = createPlainRunner({
    commands: [command],
    async *run() {
      yield { markdown: 'Page 1', buttons: [{ id: 'next', label: 'Next' }] };
    },
  });
  await using server = await openThread(runner);
  await server.give('session export');
  const [answer] = server.discord.messages(server.direct);
  expect(answer?.content).toMatch(/^Page 1/);
  expect(JSON.stringify(answer?.components)).toContain('Next');
});

test('a direct message that cannot be opened at first is opened once Discord can do so', async () => {
  let runs = 0;
  const command = sessionCommand(() => void runs++);
  await using server = await openThread(createRunner([command]));
  // The library tries four times by itself.
  const method = 'POST /users/@me/channels';
  server.discord.faults.inject({ method, times: 4, status: 500 });
  await server.give('session export');
  expect(runs).toBe(1);
  expect(server.shownIn(server.direct)).toHaveLength(2);
});
