import { expect, test } from 'vitest';
import { type Command, defineAction } from '../../src/commands/command.ts';
import { ask } from '../../src/commands/ask.ts';
import { renderCommands } from '../../src/discord/registration.ts';
import { createTable, openServer } from './open-server.ts';

const description = 'What the chatbot knows';
async function* run() {
  yield 'Done';
}

const source: Command = {
  name: 'source',
  description,
  actions: {
    upload: defineAction({
      description: 'Teach a file',
      shownTo: 'channel',
      options: {
        title: { type: 'text', description: 'Its title', maxLength: 100 },
        file: { type: 'file', description: 'The file', required: true },
      },
      run,
    }),
    list: defineAction({ description: 'List', shownTo: 'private', options: {}, run }),
  },
};

test('the payload says what the table says, required options first', () => {
  expect(renderCommands(createTable([source], 'kb-'))).toMatchObject([
    {
      name: 'kb-source',
      description,
      contexts: [0, 1],
      integration_types: [0],
      options: [
        {
          type: 1,
          name: 'upload',
          description: 'Teach a file',
          options: [
            { type: 11, name: 'file', description: 'The file', required: true },
            { type: 3, name: 'title', description: 'Its title', required: false, max_length: 100 },
          ],
        },
        { type: 1, name: 'list', description: 'List', options: [] },
      ],
    },
  ]);
});

test('what Discord takes is registered once, and again when the table changes', async () => {
  await using server = await openServer();
  const { discord } = server;
  let registrations = 0;
  discord.changes.subscribe((change) => {
    if (change.kind === 'commands') registrations += 1;
  });
  const first = await server.connect({ commands: createTable([ask, source]) });
  expect(discord.commands().map(({ name }) => name)).toEqual(['ask', 'source']);
  await first.platform[Symbol.asyncDispose]();

  const second = await server.connect({ commands: createTable([source, ask]) });
  expect(registrations).toBe(1);
  await second.platform[Symbol.asyncDispose]();

  await server.connect({ commands: createTable([ask]) });
  expect(registrations).toBe(2);
  expect(discord.commands().map(({ name }) => name)).toEqual(['ask']);
});

test('a name that Discord would refuse is an error before anything is sent', () => {
  const wrong: Command = { ...source, name: 'No Such Name' };
  expect(() => renderCommands(createTable([wrong]))).toThrow(/name|valid/i);
});
