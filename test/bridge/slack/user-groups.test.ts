import { webApi } from '@slack/bolt';
import { expect, test } from 'vitest';
import { createLookUp, createUserGroups } from '../../../src/bridge/slack/user-groups.ts';
import { createNames, createPeople } from '../../../src/bridge/slack/people.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';

async function serve() {
  const served = await serveWorkspace();
  const { slack } = served;
  const { botToken, apiUrl } = slack.credentials;
  const clock = { ms: 0 };
  const calls: string[] = [];
  const client = new webApi.WebClient(botToken, {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    fetch: (url, init) => {
      calls.push(new URL(String(url)).pathname.split('/').at(-1) ?? '');
      return fetch(url, init);
    },
  });
  const log = createMemoryLog();
  const options = { client, log, now: () => clock.ms };
  const groups = createUserGroups(options);
  const people = createPeople({ ...options, workspace: () => slack.team.id, groups });
  const names = createNames({ ...options, people, groups });
  return { served, slack, clock, calls, log, groups, people, names };
}

test('members of user groups are cached for five minutes, from one call', async () => {
  const { served, slack, clock, calls, groups, people } = await serve();
  await using _ = served;
  const { ada, grace } = served;
  const { id } = slack.saveUserGroup({ handle: 'editors', users: [grace] });
  expect(await Promise.all([groups.of(grace), groups.of(ada)])).toEqual([[id], []]);
  expect((await people.find(grace)).groups).toEqual([id]);
  expect((await people.find(ada)).groups).toBeUndefined();
  slack.saveUserGroup({ handle: 'editors', users: [ada] });
  expect(await groups.of(grace)).toEqual([id]);
  clock.ms += 5 * 60_000;
  expect(await groups.of(grace)).toEqual([]);
  expect(calls.filter((method) => method === 'usergroups.list')).toHaveLength(2);
});

test('if Slack refuses to list groups, nobody is in one, and the log says so once', async () => {
  const { served, slack, clock, log, groups, people } = await serve();
  await using _ = served;
  const { grace } = served;
  slack.saveUserGroup({ handle: 'editors', users: [grace] });
  slack.faults.inject({ method: 'usergroups.list', times: 2, error: 'missing_scope' });
  expect(await people.find(grace)).toMatchObject({ id: grace, name: 'Grace Hopper' });
  clock.ms += 60_000;
  expect(await groups.list()).toEqual([]);
  expect(await groups.of(grace)).toEqual([]);
  const told = log.lines.filter(({ message }) => message.includes('usergroups:read'));
  expect(told.map(({ level }) => level)).toEqual(['warn', 'debug']);
  clock.ms += 60_000;
  expect((await groups.list()).map(({ name }) => name)).toContain('@editors');
});

test('while Slack does not answer, everyone stays in their groups, which are unknown before', async () => {
  const { served, slack, clock, calls, groups, people } = await serve();
  await using _ = served;
  const { grace } = served;
  const { id } = slack.saveUserGroup({ handle: 'editors', users: [grace] });
  slack.faults.inject({ method: 'usergroups.list', times: 1, retryAfter: 1 });
  expect(await groups.of(grace)).toBeUndefined();
  expect(await people.find(grace)).toMatchObject({ areGroupsUnknown: true });
  clock.ms += 1_000;
  expect(await groups.of(grace)).toEqual([id]);
  clock.ms += 5 * 60_000;
  slack.faults.inject({ method: 'usergroups.list', times: 1, status: 500 });
  expect(await groups.of(grace)).toEqual([id]);
  expect(await groups.of(grace)).toEqual([id]);
  expect(calls.filter((method) => method === 'usergroups.list')).toHaveLength(3);
});

test('channels, people and groups have the names that Slack knows', async () => {
  const { served, slack, calls, names } = await serve();
  await using _ = served;
  const { ada } = served;
  const general = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
  const { id } = slack.saveUserGroup({ handle: 'editors', users: [] });
  expect(await names.nameOf('channel', general)).toBe('#general');
  expect(await names.nameOf('person', ada)).toBe('Ada Lovelace');
  expect(await names.nameOf('group', id)).toBe('@editors');
  expect(await names.groups()).toContainEqual({ id, name: '@editors' });
  expect(await names.nameOf('channel', 'C404')).toBeUndefined();
  expect(await names.nameOf('channel', slack.direct(ada).id)).toBeUndefined();
  expect(await names.nameOf('person', 'U404')).toBeUndefined();
  expect(await names.nameOf('group', 'S404')).toBeUndefined();
  const asked = calls.length;
  // An id of Discord's, as MANAGERS may hold one.
  expect(await names.nameOf('person', '80351110224678912')).toBeUndefined();
  expect(calls).toHaveLength(asked);
});

test('look-ups are cached, and the least recently used one is dropped', async () => {
  const asked: string[] = [];
  const lookUp = createLookUp(
    async (key) => {
      asked.push(key);
      return key.toUpperCase();
    },
    { freshMs: 1000, now: () => 0 },
  );
  for (let index = 0; index < 2_000; index += 1) await lookUp(`k${index}`);
  expect(await lookUp('k0')).toMatchObject({ value: 'K0', isFailed: false });
  await lookUp('k2000');
  await lookUp('k0');
  expect(asked).toHaveLength(2_001);
  await lookUp('k1');
  expect(asked).toHaveLength(2_002);
});
