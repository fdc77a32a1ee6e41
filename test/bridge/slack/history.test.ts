import { expect, test } from 'vitest';
import type { HistoryLimit } from '../../../src/bridge/slack/history.ts';
import { createMemoryStore } from '../../fixtures/memory-store.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack } from './start-slack.ts';

/** The adapter in a thread of people with so many messages. */
async function openThread(messages: number, limitsHistory: boolean) {
  let later = 0;
  const now = () => Date.now() + later;
  await using parts = new AsyncDisposableStack();
  const { slack, ada, help } = parts.use(await serveWorkspace({ now }));
  const historyLimits = createMemoryStore<HistoryLimit>();
  const { next } = parts.use(await startSlack(slack, 'socket', { historyLimits, now }));
  slack.switches.limitsHistory = limitsHistory;
  const { ts: root } = await slack.say({ user: ada, channel: help, text: '1' });
  for (let n = 2; n <= messages; n += 1) {
    await slack.say({ user: ada, channel: help, thread: root, text: `${n}` });
    await next();
  }
  await next();
  const text = `<@${slack.bot.user}> why?`;
  await slack.say({ user: ada, channel: help, thread: root, text });
  const { id, thread } = await next();
  const open = parts.move();
  return {
    read: async (max = 50, where: 'thread' | 'channel' = 'thread') =>
      (await thread.readBefore?.(id, where, max))?.map((each) => each.text),
    limits: () => Array.fromAsync(historyLimits.entries()),
    workspace: slack.team.id,
    advance: (milliseconds: number) => void (later += milliseconds),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

test('of a thread with several pages, the newest messages are read', async () => {
  await using opened = await openThread(230, false);
  expect(await opened.read(3)).toEqual(['228', '229', '230']);
  expect(await opened.limits()).toEqual([]);
});

test('an app that gets 15 messages takes them, and notes its limit', async () => {
  await using opened = await openThread(20, true);
  expect(await opened.read()).toEqual(Array.from({ length: 15 }, (_, at) => `${at + 1}`));
  expect(await opened.limits()).toEqual([
    [`slack:${opened.workspace}`, { noticedAt: expect.any(Number) }],
  ]);
});

test('an app that may read once a minute notes its limit, and reads again a minute later', async () => {
  await using opened = await openThread(2, true);
  expect(await opened.read()).toEqual(['1', '2']);
  expect(await opened.limits()).toEqual([]);
  await expect(opened.read()).rejects.toMatchObject({ kind: 'rate_limited' });
  expect(await opened.limits()).toHaveLength(1);
  opened.advance(60_000);
  expect(await opened.read()).toEqual(['1', '2']);
});

test('the channel is read without its threads', async () => {
  await using opened = await openThread(3, false);
  expect(await opened.read(50, 'channel')).toEqual(['1']);
});
