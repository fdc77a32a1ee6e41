import { webApi } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../../src/bridge/conversation/errors.ts';
import { toPlatformError } from '../../../src/bridge/slack/errors.ts';

function refusal(error: string, rest: object = {}) {
  return toPlatformError(new webApi.WebAPIPlatformError({ ok: false, error, ...rest }));
}

describe('what Slack refuses', () => {
  test.each([
    ['message_not_found', 'gone'],
    ['channel_not_found', 'gone'],
    ['cant_update_message', 'uneditable'],
    ['edit_window_closed', 'uneditable'],
    ['is_archived', 'uneditable'],
    ['not_in_channel', 'forbidden'],
    ['restricted_action', 'forbidden'],
    ['token_revoked', 'forbidden'],
    ['ratelimited', 'rate_limited'],
    ['msg_too_long', 'refused'],
    ['invalid_blocks', 'refused'],
    ['toString', 'refused'],
    ['internal_error', 'failed'],
    ['service_unavailable', 'failed'],
  ])('%s is %s', (code, kind) => {
    expect(refusal(code)).toMatchObject({ name: 'PlatformError', kind });
  });

  test('for a missing scope names it and how to fix it', () => {
    const { kind, message } = refusal('missing_scope', {
      needed: 'chat:write',
      provided: 'commands',
    });
    expect(kind).toBe('forbidden');
    expect(message).toMatch(/chat:write.*reinstall the app/);
  });

  test('for a missing membership says to invite the bot', () => {
    expect(refusal('not_in_channel').message).toContain('/invite');
  });

  test('for a refused token names the variable', () => {
    expect(refusal('invalid_auth').message).toContain('SLACK_BOT_TOKEN');
  });

  test('as a rate limit says how long to wait', () => {
    const limited = toPlatformError(new webApi.WebAPIRateLimitedError(7));
    expect(limited).toMatchObject({ kind: 'rate_limited', retryAfterMs: 7_000 });
    const inBody = refusal('ratelimited', { response_metadata: { retryAfter: 3 } });
    expect(inBody).toMatchObject({ kind: 'rate_limited', retryAfterMs: 3_000 });
    expect(refusal('rate_limited')).toMatchObject({ kind: 'rate_limited', retryAfterMs: 1_000 });
  });
});

test.each([
  ['an HTTP error', new webApi.WebAPIHTTPError(502, 'Bad Gateway', {})],
  ['a lost connection', new webApi.WebAPIRequestError(new Error('ECONNRESET'))],
  ['anything else', 'text'],
])('%s has failed, perhaps after it was written', (_, error) => {
  expect(toPlatformError(error)).toMatchObject({ kind: 'failed', cause: error });
});

test('what is not Slack’s own answer is trouble, and no sentence says what it was', () => {
  const page = refusal('<html><title>404 Not Found</title></html>');
  expect(page).toMatchObject({ kind: 'failed', message: expect.not.stringContaining('<') });
  const status = toPlatformError(new webApi.WebAPIHTTPError(404, 'Not Found', {}, 'no such page'));
  expect(status).toMatchObject({ kind: 'failed', message: expect.stringContaining('404') });
});

test('a PlatformError is returned unchanged', () => {
  const error = new PlatformError('gone', 'message_gone');
  expect(toPlatformError(error)).toBe(error);
});
