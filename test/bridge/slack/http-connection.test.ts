import { expect, test } from 'vitest';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack } from './start-slack.ts';

test('only the first signed request is reported', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  const told: string[] = [];
  await using started = await startSlack(slack, 'http', { onSigned: () => told.push('signed') });
  expect(told).toEqual(['signed']);
  await slack.setRequestUrl(started.eventsUrl);
  expect(told).toEqual(['signed']);
});

test('a rate limit of events is acknowledged at once', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  await using started = await startSlack(slack, 'http');
  const minute = Math.floor(Date.now() / 60_000) * 60;
  const limited = { type: 'app_rate_limited', team_id: slack.team.id, minute_rate_limited: minute };
  const told = slack.deliveries.waitFor(({ state }) => state !== 'sent');
  slack.redeliver({ ...limited, token: 'XXYYZZ', api_app_id: 'A1' });
  expect(await told).toMatchObject({ state: 'acknowledged' });
  expect(started.log.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
});

test('a request that nobody signed is not reported', async () => {
  await using served = await serveWorkspace();
  const told: string[] = [];
  const { signingSecret } = served.slack.credentials;
  await using started = await startSlack(served.slack, 'http', {
    signingSecret: `not ${signingSecret}`,
    onSigned: () => told.push('signed'),
    isVerified: false,
  });
  const post = async (type: string, body: string) => {
    const headers = { 'content-type': type };
    return (await fetch(started.eventsUrl, { method: 'POST', headers, body })).status;
  };
  expect(await post('application/x-www-form-urlencoded', 'ssl_check=1')).toBe(200);
  expect(await post('application/json', '{"type":"url_verification"}')).toBe(401);
  await expect(served.slack.setRequestUrl(started.eventsUrl)).rejects.toThrow('http_error');
  expect(told).toEqual([]);
});
