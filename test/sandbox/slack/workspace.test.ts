import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClock } from '../clock.ts';
import { createClient, serveWorkspace } from './serve-workspace.ts';

test('a workspace starts with people, channels and direct messages', async () => {
  await using served = await serveWorkspace();
  const { slack, ada } = served;
  const people = slack.users().filter(({ isBot, name }) => !isBot && name !== 'slackbot');
  expect(people.map(({ realName, isAdmin }) => [realName, isAdmin])).toEqual([
    ['Ada Lovelace', true],
    ['Grace Hopper', false],
    ['Linus Torvalds', false],
    ['Konrad Zuse', false],
  ]);
  expect(slack.channels().filter(({ kind }) => kind === 'im')).toHaveLength(4);
  expect(slack.direct(ada).members).toEqual([ada, slack.bot.user]);
  expect(slack.credentials.botToken).toMatch(/^xoxb-/);
  expect(slack.credentials.appToken).toMatch(/^xapp-1-/);
});

test('a second start finds the workspace unchanged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slack-'));
  const database = join(folder, 'sandbox.sqlite');
  const clock = createClock();
  try {
    const before = await serveWorkspace({ database, ...clock });
    const { ada, help } = before;
    const { botToken, appToken, signingSecret } = before.slack.credentials;
    const file = { name: 'kept.txt', bytes: Buffer.from('kept') };
    const root = await before.slack.say({ user: ada, channel: help, text: 'one', files: [file] });
    before.slack.edit({ channel: help, ts: root.ts, text: 'two' });
    await createClient(before.slack).chat.postMessage({
      channel: help,
      thread_ts: root.ts,
      text: 'reply',
    });
    const messages = before.slack.messages(help, root.ts);
    await before[Symbol.asyncDispose]();

    await using after = await serveWorkspace({ database, ...clock });
    expect(after.slack.credentials).toMatchObject({ botToken, appToken, signingSecret });
    expect(after.slack.messages(help, root.ts)).toEqual(messages);
    expect(after.slack.revisions(help, root.ts)).toEqual(['one', 'two']);
    const kept = after.slack.file(root.files?.[0]?.id ?? '');
    expect(await new Response(kept?.bytes).text()).toBe('kept');

    const later = await after.slack.say({ user: ada, channel: help, text: 'later' });
    expect(messages.map(({ ts }) => ts)).not.toContain(later.ts);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('waitForMessage finds a message in its place that exists already or comes later', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help, general } = served;
  const root = await slack.say({ user: ada, channel: help, text: 'root' });
  const isFinal = ({ text }: { text: string }) => text === 'final';
  const coming = slack.waitForMessage({ channel: help, thread: root.ts }, isFinal);
  await slack.say({ user: ada, channel: general, text: 'final' });
  await slack.say({ user: ada, channel: help, text: 'final' });
  const reply = await slack.say({ user: ada, channel: help, thread: root.ts, text: 'first' });
  slack.edit({ channel: help, ts: reply.ts, text: 'final' });
  expect((await coming).ts).toBe(reply.ts);
  const there = await slack.waitForMessage({ channel: help, thread: root.ts }, isFinal);
  expect(there.ts).toBe(reply.ts);
});

test('timestamps are never the same twice, even within a millisecond', async () => {
  const clock = createClock();
  await using served = await serveWorkspace(clock);
  const { slack, ada, help } = served;
  const said: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    said.push((await slack.say({ user: ada, channel: help, text: `${count}` })).ts);
  }
  expect(new Set(said).size).toBe(20);
  expect(said).toEqual(said.toSorted());
  expect(said[0]).toMatch(/^\d{10}\.\d{6}$/);
});

test('a channel keeps its last 10,000 messages', async () => {
  await using served = await serveWorkspace();
  const { slack, records, ada, help, general } = served;
  await slack.say({ user: ada, channel: general, text: 'elsewhere' });
  const first = await slack.say({ user: ada, channel: help, text: 'first' });
  for (let count = 1; count < 10_000; count += 1) {
    const ts = `${count}`;
    records.put('slack.message', `${help}:${ts}`, { ...first, ts, text: ts }, help);
  }
  expect(slack.messages(help)[0]?.text).toBe('first');

  await slack.say({ user: ada, channel: help, text: 'last' });
  const kept = slack.messages(help);
  expect(kept).toHaveLength(10_000);
  expect([kept[0]?.text, kept.at(-1)?.text]).toEqual(['1', 'last']);
  expect(slack.revisions(help, first.ts)).toEqual([]);
  expect(slack.messages(general)).toHaveLength(1);
});

test('a person can only do what they could do in Slack', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, grace, help } = served;
  const say = (saying: object) => slack.say({ user: ada, channel: help, text: 'x', ...saying });
  await expect(say({ channel: 'C000' })).rejects.toThrow('no channel C000');
  await expect(say({ user: 'U000' })).rejects.toThrow('no user U000');
  await expect(say({ user: slack.bot.user })).rejects.toThrow('is a bot');
  await expect(say({ channel: slack.direct(grace).id })).rejects.toThrow('is not in the channel');
  await expect(say({ thread: '1.000001' })).rejects.toThrow('no thread 1.000001');
  await expect(say({ text: ' ' })).rejects.toThrow('needs a text or a file');
  await expect(say({ text: 'x'.repeat(12_001) })).rejects.toThrow('at most 12000 characters');
  const own = await createClient(slack).chat.postMessage({ channel: help, text: 'own' });
  expect(() => slack.edit({ channel: help, ts: String(own.ts), text: 'x' })).toThrow("the app's");
});
