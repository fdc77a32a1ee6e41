import { expect, test } from 'vitest';
import { english } from '../../../src/bridge/texts/texts.ts';
import { type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import { ask } from '../../../src/bridge/commands/ask.ts';
import { renderCommands } from '../../../src/bridge/discord/render-commands.ts';
import { createRunner, openServer } from './open-server.ts';

const says = english.descriptions;

async function* run() {
  yield 'Done';
}

const source: Command = {
  name: 'source',
  description: 'source',
  actions: {
    upload: defineAction({
      description: 'source upload',
      shownTo: 'channel',
      options: {
        title: { type: 'text', description: 'source title', maxLength: 100 },
        file: { type: 'file', description: 'source file', required: true },
      },
      run,
    }),
    list: defineAction({ description: 'source list', shownTo: 'private', options: {}, run }),
  },
};

test('the payload says what the commands declare, required options first', () => {
  expect(renderCommands(createRunner([source], 'kb-'))).toMatchObject([
    {
      name: 'kb-source',
      description: says.source,
      contexts: [0, 1],
      integration_types: [0],
      options: [
        {
          type: 1,
          name: 'upload',
          description: says['source upload'],
          options: [
            { type: 11, name: 'file', description: says['source file'], required: true },
            {
              type: 3,
              name: 'title',
              description: `${says['source title']} (up to 100 characters)`,
              required: false,
              max_length: 100,
            },
          ],
        },
        { type: 1, name: 'list', description: says['source list'], options: [] },
      ],
    },
  ]);
});

test('its description is in German as well', () => {
  const list: Command = {
    name: 'list',
    description: 'source list',
    action: defineAction({
      description: 'source list',
      shownTo: 'private',
      options: {
        page: { type: 'number', min: 1, max: 9, whole: true, description: 'page' },
        status: { type: 'choice', choices: ['ready'], description: 'source status' },
      },
      run,
    }),
  };
  expect(renderCommands(createRunner([list]))).toMatchObject([
    {
      name: 'list',
      description_localizations: { de: 'Quellen auflisten' },
      options: [
        {
          description: 'Page to show (1 to 9)',
          description_localizations: { de: 'Seite, die angezeigt wird (1 bis 9)' },
        },
        { choices: [{ name: 'ready', name_localizations: { de: 'bereit' }, value: 'ready' }] },
      ],
    },
  ]);
});

test('what Discord takes is registered once, and again when the commands change', async () => {
  await using server = await openServer();
  const { discord } = server;
  let registrations = 0;
  discord.changes.subscribe((change) => {
    if (change.kind === 'commands') registrations += 1;
  });
  const first = await server.connect({ commands: createRunner([ask, source]) });
  expect(discord.commands().map(({ name }) => name)).toEqual([
    'ask',
    'source',
    'Ask about this (only me)',
  ]);
  await first.platform[Symbol.asyncDispose]();

  const second = await server.connect({ commands: createRunner([source, ask]) });
  expect(registrations).toBe(1);
  await second.platform[Symbol.asyncDispose]();

  await server.connect({ commands: createRunner([ask]) });
  expect(registrations).toBe(2);
  expect(discord.commands().map(({ name }) => name)).toEqual(['ask', 'Ask about this (only me)']);
});

test('a name that Discord would refuse is an error before anything is sent', () => {
  const wrong: Command = { ...source, name: 'No Such Name' };
  expect(() => renderCommands(createRunner([wrong]))).toThrow(/name|valid/i);
});
