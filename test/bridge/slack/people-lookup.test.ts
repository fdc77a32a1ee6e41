import { webApi } from '@slack/bolt';
import { expect, test } from 'vitest';
import { isLostLease, underLease, withLease } from '../../../src/bridge/conversation/leases.ts';
import { createPeople } from '../../../src/bridge/slack/people.ts';
import { createUserGroups } from '../../../src/bridge/slack/user-groups.ts';
import { createLostLease } from '../../fixtures/lost-lease.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';

test('a stranger of another workspace causes no warning about a missing scope', async () => {
  await using served = await serveWorkspace();
  const { slack, ada } = served;
  const { botToken, apiUrl } = slack.credentials;
  const client = new webApi.WebClient(botToken, { slackApiUrl: apiUrl });
  const log = createMemoryLog();
  const groups = { of: async () => [] };
  const people = createPeople({
    client,
    workspace: () => slack.team.id,
    groups,
    log,
    now: () => 0,
  });
  slack.faults.inject({ method: 'users.info', times: 1, error: 'user_not_visible' });
  expect(await people.find('U0STRANGER')).toMatchObject({
    name: 'U0STRANGER',
    isManager: false,
    outsider: 'stranger',
  });
  expect(await people.find('U0NOBODY')).toMatchObject({ outsider: 'stranger' });
  expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  slack.faults.inject({ method: 'users.info', times: 1, error: 'missing_scope' });
  expect(await people.find(ada)).toMatchObject({
    name: ada,
    isManager: false,
    outsider: 'unknown',
  });
  const warned = log.lines.find(({ level }) => level === 'warn');
  expect(JSON.stringify(warned)).toContain('users:read');
});

test('a person is looked up every five minutes; if Slack does not answer, the last answer counts for an hour', async () => {
  await using served = await serveWorkspace();
  const { slack, ada } = served;
  const { botToken, apiUrl } = slack.credentials;
  let time = 0;
  let calls = 0;
  const client = new webApi.WebClient(botToken, {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    fetch: (url, init) => {
      calls += 1;
      return fetch(url, init);
    },
  });
  const log = createMemoryLog();
  const groups = { of: async () => [] };
  const people = createPeople({
    client,
    workspace: () => slack.team.id,
    groups,
    log,
    now: () => time,
  });

  slack.faults.inject({ method: 'users.info', times: 1, status: 500 });
  const unknown = { id: ada, name: ada, isManager: false, outsider: 'unknown', locale: 'en-US' };
  expect(await Promise.all([people.find(ada), people.find(ada)])).toEqual([unknown, unknown]);
  expect([calls, log.lines.filter(({ level }) => level === 'warn').length]).toEqual([1, 1]);

  time += 5_000;
  const known = {
    id: ada,
    name: 'Ada Lovelace',
    isManager: true,
    locale: 'en-GB',
    timeZone: 'Europe/London',
  };
  expect(await people.find(ada)).toEqual(known);
  time += 4 * 60_000;
  expect(await people.find(ada)).toEqual(known);
  expect(calls).toBe(2);
  time += 60_001;
  slack.faults.inject({ method: 'users.info', times: 1, retryAfter: 30 });
  expect(await people.find(ada)).toEqual(known);
  time += 29_999;
  expect(await people.find(ada)).toEqual(known);
  expect(calls).toBe(3);
  time += 1;
  expect(await people.find(ada)).toEqual(known);
  expect(calls).toBe(4);

  slack.faults.inject({ method: 'users.info', times: 2, status: 500 });
  time += 64 * 60_000;
  expect(await people.find(ada)).toEqual(known);
  time += 2 * 60_000;
  expect(await people.find(ada)).toEqual(unknown);
});

test('somebody is not taken for a stranger because the lease was lost, and is looked up again', async () => {
  await using served = await serveWorkspace();
  const { slack, ada } = served;
  const { botToken, apiUrl } = slack.credentials;
  const client = new webApi.WebClient(botToken, {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    fetch: (url, init) => fetch(url, { ...init, signal: underLease(init?.signal) }),
  });
  const log = createMemoryLog();
  const now = () => 0;
  const groups = createUserGroups({ client, log, now });
  const people = createPeople({ client, workspace: () => slack.team.id, groups, log, now });
  const lost = withLease(createLostLease('slack:T1'), () => people.find(ada));
  await expect(lost).rejects.toSatisfy(isLostLease);
  const known = await people.find(ada);
  expect([known.name, known.outsider, known.areGroupsUnknown]).toEqual([
    'Ada Lovelace',
    undefined,
    undefined,
  ]);
});
