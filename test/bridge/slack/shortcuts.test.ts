import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { CommandRunner, Invocation } from '../../../src/bridge/commands/invocation.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { renderManifest } from '../../../src/bridge/slack/manifest.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { exampleRunner } from './example-commands.ts';
import { createInbox } from '../../fixtures/inbox.ts';
import { startSlack } from './start-slack.ts';

const shortcut = 'causeway_shortcut_source_upload';

/** A workspace whose app has the shortcut; `ran` gets what the command was given. */
async function start(change: Partial<CommandRunner> = {}) {
  const served = await serveWorkspace();
  onTestFinished(() => served[Symbol.asyncDispose]());
  const { slack } = served;
  const ran = createInbox<Invocation>();
  const commands = {
    ...exampleRunner(async function* (invocation) {
      ran.put(invocation);
      yield 'Taught.';
    }),
    ...change,
  };
  slack.install(JSON.parse(renderManifest(commands, { mode: 'socket' })));
  served.use(await startSlack(slack, 'socket', { commands }));
  return { ...served, ran };
}

test('a message’s files open the form, which knows them, and are read when it is sent', async () => {
  const { slack, ada, help, ran } = await start();
  expect(slack.shortcuts()).toEqual([{ name: 'Add files as sources', callbackId: shortcut }]);
  const message = await slack.say({
    user: ada,
    channel: help,
    text: 'Read this',
    files: ['a.txt', 'b.md'].map((name) => ({ name, bytes: Buffer.from(`in ${name}`) })),
  });
  const opened = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.shortcut({ user: ada, channel: help, ts: message.ts, callbackId: shortcut });
  await opened;
  const form = slack.modals(ada)[0];
  expect(form?.blocks[0]).toMatchObject({
    type: 'section',
    text: { text: '• a.txt (8 B)\n• b.md (7 B)' },
  });
  expect(form?.blocks.slice(1).map(({ block_id: id }) => id)).toEqual(['title']);
  await slack.submit({ user: ada, view: form?.id ?? '', values: { title: 'Both' } });

  const { values, context } = await ran.next();
  const files = [values['file'] ?? []].flat().filter((file) => typeof file === 'object');
  const contents = await Promise.all(files.map((file) => text(file.read(context.signal))));
  expect(files.map(({ name }) => name)).toEqual(['a.txt', 'b.md']);
  expect(contents).toEqual(['in a.txt', 'in b.md']);
  expect(values['title']).toBe('Both');
});

test('a forwarded message has the files of the original', async () => {
  const { slack, ada, help, ran } = await start();
  const file = { name: 'a.txt', bytes: Buffer.from('in a.txt') };
  const { ts } = await slack.say({ user: ada, channel: help, files: [file] });
  const forwards = { channel: help, ts };
  const message = await slack.say({ user: ada, channel: help, text: 'Look', forwards });
  const opened = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.shortcut({ user: ada, channel: help, ts: message.ts, callbackId: shortcut });
  await opened;
  await slack.submit({ user: ada, view: slack.modals(ada)[0]?.id ?? '' });
  const { values, context } = await ran.next();
  const [forwarded] = [values['file'] ?? []].flat();
  expect(typeof forwarded === 'object' && (await text(forwarded.read(context.signal)))).toBe(
    'in a.txt',
  );
});

test('a result in a thread says there where its file is', async () => {
  const { slack, ada, help, ran } = await start();
  const root = await slack.say({ user: ada, channel: help, text: 'Here it comes' });
  const file = { name: 'a.txt', bytes: Buffer.from('a') };
  const message = await slack.say({ user: ada, channel: help, thread: root.ts, files: [file] });
  const opened = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.shortcut({ user: ada, channel: help, ts: message.ts, callbackId: shortcut });
  await opened;
  await slack.submit({ user: ada, view: slack.modals(ada)[0]?.id ?? '' });
  expect((await ran.next()).context.thread).toMatchObject({ channel: help, thread: root.ts });
  const place = { channel: help, thread: root.ts };
  await slack.waitForMessage(place, (told) => plainText(told) === 'Taught.');
});

/** What only this person was told. */
async function whispered(slack: Awaited<ReturnType<typeof start>>['slack'], user: string) {
  const told = await slack.waitFor((change) => change.kind === 'ephemeral' && change.user === user);
  return told.kind === 'ephemeral' ? told.message.text : '';
}

test('a message without files, or too many of them, opens nothing', async () => {
  const { slack, ada, help } = await start();
  const empty = await slack.say({ user: ada, channel: help, text: 'Nothing here' });
  const told = whispered(slack, ada);
  await slack.shortcut({ user: ada, channel: help, ts: empty.ts, callbackId: shortcut });
  expect(await told).toBe('This message has no files.');

  const files = Array.from({ length: 11 }, (_, index) => ({
    name: `${index}.txt`,
    bytes: Buffer.from('x'),
  }));
  const full = await slack.say({ user: ada, channel: help, files });
  const toldAgain = whispered(slack, ada);
  await slack.shortcut({ user: ada, channel: help, ts: full.ts, callbackId: shortcut });
  expect(await toldAgain).toBe('This message has 11 files; the limit is 10 at a time.');
  expect(slack.modals(ada)).toEqual([]);
});

test('people who may not use the command are told before they fill in the form', async () => {
  const { slack, grace, help } = await start({ mayUse: async () => false });
  const file = { name: 'a.txt', bytes: Buffer.from('a') };
  const message = await slack.say({ user: grace, channel: help, files: [file] });
  const told = whispered(slack, grace);
  await slack.shortcut({ user: grace, channel: help, ts: message.ts, callbackId: shortcut });
  expect(await told).toBe('Taught.');
  expect(slack.modals(grace)).toEqual([]);
});
