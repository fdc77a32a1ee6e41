import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { expect, test } from 'vitest';
import { PlatformError } from '../../../src/bridge/conversation/errors.ts';
import { toPlatformError } from '../../../src/bridge/discord/errors.ts';
import { openServer } from './open-server.ts';

function refusal(code: number, status = 400): DiscordAPIError {
  const raw = { code, message: 'Refused' };
  return new DiscordAPIError(raw, code, status, 'POST', 'https://discord.com/secret', {
    body: {},
    files: [],
  });
}

test.each([
  [10003, 'gone'],
  [10008, 'gone'],
  [50083, 'uneditable'],
  [30046, 'uneditable'],
  [10062, 'uneditable'],
  [50027, 'uneditable'],
  [10015, 'uneditable'],
  [50001, 'forbidden'],
  [50013, 'forbidden'],
  [50007, 'forbidden'],
  [160005, 'forbidden'],
  [50035, 'refused'],
])('%i is %s', (code, kind) => {
  expect(toPlatformError(refusal(code))).toMatchObject({ kind });
});

test('a missing permission is named by the caller', () => {
  const error = toPlatformError(refusal(50013, 403), () => ({
    code: 'discord_permission_missing',
    params: { permission: 'Send Texts' },
  }));
  expect(error.message).toMatch('permission “Send Texts” here');
});

test('a refused token names its variable', () => {
  const error = toPlatformError(refusal(0, 401));
  expect(error).toMatchObject({
    kind: 'forbidden',
    message: expect.stringContaining('DISCORD_TOKEN'),
  });
});

const limited = {
  global: false,
  hash: 'h',
  limit: 5,
  majorParameter: '1',
  method: 'POST',
  retryAfter: 1_234,
  route: '/channels/:id/messages',
  scope: 'user' as const,
  sublimitTimeout: 0,
  timeToReset: 99,
  url: '',
};

test('a rate limit says when to try again', () => {
  const error = toPlatformError(new RateLimitError(limited));
  expect(error).toMatchObject({ kind: 'rate_limited', retryAfterMs: 1_234 });
});

test.each([Number.NaN, 0, -1])(
  'a rate limit that does not say so (%d) lasts a second',
  (retryAfter) => {
    const details = { ...limited, retryAfter };
    expect(toPlatformError(new RateLimitError(details))).toMatchObject({ retryAfterMs: 1_000 });
  },
);

test('trouble at Discord and lost connections may have been written', () => {
  const trouble = new HTTPError(502, 'Bad Gateway', 'POST', '', { body: {}, files: [] });
  expect(toPlatformError(trouble)).toMatchObject({ kind: 'failed' });
  expect(toPlatformError(refusal(130_000, 503))).toMatchObject({ kind: 'failed' });
  expect(toPlatformError(new Error('ECONNRESET'))).toMatchObject({ kind: 'failed' });
});

test('what is no answer of Discord’s reads as a sentence', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  const { thread } = await heard('Hello');
  const method = 'POST /channels/:channel/messages';
  discord.faults.inject({ method, times: 1, status: 404, html: '<h1>Not Found</h1>' });
  await expect(thread.post({ markdown: 'Hi' })).rejects.toMatchObject({
    kind: 'failed',
    message: 'Discord is having trouble (HTTP 404). Please try again in a moment.',
  });
});

test('a PlatformError is returned unchanged', () => {
  const error = new PlatformError('gone', 'message_gone');
  expect(toPlatformError(error)).toBe(error);
});
