import { expect, test } from 'vitest';
import { type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import type { Completion } from '../../../src/bridge/commands/invocation.ts';
import { renderCommands } from '../../../src/bridge/discord/render-commands.ts';
import { createRunner, openServer } from './open-server.ts';

const command: Command = {
  name: 'test',
  description: 'source',
  actions: {
    all: defineAction({
      description: 'source upload',
      shownTo: 'private',
      options: {
        source: { type: 'reference', to: 'source', description: 'source name', required: true },
        color: { type: 'color', description: 'color' },
        day: { type: 'date', description: 'session from' },
        kind: { type: 'choice', choices: ['new', 'old'], description: 'source status' },
        sure: { type: 'boolean', description: 'source tag remove' },
        count: { type: 'number', min: 1, max: 9, whole: true, description: 'page' },
        share: { type: 'number', min: 0, max: 1, description: 'agent temperature' },
        file: { type: 'file', many: true, description: 'source file' },
      },
      async *run() {
        yield 'Done';
      },
    }),
  },
};

test('every kind of option has its own of Discord’s', () => {
  const [rendered] = renderCommands(createRunner([command]));
  const [all] = rendered?.options ?? [];
  const options = all && 'options' in all ? (all.options ?? []) : [];
  expect(options).toMatchObject([
    { name: 'source', type: 3, required: true, autocomplete: true },
    { name: 'color', type: 3, autocomplete: true },
    { name: 'day', type: 3 },
    { name: 'kind', type: 3, choices: [{ value: 'new' }, { value: 'old' }] },
    { name: 'sure', type: 5 },
    { name: 'count', type: 4, min_value: 1, max_value: 9 },
    { name: 'share', type: 10, min_value: 0, max_value: 1 },
    { name: 'file', type: 11 },
    { name: 'file2', type: 11 },
    { name: 'file3', type: 11 },
    { name: 'file4', type: 11 },
    { name: 'file5', type: 11 },
  ]);
});

test('the runner suggests values for what is typed', async () => {
  await using server = await openServer();
  const asked: Completion[] = [];
  const runner = createRunner([command], '', {
    async complete(completion) {
      asked.push(completion);
      return [
        { label: 'Handbook · today', value: 'uuid' },
        { label: '\u202E\u2066', value: 'unnamed' },
      ];
    },
  });
  await server.connect({ commands: runner });
  const choices = await server.discord.autocomplete({
    user: 'ada',
    channel: '#general',
    name: 'test',
    options: [{ name: 'all', options: [{ name: 'source', value: 'hand', focused: true }] }],
  });
  expect(choices).toEqual([
    { name: 'Handbook · today', value: 'uuid' },
    { name: 'unnamed', value: 'unnamed' },
  ]);
  expect(asked).toMatchObject([
    { command: 'test', action: 'all', option: 'source', typed: 'hand' },
  ]);
});
