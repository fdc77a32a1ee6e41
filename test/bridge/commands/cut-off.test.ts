import { expect, onTestFinished, test, vi } from 'vitest';
import { createCommandJournal } from '../../../src/bridge/commands/runner/command-journal.ts';
import type { CommandRecord } from '../../../src/bridge/commands/runner/command-record.ts';
import {
  createRecoverCommand,
  type RecoverCommandsOptions,
} from '../../../src/bridge/commands/runner/recover-commands.ts';
import { PlatformError } from '../../../src/bridge/conversation/errors.ts';
import type { Inbox } from '../../../src/bridge/conversation/inbox/inbox.ts';
import { toRow } from '../../../src/bridge/conversation/inbox/row.ts';
import type { IncomingMessage, Notice } from '../../../src/bridge/conversation/platform.ts';
import { openStore, type Store } from '../../../src/bridge/stores/open-store.ts';
import { createFakeThread } from '../../fixtures/fake-thread.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { openScheduler } from '../../fixtures/open-scheduler.ts';
import { openCommands } from './open-commands.ts';
import { commandNames } from '../../fixtures/command-names.ts';

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
  const { runner } = commands;
  const stored = async () => (await commands.underWay()).map(({ event }) => Object(event).action);

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
  const stopping = new AbortController();
  await using commands = await openCommands({ closing: stopping.signal });
  const results = commands.runner.run({ ...createTag, context: commands.context() });
  for await (const _ of results) stopping.abort();
  await results.ended?.(false);
  expect(await commands.underWay()).toHaveLength(1);
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
  expect(await commands.underWay()).toHaveLength(1);
});

test('a process that stops refuses commands instead of storing them', async () => {
  await using commands = await openCommands({ closing: AbortSignal.abort() });
  const { runner } = commands;
  const context = commands.context();
  expect(await runner.accept({ ...createTag, context })).toBeUndefined();
  expect(await commands.last('tag create', createTag.values)).toMatch(/^❌ .*restart/);
  expect(await commands.underWay()).toEqual([]);
  expect(commands.requests).toEqual([]);
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
  const [row] = await commands.underWay();
  expect(row?.event).toMatchObject({
    action: 'url',
    watch: { rows: [{ name: expect.any(String) }] },
  });
});

test('commands run where nothing can be stored, and the log says so', async () => {
  const inboxOf = (inbox: Inbox) => ({ ...inbox, insert: refuseAll });
  await using commands = await openCommands({ inboxOf });
  expect(await commands.last('tag create', createTag.values)).toContain('✅');
  const log = createMemoryLog();
  const rows = { insert: refuseAll, release() {} };
  const tools = { inbox: { update: refuseAll }, rows, closing: new AbortController().signal, log };
  await createCommandJournal(tools)
    .open({ ...createTag, context: commands.context() })
    .save();
  expect(JSON.stringify(log.lines)).toContain('could not be stored');
});

test('a sweep leaves alone a command that takes long, and one whose end is not stored', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await using store = await openStore('memory:');
  const log = createMemoryLog();
  const stopping = new AbortController();
  const closing = stopping.signal;
  const recovered: string[] = [];
  let isRefusing = false;
  const inbox: Inbox = {
    ...store.inbox,
    update: (...given) => (isRefusing ? refuseAll() : store.inbox.update(...given)),
  };
  const scheduler = openScheduler({
    inbox,
    closing,
    log,
    command: async ({ id }) => void recovered.push(id),
  });
  await scheduler.start();
  const journal = createCommandJournal({ inbox, rows: scheduler, closing, log });
  const { command, action, ...context } = cutOff;
  const entry = journal.open({ command, action, context });
  await entry.save();
  expect((await inbox.claimDue(Date.now())).rows).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(recovered).toEqual([]);

  isRefusing = true;
  const ended = entry.end();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  await ended;
  expect((await inbox.claimDue(Date.now())).rows).toHaveLength(1);
  isRefusing = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await inbox.claimDue(Date.now())).rows).toEqual([]);
  expect(recovered).toEqual([]);
  stopping.abort();
});

const cutOff: CommandRecord = {
  command: 'source',
  action: 'delete',
  platform: 'fake',
  workspace: 'W',
  channel: 'C',
  requester: { id: 'U1', name: 'Ada' },
  locale: 'en-US',
};

async function refuseAll(): Promise<never> {
  throw new Error('database or disk is full');
}

/** A store with what an earlier run left of these commands, by the ids of their rows. */
async function storeOf(events: Record<string, unknown>, ageMs = 60_000): Promise<Store> {
  const store = await openStore('memory:');
  onTestFinished(() => store[Symbol.asyncDispose]());
  for (const [id, event] of Object.entries(events)) {
    const { platform = 'fake' } = Object(event) as { platform?: string };
    const message = { platform, workspace: 'W', channel: 'C', id };
    const row = toRow({ kind: 'command', id, message, event });
    await store.inbox.insert({ ...row, state: 'command', createdAt: Date.now() - ageMs });
  }
  return store;
}

/** What the next start does about these rows. */
async function restart(
  { inbox }: Pick<Store, 'inbox'>,
  {
    beforeNotice,
    stopping = new AbortController(),
    ...options
  }: Partial<RecoverCommandsOptions> & {
    beforeNotice?: (notice: Notice) => void;
    stopping?: AbortController;
  } = {},
) {
  const log = createMemoryLog();
  const notices: Notice[] = [];
  const received: IncomingMessage[] = [];
  const closing = stopping.signal;
  const scheduler = openScheduler({
    inbox,
    closing,
    log,
    command: (...given) => recover(...given),
  });
  const recover = createRecoverCommand({
    journal: createCommandJournal({ inbox, rows: scheduler, closing, log }),
    names: commandNames({ prefix: 'kb-' }),
    tools: {
      // Only watches ask the service.
      client: {} as RecoverCommandsOptions['tools']['client'],
      gaps: {} as RecoverCommandsOptions['tools']['gaps'],
      threads: {} as RecoverCommandsOptions['tools']['threads'],
      async notify(_, notice) {
        beforeNotice?.(notice);
        notices.push(notice);
      },
      sleep: async (_ms, signal) => signal?.throwIfAborted(),
      monotonicMs: () => 0,
    },
    openThread: () => undefined,
    receive: async (message) => void received.push(message),
    log,
    signal: closing,
    ...options,
  });
  await scheduler.start();
  scheduler.connected('fake');
  await scheduler.idle();
  stopping.abort();
  const { rows } = await inbox.claimDue(Infinity);
  const logged = log.lines.map(({ message }) => message);
  return { notices, received, left: rows.map(({ id }) => id), logged };
}

test('whoever gave a command is told directly, in their language, and once', async () => {
  const store = await storeOf({
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
  await restart(await storeOf({ a: { ...cutOff, shown } }), { openThread: () => thread });
  const texts = thread.visible();
  expect(texts).toHaveLength(2);
  expect(texts[0]).toContain('I was restarted while');
  expect(texts[1]).not.toContain('of it');
});

test('who can’t be told directly is mentioned where they gave the command', async () => {
  const refuse = ({ to }: Notice) => {
    if ('person' in to) throw new PlatformError('forbidden', 'channel_hidden');
  };
  const { notices, left } = await restart(await storeOf({ a: cutOff }), {
    beforeNotice: refuse,
  });
  expect(notices).toEqual([expect.objectContaining({ to: { channel: 'C' }, people: ['U1'] })]);
  expect(left).toEqual([]);
});

test('a platform that is in trouble is tried again', async () => {
  let failures = 0;
  const { notices } = await restart(await storeOf({ a: cutOff }), {
    beforeNotice() {
      if ((failures += 1) < 8) throw new PlatformError('failed', 'answer_expired');
    },
  });
  expect(notices).toEqual([expect.objectContaining({ to: { person: 'U1' } })]);
});

test('what a start can’t tell before it stops, the next one tells', async () => {
  const stopping = new AbortController();
  const store = await storeOf({ a: cutOff });
  const first = await restart(store, {
    stopping,
    beforeNotice() {
      stopping.abort();
      throw new PlatformError('failed', 'answer_expired');
    },
  });
  expect(first.left).toEqual(['a']);
  expect((await restart(store)).notices).toHaveLength(1);
});

test('where nothing can be stored nobody is told, again and again', async () => {
  const { inbox } = await storeOf({ a: cutOff });
  const { notices, left } = await restart({ inbox: { ...inbox, update: refuseAll } });
  expect(notices).toEqual([]);
  expect(left).toEqual(['a']);
});

test('after a week nobody is told', async () => {
  const week = 7 * 24 * 60 * 60 * 1000;
  const { notices, left } = await restart(await storeOf({ a: cutOff }, week + 1));
  expect(notices).toEqual([]);
  expect(left).toEqual([]);
});

test('rows that can’t be read, and those of a platform that is gone, keep nobody waiting', async () => {
  const elsewhere = { ...cutOff, platform: 'elsewhere' };
  const rows = { broken: null, older: { command: 'source' }, elsewhere, a: cutOff };
  const { notices, left, logged } = await restart(await storeOf(rows));
  expect(notices).toHaveLength(1);
  expect(left).toEqual(['elsewhere']);
  expect(logged.join('\n')).toContain('kept until their platform is configured again');
  expect(logged.filter((line) => line.includes('can’t be read'))).toHaveLength(2);
});

test('a question that was posted is handed to the core, one that was not is asked for', async () => {
  const thread = createFakeThread();
  const asked = { id: '7', text: 'Why?', addressed: 'mention', thread: thread.address };
  const ask = { ...cutOff, command: 'ask', action: undefined };
  const { received, notices, left } = await restart(
    await storeOf({ posted: { ...ask, asked }, lost: ask }),
    { openThread: () => thread },
  );
  const author = expect.objectContaining({ id: 'U1', locale: 'en-US' });
  expect(received).toEqual([expect.objectContaining({ id: '7', text: 'Why?', author, thread })]);
  expect(notices).toEqual([
    expect.objectContaining({ markdown: expect.stringContaining('please ask again') }),
  ]);
  expect(left).toEqual([]);
});
