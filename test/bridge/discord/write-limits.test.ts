import { REST } from 'discord.js';
import { expect, test } from 'vitest';
import { learnWriteLimits } from '../../../src/bridge/discord/write-limits.ts';
import { openServer } from './open-server.ts';

const usual = { writes: 5, windowMs: 5_000 };
const channel = '100000000000000001';
const message = '100000000000000002';

/** Discord, answering each call with the headers given to it. */
function createDiscord() {
  let answer: { status?: number; headers: Record<string, string> } = { headers: {} };
  const rest = new REST({
    retries: 0,
    rejectOnRateLimit: () => true,
    makeRequest: async () => Response.json({}, { status: answer.status ?? 200, ...answer }),
  }).setToken('token');
  const limits = learnWriteLimits(rest);
  const call = async (
    method: 'post' | 'patch',
    limit: number,
    remaining: number,
    after: number,
  ) => {
    answer.headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset-after': String(after),
    };
    const id = method === 'patch' ? `/${message}` : '';
    await rest[method](`/channels/${channel}/messages${id}`, { body: {} });
  };
  return {
    limits,
    call,
    async refuse() {
      answer = { status: 429, headers: { 'retry-after': '7', 'x-ratelimit-limit': '1' } };
      await rest.post(`/channels/${channel}/messages`, { body: {} }).catch(() => {});
    },
  };
}

test('an unknown channel has the usual limits', () => {
  const { limits } = createDiscord();
  expect(limits.of('post', channel)).toEqual(usual);
  expect(limits.of('edit', channel)).toEqual(usual);
});

test('a different limit is learnt for its channel and kind of write, and forgotten again', async () => {
  const { limits, call } = createDiscord();
  await call('patch', 3, 2, 9.97);
  expect(limits.of('edit', channel)).toEqual({ writes: 3, windowMs: 10_000 });
  expect(limits.of('post', channel)).toEqual(usual);
  expect(limits.of('edit', '100000000000000009')).toEqual(usual);
  await call('patch', 5, 4, 4.96);
  expect(limits.of('edit', channel)).toEqual(usual);
});

test('a window that has begun is taken to be at least as long as what is left of it', async () => {
  const { limits, call } = createDiscord();
  await call('post', 5, 2, 0.3);
  expect(limits.of('post', channel)).toEqual(usual);
  await call('post', 5, 1, 8);
  expect(limits.of('post', channel)).toEqual({ writes: 5, windowMs: 8_000 });
});

test('a refusal teaches nothing about the limit', async () => {
  const { limits, refuse } = createDiscord();
  await refuse();
  expect(limits.of('post', channel)).toEqual(usual);
});

test('a thread’s budgets are what Discord says of it', async () => {
  await using server = await openServer();
  const { heard } = await server.connect();
  await server.discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread } = await heard('Hello');
  await thread.post({ markdown: 'Hi' });
  const { channel: id } = thread.address;
  const { post, edit, working } = thread.budgets;
  expect(post).toEqual({ key: `discord:post:${id}`, ...usual, calls: 1, within: post.within });
  expect(edit).toEqual({ key: `discord:edit:${id}`, ...usual, within: post.within });
  expect(working).toEqual({ ...post.within, calls: 1 });
  expect(post.within?.key).toBe('discord:bot');
});
