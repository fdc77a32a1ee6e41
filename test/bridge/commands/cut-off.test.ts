import { expect, test } from 'vitest';
import {
  type CommandRecord,
  createCommandJournal,
} from '../../../src/bridge/commands/runner/command-journal.ts';
import {
  recoverCommands,
  type RecoverCommandsOptions,
} from '../../../src/bridge/commands/runner/recover-commands.ts';
import { PlatformError } from '../../../src/bridge/conversation/errors.ts';
import type { IncomingMessage, Notice } from '../../../src/bridge/conversation/platform.ts';
import type { KeyedStore } from '../../../src/bridge/conversation/keyed-store.ts';
import { createFakeThread } from '../../fixtures/fake-thread.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { openCommands } from './open-commands.ts';
import { commandNames } from '../../fixtures/command-names.ts';
import { createMemoryStore } from '../../fixtures/memory-store.ts';

const createTag = { command: 'tag', action: 'create', values: { name: 'Press', color: '#ff0000' } };

/** A service with one source, whose status is asked for each time it lists it. */
function withSource(status: () => string) {
  const source = {
    uuid: 'a'.repeat(32),
    title: 'Handbook',
    file_name: '',
    file_size: 0,
    tokens: 0,
    type: 'link',
    created_at: '2026-09-12T10:00:00Z',
    modified_at: '2026-09-12T10:00:00Z',
  };
  return (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/data-source/url')) return Response.json({ ...source, status: 'await' });
    return pathname.endsWith('/data-sources')
      ? Response.json([{ ...source, status: status() }])
      : undefined;
  };
}

test('a command that changes something is stored until its result was shown', async () => {
  await using commands = await openCommands();
  const { runner, journal } = commands;
  const stored = async () => (await journal.earlier()).map(({ record }) => record.action);

  const results = runner.run({ ...createTag, context: commands.context() });
  for await (const { markdown } of results) expect(markdown).toContain('Press');
  await results.shownIn?.({ channel: 'C', messages: ['1'] });
  expect(await stored()).toEqual(['create']);
  await results.ended?.(true);
  expect(await stored()).toEqual([]);

  const list = { command: 'tag', action: 'list', values: {}, context: commands.context() };
  for await (const { markdown } of runner.run(list)) expect(markdown).toContain('Press');
  const refused = { ...createTag, values: { name: 'Press' }, context: commands.context() };
  for await (const { markdown } of runner.run(refused)) expect(markdown).toContain('color');
  expect(await stored()).toEqual([]);
});

test('a result that a stopping process did not show is left to the next one', async () => {
  await using commands = await openCommands();
  const stopping = new AbortController();
  const context = commands.context({ signal: stopping.signal });
  const results = commands.runner.run({ ...createTag, context });
  for await (const _ of results) stopping.abort();
  await results.ended?.(false);
  expect(await commands.journal.earlier()).toHaveLength(1);
});

test('a watch is left to the next process when this one stops', async () => {
  const stopping = new AbortController();
  const answer = withSource(() => {
    stopping.abort();
    return 'success';
  });
  await using commands = await openCommands({ answer });
  const results = commands.runner.run({
    command: 'source',
    action: 'url',
    values: { url: 'https://example.com' },
    context: commands.context({ signal: stopping.signal }),
  });
  const texts = await Array.fromAsync(results, ({ markdown }) => markdown);
  expect(texts.at(-1)).toContain('The service is still working on it.');
  await results.ended?.(true);
  expect(await commands.journal.earlier()).toHaveLength(1);
});

test('a command that is a message has a row once it watches, and then says so', async () => {
  const answer = withSource(() => 'success');
  await using commands = await openCommands({ answer });
  let stored = 0;
  const kept = () => {
    stored += 1;
  };
  await commands.use('tag create', createTag.values, { kept });
  expect(stored).toBe(0);
  await commands.use('source url', { url: 'https://example.com' }, { kept });
  expect(stored).toBe(1);
  const [entry] = await commands.journal.earlier();
  expect(entry?.record).toMatchObject({
    action: 'url',
    watch: { rows: [{ name: expect.any(String) }] },
  });
});

test('commands run where nothing can be stored, and the log says so', async () => {
  const full = async () => {
    throw new Error('database or disk is full');
  };
  const commandStore = { ...storeOf(), set: full };
  await using commands = await openCommands({ commandStore });
  expect(await commands.last('tag create', createTag.values)).toContain('✅');

  const log = createMemoryLog();
  const entry = createCommandJournal({ store: commandStore, now: Date.now, log }).open({
    ...createTag,
    context: commands.context(),
  });
  expect(await entry.save()).toBe(false);
  expect(JSON.stringify(log.lines)).toContain('could not be stored');
});

const cutOff: CommandRecord = {
  command: 'source',
  action: 'delete',
  platform: 'fake',
  workspace: 'W',
  channel: 'C',
  requester: { id: 'U1', name: 'Ada' },
  locale: 'en-US',
  startedAt: 0,
};

function storeOf(rows: Record<string, unknown> = {}): KeyedStore<unknown> {
  return createMemoryStore(new Map(Object.entries(rows)));
}

/** What the next start does about these rows. */
async function restart(
  store: KeyedStore<unknown>,
  {
    beforeNotice,
    ...options
  }: Partial<RecoverCommandsOptions> & { beforeNotice?: (notice: Notice) => void } = {},
) {
  const log = createMemoryLog();
  const notices: Notice[] = [];
  const received: IncomingMessage[] = [];
  const recovery = await recoverCommands({
    journal: createCommandJournal({ store, now: Date.now, log }),
    names: commandNames({ prefix: 'kb-' }),
    tools: {
      // Only watches ask the service.
      client: {} as RecoverCommandsOptions['tools']['client'],
      async notify(_, notice) {
        beforeNotice?.(notice);
        notices.push(notice);
      },
      sleep: async (_ms, signal) => signal?.throwIfAborted(),
      monotonicMs: () => 0,
    },
    platforms: [{ name: 'fake' }],
    openThread: () => undefined,
    receive: async (message) => void received.push(message),
    log,
    signal: new AbortController().signal,
    ...options,
  });
  recovery.connected('fake');
  await recovery.idle();
  const left = await Array.fromAsync(store.entries(), ([key]) => key);
  const logged = log.lines.map(({ message }) => message);
  return { notices, received, left, logged };
}

test('whoever gave a command is told directly, in their language, and once', async () => {
  const store = storeOf({
    a: cutOff,
    b: { ...cutOff, command: 'chatbot', action: 'use', locale: 'de-AT' },
  });
  const { notices, left } = await restart(store);
  const to = { person: 'U1' };
  expect(notices).toEqual([
    {
      workspace: 'W',
      to,
      markdown: expect.stringMatching(/`\/kb-source delete` was running.*`\/kb-source list`/),
    },
    {
      workspace: 'W',
      to,
      markdown: expect.stringMatching(/während `\/kb-chatbot use` lief.*`\/kb-chatbot show`/),
    },
  ]);
  expect(left).toEqual([]);
  expect((await restart(store)).notices).toEqual([]);
});

test('a message that shows a half-finished result is edited', async () => {
  const thread = createFakeThread({ max: 100 });
  const messages = [
    await thread.post({ markdown: 'Half' }),
    await thread.post({ markdown: 'of it' }),
  ];
  const shown = { channel: 'C', messages: messages.map(({ id }) => id) };
  await restart(storeOf({ a: { ...cutOff, shown } }), { openThread: () => thread });
  const texts = thread.visible();
  expect(texts).toHaveLength(2);
  expect(texts[0]).toContain('I was restarted while');
  expect(texts[1]).not.toContain('of it');
});

test('who can’t be told directly is mentioned where they gave the command', async () => {
  const refuse = ({ to }: Notice) => {
    if ('person' in to) throw new PlatformError('forbidden', 'channel_hidden');
  };
  const { notices, left } = await restart(storeOf({ a: cutOff }), {
    beforeNotice: refuse,
  });
  expect(notices).toEqual([expect.objectContaining({ to: { channel: 'C' }, people: ['U1'] })]);
  expect(left).toEqual([]);
});

test('a platform that is in trouble is tried again', async () => {
  let failures = 0;
  const { notices } = await restart(storeOf({ a: cutOff }), {
    beforeNotice() {
      if ((failures += 1) < 8) throw new PlatformError('failed', 'answer_expired');
    },
  });
  expect(notices).toEqual([expect.objectContaining({ to: { person: 'U1' } })]);
});

test('what a start can’t tell before it stops, the next one tells', async () => {
  const stopping = new AbortController();
  const store = storeOf({ a: cutOff });
  const first = await restart(store, {
    signal: stopping.signal,
    beforeNotice() {
      stopping.abort();
      throw new PlatformError('failed', 'answer_expired');
    },
  });
  expect(first.left).toEqual(['a']);
  expect((await restart(store)).notices).toHaveLength(1);
});

test('where nothing can be stored nobody is told, again and again', async () => {
  const full = async () => {
    throw new Error('database or disk is full');
  };
  const { notices, left } = await restart({ ...storeOf({ a: cutOff }), set: full });
  expect(notices).toEqual([]);
  expect(left).toEqual(['a']);
});

test('rows that can’t be read, and those of a platform that is gone, keep nobody waiting', async () => {
  const elsewhere = { ...cutOff, platform: 'elsewhere' };
  const rows = { broken: null, older: { command: 'source' }, elsewhere, a: cutOff };
  const { notices, left, logged } = await restart(storeOf(rows));
  expect(notices).toHaveLength(1);
  expect(left).toEqual(['broken', 'older', 'elsewhere']);
  expect(logged).toContain('commands are kept until their platform is back');
  expect(logged.filter((line) => line.includes('can’t be read'))).toHaveLength(2);
});

test('a question that was posted is handed to the core, one that was not is asked for', async () => {
  const thread = createFakeThread();
  const asked = { id: '7', text: 'Why?', addressed: 'mention', thread: thread.address };
  const ask = { ...cutOff, command: 'ask', action: undefined };
  const { received, notices, left } = await restart(
    storeOf({ posted: { ...ask, asked }, lost: ask }),
    { openThread: () => thread },
  );
  const author = expect.objectContaining({ id: 'U1', locale: 'en-US' });
  expect(received).toEqual([expect.objectContaining({ id: '7', text: 'Why?', author, thread })]);
  expect(notices).toEqual([
    expect.objectContaining({ markdown: expect.stringContaining('please ask again') }),
  ]);
  expect(left).toEqual([]);
});
