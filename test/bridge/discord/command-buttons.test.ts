import { expect, test } from 'vitest';
import { type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import type { Pressed, Result } from '../../../src/bridge/commands/invocation.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { openServer } from './open-server.ts';

const list: Command = {
  name: 'list',
  description: 'help',
  action: defineAction({
    description: 'help',
    shownTo: 'channel',
    options: {},
    async *run() {
      yield* [];
    },
  }),
};

async function* shown(markdown: string): AsyncGenerator<Result> {
  yield { markdown };
}

/** A public result in #general with a button, and what pressing it does. */
async function openResult(press: () => Promise<Pressed>) {
  const server = await openServer();
  const { discord } = server;
  const commands = createPlainRunner({
    commands: [list],
    async *run() {
      yield { markdown: 'Page 1', buttons: [{ id: 'next', label: 'Next' }] };
    },
    press,
  });
  await server.connect({ commands });
  const general = server.channel('general');
  await discord.command({ user: 'ada', channel: general, name: 'list', options: [] });
  const { id } = await server.shown(general, 'Page 1');
  return Object.assign(server, {
    general,
    press: () =>
      discord.press({ user: 'grace', message: id, customId: 'causeway:command:next' })
        .acknowledgement,
    all: () =>
      discord
        .messages(general)
        .map(({ content, ephemeralFor }) => [content, ephemeralFor !== undefined]),
  });
}

test.each([
  ['in place of the result', 'here', [['Page 2', false]]],
  [
    'to everyone in the channel',
    'channel',
    [
      ['Page 1', false],
      ['Page 2', false],
    ],
  ],
  [
    'only to the person who pressed, beside the result',
    'private',
    [
      ['Page 1', false],
      ['Page 2', true],
    ],
  ],
] as const)('what a button shows appears %s', async (_, place, all) => {
  await using server = await openResult(async () => ({ place, results: shown('Page 2') }));
  expect(await server.press()).toEqual({ kind: 'deferred-update' });
  await server.shown(server.general, 'Page 2');
  expect(server.all()).toEqual(all);
});

test('a press is acknowledged at once, however long it takes to decide what it shows', async () => {
  const pressed = Promise.withResolvers<Pressed>();
  await using server = await openResult(() => pressed.promise);
  expect(await server.press()).toEqual({ kind: 'deferred-update' });
  pressed.resolve({ place: 'private', results: shown('Page 2') });
  const { ephemeralFor } = await server.shown(server.general, 'Page 2');
  expect(ephemeralFor).toBeDefined();
});

test('a press that comes too late does nothing', async () => {
  let presses = 0;
  await using server = await openResult(async () => {
    presses += 1;
    return { place: 'here', results: shown('Page 2') };
  });
  const method = 'POST /interactions/:interaction/:token/callback';
  server.discord.faults.inject({ method, times: 1, status: 404, error: 10_062 });
  await server.press();
  expect(presses).toBe(0);
});
