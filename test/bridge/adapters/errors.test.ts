import { webApi } from '@slack/bolt';
import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../../src/bridge/conversation/errors.ts';
import * as discord from '../../../src/bridge/discord/errors.ts';
import * as slack from '../../../src/bridge/slack/errors.ts';
import { openServer } from '../discord/open-server.ts';

function slackRefusal(error: string, rest: object = {}) {
  return new webApi.WebAPIPlatformError({ ok: false, error, ...rest });
}

function discordRefusal(code: number, status = 400) {
  const raw = { code, message: 'Refused' };
  const sent = { body: {}, files: [] };
  return new DiscordAPIError(raw, code, status, 'POST', 'https://discord.com/secret', sent);
}

function discordLimit(retryAfter: number) {
  return new RateLimitError({
    global: false,
    hash: 'h',
    limit: 5,
    majorParameter: '1',
    method: 'POST',
    retryAfter,
    route: '/channels/:id/messages',
    scope: 'user',
    sublimitTimeout: 0,
    timeToReset: 99,
    url: '',
  });
}

/** What a platform's library throws, and what it means. */
interface Thrown {
  platform: string;
  toPlatformError(this: void, error: unknown): PlatformError;
  refusals: { code: string | number; kind: string; error: unknown }[];
  refusedToken: unknown;
  variable: string;
  /** Rate limits, and for how many milliseconds they last. */
  limits: [error: unknown, ms: number][];
  trouble: unknown[];
}

const platforms: Thrown[] = [
  {
    platform: 'Slack',
    toPlatformError: (error) => slack.toPlatformError(error),
    refusals: (
      [
        ['message_not_found', 'gone'],
        ['channel_not_found', 'gone'],
        ['cant_update_message', 'uneditable'],
        ['edit_window_closed', 'uneditable'],
        ['is_archived', 'uneditable'],
        ['not_in_channel', 'forbidden'],
        ['restricted_action', 'forbidden'],
        ['token_revoked', 'forbidden'],
        ['team_access_not_granted', 'forbidden'],
        ['org_login_required', 'failed'],
        ['team_added_to_org', 'failed'],
        ['ratelimited', 'rate_limited'],
        ['msg_too_long', 'refused'],
        ['invalid_blocks', 'refused'],
        ['toString', 'refused'],
        ['internal_error', 'failed'],
        ['service_unavailable', 'failed'],
      ] as const
    ).map(([code, kind]) => ({ code, kind, error: slackRefusal(code) })),
    refusedToken: slackRefusal('invalid_auth'),
    variable: 'SLACK_BOT_TOKEN',
    limits: [
      [new webApi.WebAPIRateLimitedError(7), 7_000],
      [slackRefusal('ratelimited', { response_metadata: { retryAfter: 3 } }), 3_000],
      [slackRefusal('rate_limited'), 1_000],
      // A quota of the workspace.
      [slackRefusal('message_limit_exceeded'), 120_000],
    ],
    trouble: [
      new webApi.WebAPIHTTPError(502, 'Bad Gateway', {}),
      new webApi.WebAPIRequestError(new Error('ECONNRESET')),
      'text',
    ],
  },
  {
    platform: 'Discord',
    toPlatformError: (error) => discord.toPlatformError(error),
    refusals: (
      [
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
      ] as const
    ).map(([code, kind]) => ({ code, kind, error: discordRefusal(code) })),
    refusedToken: discordRefusal(0, 401),
    variable: 'DISCORD_TOKEN',
    limits: [
      [discordLimit(1_234), 1_234],
      // One that doesn't say how long it lasts.
      [discordLimit(Number.NaN), 1_000],
      [discordLimit(0), 1_000],
      [discordLimit(-1), 1_000],
    ],
    trouble: [
      new HTTPError(502, 'Bad Gateway', 'POST', '', { body: {}, files: [] }),
      discordRefusal(130_000, 503),
      new Error('ECONNRESET'),
    ],
  },
];

describe.each(platforms)('an error of $platform’s', ({ platform, toPlatformError, ...errors }) => {
  test.each(errors.refusals)('$code is $kind', ({ kind, error }) => {
    expect(toPlatformError(error)).toMatchObject({ name: 'PlatformError', kind });
  });

  test('that refuses the token names its variable', () => {
    const { kind, message } = toPlatformError(errors.refusedToken);
    expect([kind, message]).toEqual(['forbidden', expect.stringContaining(errors.variable)]);
  });

  test.each(errors.limits)('that is a rate limit says how long to wait (%#)', (error, ms) => {
    expect(toPlatformError(error)).toMatchObject({ kind: 'rate_limited', retryAfterMs: ms });
  });

  test.each(errors.trouble)(
    `${platform}’s trouble leaves open whether something was written (%#)`,
    (error) => {
      expect(toPlatformError(error)).toMatchObject({ kind: 'failed', cause: error });
    },
  );

  test('that is a PlatformError already stays as it is', () => {
    const error = new PlatformError('gone', 'message_gone');
    expect(toPlatformError(error)).toBe(error);
  });
});

test.each([
  ['missing_scope', { needed: 'chat:write', provided: 'commands' }, /chat:write.*reinstall/],
  ['not_in_channel', {}, /\/invite/],
])('%s of Slack’s says what to do', (code, rest, says) => {
  const { kind, message } = slack.toPlatformError(slackRefusal(code, rest));
  expect([kind, message]).toEqual(['forbidden', expect.stringMatching(says)]);
});

test('a permission that Discord misses is named by the caller', () => {
  const error = discord.toPlatformError(discordRefusal(50013, 403), () => ({
    code: 'discord_permission_missing',
    params: { permission: 'Send Messages' },
  }));
  expect(error.message).toMatch('permission “Send Messages” here');
});

describe('what is no answer of the platform’s reads as a sentence', () => {
  test('from Slack', () => {
    const page = slack.toPlatformError(slackRefusal('<html><title>404 Not Found</title></html>'));
    expect(page).toMatchObject({ kind: 'failed', message: expect.not.stringContaining('<') });
    const status = new webApi.WebAPIHTTPError(404, 'Not Found', {}, 'no such page');
    expect(slack.toPlatformError(status)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('404'),
    });
  });

  test('from Discord', async () => {
    await using server = await openServer();
    const { discord: sandbox } = server;
    const { heard } = await server.connect();
    await sandbox.say({ user: 'ada', channel: '@', content: 'Hello' });
    const { thread } = await heard('Hello');
    const method = 'POST /channels/:channel/messages';
    sandbox.faults.inject({ method, times: 1, status: 404, html: '<h1>Not Found</h1>' });
    await expect(thread.post({ markdown: 'Hi' })).rejects.toMatchObject({
      kind: 'failed',
      message: 'Discord is having trouble (HTTP 404). Please try again in a moment.',
    });
  });
});
