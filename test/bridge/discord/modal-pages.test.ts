import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import type { CommandRunner, Invocation } from '../../../src/bridge/commands/invocation.ts';
import type { RawValues } from '../../../src/bridge/commands/option.ts';
import type { Acknowledgement } from '../../../src/sandbox/discord/interactions/interactions.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { silentLog } from '../../fixtures/log.ts';
import { openServer } from './open-server.ts';

const note = { type: 'text', description: 'source answer' } as const;

const tag: Command = {
  name: 'tag',
  description: 'tag',
  actions: {
    update: defineAction({
      description: 'tag update',
      shownTo: 'private',
      options: {
        tag: { type: 'reference', to: 'tag', description: 'tag name', required: true },
        name: { type: 'text', description: 'tag new name', maxLength: 20 },
        hidden: { type: 'boolean', description: 'agent all-sources' },
        size: { type: 'number', min: 1, max: 9, whole: true, description: 'agent temperature' },
        kind: { type: 'choice', choices: ['new', 'old'], description: 'agent type' },
        sources: { type: 'reference', to: 'source', many: true, description: 'tag sources' },
        note,
      },
      async *run() {
        yield* [];
      },
      initialValues: () => ({}),
    }),
  },
};

const source: Command = {
  name: 'source',
  description: 'source',
  actions: {
    upload: defineAction({
      description: 'source upload',
      shortcut: { name: 'source upload shortcut', takes: 'file' },
      shownTo: 'channel',
      options: {
        file: { type: 'file', many: true, description: 'source file', required: true },
        note,
      },
      async *run() {
        yield* [];
      },
    }),
  },
};

const present = { name: 'Lamps', hidden: 'true', size: '3', kind: 'old', sources: 's1, s2' };

function createRunner(change: Partial<CommandRunner> = {}) {
  const ran: Invocation[] = [];
  const runner: CommandRunner = {
    ...createPlainRunner({
      commands: [tag, source],
      async *run(invocation) {
        ran.push(invocation);
        yield `Done ${ran.length}.`;
      },
      complete: async () =>
        ['s1', 's2', 's3'].map((value) => ({ label: `Source ${value}`, value })),
    }),
    prefill: async ({ values }) => ({ ...present, ...(values as Record<string, string>) }),
    ...change,
  };
  const valuesOf = (index: number): RawValues | undefined => ran[index]?.values;
  return { runner, valuesOf };
}

function updateOf(name: string, options: { name: string; value: string | number }[]) {
  return { user: 'ada', channel: '#general', name, options: [{ name: 'update', options }] };
}

function modalOf(acknowledgement: Acknowledgement) {
  if (acknowledgement.kind === 'modal') return acknowledgement.modal;
  throw new Error(`No form was opened, but: ${JSON.stringify(acknowledgement)}`);
}

test('a change without values opens a form with the current ones, and further pages by a button', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { runner, valuesOf } = createRunner();
  await server.connect({ commands: runner });
  const doing = await discord.command(updateOf('tag', [{ name: 'tag', value: 't1' }]));
  const modal = modalOf(await doing.acknowledgement);
  expect(modal.title).toBe('Change a tag');
  expect(modal.components).toMatchObject([
    {
      label: 'Name',
      description: `${english.descriptions['tag new name']} (up to 20 characters)`,
      component: { type: 4, style: 1, max_length: 20, required: false, value: 'Lamps' },
    },
    {
      label: 'Hidden',
      component: { type: 3, options: [{ value: 'yes', default: true }, { value: 'no' }] },
    },
    { label: 'Size', component: { type: 4, value: '3' } },
    {
      label: 'Kind',
      component: { type: 3, options: [{ value: 'new' }, { value: 'old', default: true }] },
    },
    {
      label: 'Sources',
      component: {
        type: 3,
        max_values: 3,
        options: [
          { label: 'Source s1', value: 's1', default: true },
          { label: 'Source s2', value: 's2', default: true },
          { label: 'Source s3', value: 's3' },
        ],
      },
    },
  ]);

  const values = { name: 'Oil lamps', sources: ['s3'], size: '' };
  await discord.submit({ user: 'ada', modal: doing.id, values });
  const shown = await server.shown(server.channel('general'), 'Done 1.');
  const first = { tag: 't1', name: 'Oil lamps', hidden: 'yes', kind: 'old', sources: 's3' };
  expect(valuesOf(0)).toEqual(first);
  expect(shown.ephemeralFor).toBeDefined();

  const [more] = shown.components.flatMap(
    (row) => (row.components ?? []) as unknown as { label: string; custom_id: string }[],
  );
  expect(more?.label).toBe('More fields');
  const pressed = discord.press({
    user: 'ada',
    message: shown.id,
    customId: more?.custom_id ?? '',
  });
  const next = modalOf(await pressed.acknowledgement);
  expect(next.components).toMatchObject([
    { label: 'Note', component: { type: 4, max_length: 4000 } },
  ]);
  await discord.submit({ user: 'ada', modal: pressed.id, values: { note: 'Trim the wick' } });
  const last = await server.shown(server.channel('general'), 'Done 2.');
  expect(valuesOf(1)).toEqual({ tag: 't1', note: 'Trim the wick' });
  expect(last.components).toEqual([]);
});

test('fields that don’t fit into the first modal are offered from the start', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { runner, valuesOf } = createRunner();
  await server.connect({ commands: runner });
  const doing = await discord.command(updateOf('tag', [{ name: 'tag', value: 't1' }]));
  modalOf(await doing.acknowledgement);
  const offer = await server.shown(server.channel('general'), english.forms.notAll);
  expect(offer.ephemeralFor).toBeDefined();
  const buttons = offer.components.flatMap(
    (row) => (row.components ?? []) as unknown as { label: string; custom_id: string }[],
  );
  expect(buttons.map(({ label }) => label)).toEqual(['More fields: Note']);
  const customId = buttons[0]?.custom_id ?? '';
  const pressed = discord.press({ user: 'ada', message: offer.id, customId });
  expect(modalOf(await pressed.acknowledgement).components).toMatchObject([{ label: 'Note' }]);
  await discord.submit({ user: 'ada', modal: pressed.id, values: { note: 'Trim the wick' } });
  await server.shown(server.channel('general'), 'Done 1.');
  expect(valuesOf(0)).toEqual({ tag: 't1', note: 'Trim the wick' });
});

test('a form whose values are refused is kept: its person reads them, and opens it again with them', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { runner, valuesOf } = createRunner();
  const ran = runner.run.bind(runner);
  const commands: CommandRunner = {
    ...runner,
    async *run(invocation) {
      const { name } = invocation.values;
      for await (const result of ran(invocation)) {
        yield name === 'Fixed' ? result : { markdown: 'No such name.', isRefused: true };
      }
    },
  };
  await server.connect({ commands });
  const doing = await discord.command(updateOf('tag', [{ name: 'tag', value: 't1' }]));
  modalOf(await doing.acknowledgement);
  const values = { name: 'Wrong', sources: ['s3'], size: '', kind: 'new' };
  await discord.submit({ user: 'ada', modal: doing.id, values });
  const general = server.channel('general');
  const told = await server.shown(general, /^No such name\./);
  expect(told.ephemeralFor).toBeDefined();
  expect(told.content).toContain(`${english.forms.typed}\n\n**Name**\n> Wrong\n`);

  const [again] = told.components.flatMap(({ components = [] }) => components);
  expect(again).toMatchObject({ label: english.forms.again });
  const press = { user: 'ada', message: told.id, customId: String(again?.custom_id) };
  const pressed = discord.press(press);
  expect(modalOf(await pressed.acknowledgement).components).toMatchObject([
    { label: 'Name', component: { value: 'Wrong' } },
    { label: 'Hidden' },
    { label: 'Size', component: expect.not.objectContaining({ value: '3' }) },
    { label: 'Kind', component: { options: [{ value: 'new', default: true }, { value: 'old' }] } },
    { label: 'Sources', component: { options: [{}, {}, { value: 's3', default: true }] } },
  ]);
  await discord.submit({ user: 'ada', modal: pressed.id, values: { name: 'Fixed' } });
  await server.shown(general, 'Done 2.');
  expect(valuesOf(1)).toMatchObject({ tag: 't1', name: 'Fixed', kind: 'new', sources: 's3' });
});

test('further fields are for the person who filled in the first ones, though others see the button', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { runner } = createRunner({ isShared: async () => true });
  await server.connect({ commands: runner });
  const general = server.channel('general');
  const doing = await discord.command(updateOf('tag', [{ name: 'tag', value: 't1' }]));
  modalOf(await doing.acknowledgement);
  await discord.submit({ user: 'ada', modal: doing.id });
  const result = await server.shown(general, 'Done 1.');
  expect(result.ephemeralFor).toBeUndefined();
  const [button] = result.components.flatMap(({ components = [] }) => components);
  const press = { message: result.id, customId: String(button?.custom_id) };
  const byGrace = await discord.press({ user: 'grace', ...press }).acknowledgement;
  expect(byGrace.kind).toBe('deferred');
  const told = await server.shown(general, english.forms.outdated);
  expect(told.ephemeralFor).toBe(discord.users().find((user) => user.username === 'grace')?.id);
  modalOf(await discord.press({ user: 'ada', ...press }).acknowledgement);
});

test.each([
  ['somebody else', 'linus', '#general'],
  ['its person elsewhere', 'ada', '#help'],
])('a form that is sent by %s does nothing', async (_, user, channel) => {
  await using server = await openServer();
  const { discord } = server;
  const { runner, valuesOf } = createRunner();
  await server.connect({ commands: runner });
  const openForm = async (change: { user?: string; channel?: string }) => {
    const use = { ...updateOf('tag', [{ name: 'tag', value: 't1' }]), ...change };
    const doing = await discord.command(use);
    return { id: doing.id, modal: modalOf(await doing.acknowledgement) };
  };
  const form = await openForm({});
  // Their own form is sent in the name of the other one.
  const sent: Interaction[] = [];
  const keep = (message: unknown) => {
    const { kind, name, data } = message as { kind: string; name: string; data: Interaction };
    if (kind === 'event' && name === 'INTERACTION_CREATE') sent.push(data);
  };
  subscribe('causeway.sandbox.discord.sent', keep);
  onTestFinished(() => void unsubscribe('causeway.sandbox.discord.sent', keep));
  const own = await openForm({ user, channel });
  await discord.submit({ user, modal: own.id });
  const at = server.channel(channel.slice(1));
  await server.shown(at, 'Done 1.');
  const submission = sent.at(-1);
  const data = { ...submission?.data, custom_id: form.modal.customId };
  discord.gateway.send('INTERACTION_CREATE', { ...submission, data });
  await server.shown(at, english.forms.outdated);

  await discord.submit({ user: 'ada', modal: form.id, values: { name: 'Mine' } });
  await server.shown(server.channel('general'), 'Done 2.');
  expect(valuesOf(1)).toMatchObject({ name: 'Mine' });
});

/** What the bot is sent of an interaction. */
interface Interaction {
  data: object;
}

test('a list that was cleared is submitted as empty', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { runner, valuesOf } = createRunner();
  await server.connect({ commands: runner });
  const doing = await discord.command(updateOf('tag', [{ name: 'tag', value: 't1' }]));
  modalOf(await doing.acknowledgement);
  await discord.submit({ user: 'ada', modal: doing.id, values: { sources: [] } });
  await server.shown(server.channel('general'), 'Done 1.');
  expect(valuesOf(0)).toMatchObject({ tag: 't1', name: 'Lamps', sources: '' });
});

test.each<[string, Partial<CommandRunner>]>([
  ['may not be made by them', { mayUse: async () => false }],
  ['is of something unknown', { prefill: async () => ({ tag: 'nothing' }) }],
])('the command itself says what is wrong with a change that %s', async (_, change) => {
  await using server = await openServer();
  const { runner, valuesOf } = createRunner(change);
  await server.connect({ commands: runner });
  const doing = await server.discord.command(updateOf('tag', [{ name: 'tag', value: 'nothing' }]));
  expect((await doing.acknowledgement).kind).toBe('deferred');
  await server.shown(server.channel('general'), 'Done 1.');
  expect(valuesOf(0)).toEqual({ tag: 'nothing' });
});

test('current values that take longer than Discord waits are left out', async () => {
  await using server = await openServer();
  const { runner } = createRunner({ prefill: () => new Promise(() => undefined) });
  // All waits are over at once.
  await server.connect({ commands: runner, sleep: async () => undefined });
  const doing = await server.discord.command(updateOf('tag', [{ name: 'tag', value: 't1' }]));
  expect((await doing.acknowledgement).kind).toBe('deferred');
  await server.shown(server.channel('general'), 'Done 1.');
});

test('a change of something in particular is made at once', async () => {
  await using server = await openServer();
  const { runner, valuesOf } = createRunner();
  await server.connect({ commands: runner });
  const given = [
    { name: 'tag', value: 't1' },
    { name: 'size', value: 4 },
  ];
  await server.discord.command(updateOf('tag', given));
  await server.shown(server.channel('general'), 'Done 1.');
  expect(valuesOf(0)).toEqual({ tag: 't1', size: '4' });
});

test.each(['said', 'forwarded', 'said to a bot without the message content intent'])(
  'the files of a message that was %s open the form of the command that takes them',
  async (how) => {
    await using server = await openServer();
    const { discord } = server;
    const { runner, valuesOf } = createRunner();
    discord.changeApplication({ messageContent: !how.endsWith('intent') });
    await server.connect({ commands: runner });
    const files = ['a.txt', 'b.md'].map((name) => ({ name, bytes: Buffer.from(`in ${name}`) }));
    const said = await discord.say({ user: 'ada', channel: '#general', files });
    const forward = { user: 'ada', message: said.id, channel: '#help' };
    const { id: message, channel } = how === 'forwarded' ? discord.forward(forward) : said;
    const use = { user: 'ada', message, name: 'Add files as sources' };
    const doing = discord.messageCommand(use);
    const modal = modalOf(await doing.acknowledgement);
    expect(modal.components).toMatchObject([
      { content: '• a.txt\n• b.md' },
      { label: 'Note', component: { type: 4 } },
    ]);
    await discord.submit({ user: 'ada', modal: doing.id, values: { note: 'Both' } });
    const shown = await server.shown(channel, 'Done 1.');
    expect(shown.ephemeralFor).toBeUndefined();
    const values = valuesOf(0);
    const given = [values?.['file'] ?? []].flat().filter((file) => typeof file === 'object');
    const signal = new AbortController().signal;
    expect(await Promise.all(given.map((file) => text(file.read(signal))))).toEqual([
      'in a.txt',
      'in b.md',
    ]);
    expect(values?.['note']).toBe('Both');

    const { id: empty } = await discord.say({ user: 'ada', channel: '#general', content: 'None' });
    discord.messageCommand({ ...use, message: empty });
    const told = await server.shown(server.channel('general'), 'This message has no files.');
    expect(told.ephemeralFor).toBeDefined();
  },
);

test('what a command lacks in a thread that is locked and archived is told directly', async () => {
  await using server = await openServer();
  const { discord } = server;
  await server.connect({ commands: createRunner().runner });
  const { id } = await discord.say({ user: 'ada', channel: '#general', content: 'Why?' });
  discord.openThread({ user: 'ada', message: id, name: 'Why' });
  const { id: message } = await discord.say({ user: 'ada', channel: id, content: 'None' });
  discord.changePost({ user: 'ada', post: id, archived: true, locked: true });
  discord.messageCommand({ user: 'ada', message, name: 'Add files as sources' });
  const told = server.shown(discord.directChannel('ada').id, /^This message has no files\./);
  expect(await told).toMatchObject({ author: { bot: true } });
});

test.each([
  { times: 1, status: 404, error: 10_062 },
  // The library tries four times by itself.
  { times: 4, status: 503 },
])('what a command lacks is not told at all where Discord answers with %o', async (fault) => {
  await using server = await openServer();
  const { discord } = server;
  const logged = Promise.withResolvers<string>();
  const log = { ...silentLog, warn: (_: object, message: string) => logged.resolve(message) };
  await server.connect({ commands: createRunner().runner, log });
  const { id: message } = await discord.say({ user: 'ada', channel: '#general', content: 'None' });
  discord.faults.inject({ method: 'POST /interactions/:interaction/:token/callback', ...fault });
  discord.messageCommand({ user: 'ada', message, name: 'Add files as sources' });
  expect(await logged.promise).toBe('a result was not shown in Discord');
  expect(discord.messages(discord.directChannel('ada').id)).toEqual([]);
});
