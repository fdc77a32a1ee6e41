import { expect, test } from 'vitest';
import type { Button, ButtonAction } from '../../../src/bridge/conversation/thread.ts';
import { parseButtonId, renderButtons } from '../../../src/bridge/discord/buttons.ts';
import { tell } from '../../contracts/adapter/example-commands.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { openDiscordSeat } from './discord-seat.ts';
import { openServer, type OpenServer } from './open-server.ts';

const turn = 'turn-1';
const callback = 'POST /interactions/:interaction/:token/callback';

function button(action: ButtonAction, label: string = action): Button {
  return { action, label, turn };
}

/** A reply with a button, in a direct message or where it is asked for. */
async function postReply(
  server: OpenServer,
  connection: Awaited<ReturnType<OpenServer['connect']>>,
  channel = '@',
) {
  const { discord, mention } = server;
  await discord.say({ user: 'ada', channel, content: `${channel === '@' ? '' : mention} Why?` });
  const { thread } = await connection.heard('Why?');
  const sent = await thread.post({ markdown: 'So.', buttons: [button('stop', 'Stop')] });
  return { thread, sent, shown: () => find(server, thread.address.thread, sent.id) };
}

function find({ discord }: OpenServer, channel: string, id: string) {
  return discord.messages(channel).find((message) => message.id === id);
}

test('buttons look like what they do, and each knows its action and turn', () => {
  const actions = [
    'stop',
    'retry',
    'passages',
    'helpful',
    'unhelpful',
    'person',
    'resume',
  ] as const;
  const [row] = renderButtons(actions.map((action) => button(action)));
  const looks = row?.components.map(({ style, label, emoji }) => [label, style, emoji?.name]);
  expect(looks).toEqual([
    ['stop', 4, undefined],
    ['retry', 1, undefined],
    ['passages', 2, undefined],
    ['helpful', 2, '👍'],
    ['unhelpful', 2, '👎'],
    ['person', 2, '🙋'],
    ['resume', 1, undefined],
  ]);
  const ids = row?.components.map((component) => component.custom_id) ?? [];
  expect(ids.map(parseButtonId)).toEqual(actions.map((action) => ({ action, turn })));
  expect(renderButtons([])).toEqual([]);
});

test.each([
  '',
  'other',
  'causeway:jump:turn-1',
  'causeway:stop:',
  `causeway:stop:${'x'.repeat(65)}`,
])('“%s” is not the id of a button of ours', (id) => {
  expect(parseButtonId(id)).toBeUndefined();
});

test('a press comes with the person’s roles, and a long answer is for them alone', async () => {
  await using server = await openServer();
  const { discord } = server;
  const long = Array.from({ length: 100 }, (_, index) => `> Passage number ${index} of the book`);
  const connection = await server.connect({ pressed: async () => long.join('\n') });
  const { thread, sent } = await postReply(server, connection, '#general');
  const customId = 'causeway:stop:turn-1';
  const { acknowledgement } = discord.press({ user: 'grace', message: sent.id, customId });
  expect(await acknowledgement).toEqual({ kind: 'deferred-update' });
  const grace = discord.users().find(({ username }) => username === 'grace')?.id;
  const moderators = discord.roles().find(({ name }) => name === 'Moderators')?.id;
  expect(connection.core.presses.all).toEqual([
    {
      id: expect.any(String),
      action: 'stop',
      turn,
      by: { id: grace, name: 'Grace', isManager: true, groups: [moderators], locale: 'en-US' },
      place: thread.address,
    },
  ]);
  await server.shown(thread.address.thread, /Passage number 99/);
  const answers = discord.messages(thread.address.thread).filter(({ id }) => id !== sent.id);
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.every(({ ephemeralFor }) => ephemeralFor === grace)).toBe(true);
  expect(answers.map(({ content }) => content).join('\n')).toBe(long.join('\n'));
});

test('“Not helpful” opens a form, whose line is reported after the press', async () => {
  await using server = await openServer();
  const { discord } = server;
  const connection = await server.connect({
    pressed: async ({ remark }) => (remark === undefined ? 'Noted.' : `Noted: ${remark}`),
  });
  const { presses } = connection.core;
  const { thread, sent } = await postReply(server, connection, '#general');
  await sent.edit({ markdown: 'So.', buttons: [button('unhelpful')] });
  const press = () =>
    discord.press({ user: 'grace', message: sent.id, customId: 'causeway:unhelpful:turn-1' });

  const opened = await press().acknowledgement;
  if (opened.kind !== 'modal') throw new Error(opened.kind);
  await server.shown(thread.address.thread, /^Noted\.$/);
  const values = { remark: ' It is about last year. ' };
  await discord.submit({ user: 'grace', modal: opened.modal.id, values });
  await server.shown(thread.address.thread, /^Noted: It is about last year\.$/);
  expect(presses.all.map(({ action, remark }) => [action, remark])).toEqual([
    ['unhelpful', undefined],
    ['unhelpful', 'It is about last year.'],
  ]);
  expect(presses.all[1]).toMatchObject({ turn, place: thread.address });

  const again = await press().acknowledgement;
  if (again.kind !== 'modal') throw new Error(again.kind);
  const { acknowledgement } = await discord.submit({
    user: 'grace',
    modal: again.modal.id,
    values: {},
  });
  expect(await acknowledgement).toEqual({ kind: 'deferred-update' });
  expect(presses.all).toHaveLength(3);
});

test('a press that came too late counts all the same, and is answered directly', async () => {
  await using server = await openServer();
  const { discord } = server;
  const connection = await server.connect({ pressed: async () => 'Stopped.' });
  const { sent } = await postReply(server, connection, '#general');
  discord.faults.inject({ method: callback, times: 1, status: 404, error: 10_062 });
  discord.press({ user: 'ada', message: sent.id, customId: 'causeway:stop:turn-1' });
  const { author } = await server.shown(discord.directChannel('ada').id, /^Stopped\./);
  expect(author.bot).toBe(true);
  expect(connection.core.presses.all).toHaveLength(1);
});

test('a press of a result’s button that comes too late does nothing', async () => {
  let presses = 0;
  const commands = createPlainRunner({
    commands: [tell],
    async *run() {
      yield { markdown: 'Page 1', buttons: [{ id: 'next', label: 'Next' }] };
    },
    async press() {
      presses += 1;
      return { place: 'here', results: { async *[Symbol.asyncIterator]() {} } };
    },
  });
  await using seat = await openDiscordSeat({ commands });
  const channel = seat.channel('general');
  await seat.use({ by: 'ada', in: channel, command: 'tell', values: { question: 'Why?' } });
  await seat.shown('ada', { channel }, /^Page 1/);
  seat.faults.inject({ method: callback, times: 1, status: 404, error: 10_062 });
  await seat.press('grace', { channel }, 'Next');
  expect(presses).toBe(0);
});
