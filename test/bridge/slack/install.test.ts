import { describe, expect, test, vi } from 'vitest';
import type { InstallationRecord } from '../../../src/bridge/slack/installations.ts';
import { startMany } from './start-many.ts';

describe('a workspace that installs the app', () => {
  test('is sent to Slack with the scopes, and told afterwards what was granted', async () => {
    await using many = await startMany();
    const begun = await many.browse('/slack/install');
    expect(begun.status).toBe(302);
    const url = new URL(begun.headers.get('location') ?? '');
    expect(url.origin).toBe(new URL(many.slack.url).origin);
    expect(url.searchParams.get('client_id')).toBe('1.2');
    expect(url.searchParams.get('scope')).toContain('chat:write');
    expect(begun.headers.get('set-cookie')).toContain('HttpOnly');
    const page = await many.install('T1');
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain('Causeway is installed in Team &#60;T1&#62;');
    expect(text).toContain('<code>chat:write</code>');
    expect(text).not.toContain('xoxb');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await many.core.joins.next()).toEqual({ workspaces: [] });
    expect(await many.core.joins.next()).toEqual({ workspaces: ['T1'] });
  });

  test('is told in German where the browser asks for it', async () => {
    await using many = await startMany();
    const headers = { 'accept-language': 'de-AT,de;q=0.9' };
    const page = await many.browse('/slack/oauth_redirect?error=access_denied', headers);
    expect(await page.text()).toContain('Causeway wurde nicht installiert');
  });

  test('is told that it cancelled', async () => {
    await using many = await startMany();
    const page = await many.browse('/slack/oauth_redirect?error=access_denied&state=x');
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('You cancelled.');
    expect(many.installations.size).toBe(0);
  });

  test.each([
    ['another person’s state', { state: 'of-somebody-else' }],
    ['no state', { state: '' }],
    ['no code', { code: '' }],
  ])('with %s is not installed, and Slack is not asked', async (_, query) => {
    await using many = await startMany();
    const page = await many.install('T1', query);
    expect(page.status).toBe(400);
    expect(await page.text()).toContain('Start again');
    expect(many.slack.calls).toEqual([]);
    expect(many.installations.size).toBe(0);
  });

  test('in another browser than it began in is not installed', async () => {
    await using many = await startMany();
    const begun = await many.browse('/slack/install');
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const page = await many.browse(
      `/slack/oauth_redirect?code=T1&state=${encodeURIComponent(state)}`,
    );
    expect(page.status).toBe(400);
    expect(many.slack.calls).toEqual([]);
  });

  test('is told what Slack refuses, and no secret is logged', async () => {
    const refused = { ok: false, error: 'invalid_code' };
    await using many = await startMany({
      answer: ({ method }) => (method === 'oauth.v2.access' ? refused : undefined),
    });
    const page = await many.install('T-secret-code');
    expect(page.status).toBe(400);
    expect(await page.text()).toContain('Slack refused it (invalid_code).');
    expect(JSON.stringify(many.log.lines)).not.toMatch(/client-secret|secret-code|state-secret/);
  });

  test('by anything but a GET is refused', async () => {
    await using many = await startMany();
    const { url } = await many.browse('/slack/install');
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });
});

describe('a workspace that has installed the app', () => {
  test('is served with its own token, and others are not', async () => {
    await using many = await startMany();
    await many.install('T1');
    await many.install('T2');
    await many.say('T1', { text: '<@UBOTT1> hello', ts: '1.000' });
    const first = await many.core.messages.next();
    await many.say('T2', { text: '<@UBOTT2> hello', ts: '1.000' });
    const second = await many.core.messages.next();
    expect(first.thread.address.workspace).toBe('T1');
    expect(first.author.name).toBe('xoxb-T1');
    expect(second.thread.address.workspace).toBe('T2');
    await second.thread.post({ markdown: 'Hi' });
    const posts = many.slack.calls.filter(({ method }) => method === 'chat.postMessage');
    expect(posts.map(({ token }) => token)).toEqual(['xoxb-T2']);
    expect(await many.say('T3', { text: '<@UBOTT3> hello', ts: '1.000' })).toBe(200);
    await many.say('T1', { text: '<@UBOTT1> again', ts: '2.000' });
    expect((await many.core.messages.next()).thread.address.workspace).toBe('T1');
    expect(many.core.messages.all).toHaveLength(3);
  });

  test('is found again after a restart', async () => {
    await using before = await startMany();
    await before.install('T1');
    await using many = await startMany({ installations: before.installations });
    expect(await many.core.joins.next()).toEqual({ workspaces: ['T1'] });
    await many.say('T1', { text: '<@UBOTT1> hello', ts: '1.000' });
    expect((await many.core.messages.next()).author.name).toBe('xoxb-T1');
  });

  test('is served no more after it removed the app, until it installs it again', async () => {
    await using many = await startMany();
    await many.install('T1');
    const thread = many.platform.thread({
      platform: 'slack',
      workspace: 'T1',
      channel: 'C1',
      thread: '1.000',
    });
    await many.say('T1', { type: 'app_uninstalled' });
    expect(many.core.lefts).toEqual(['T1']);
    await many.say('T1', { type: 'tokens_revoked', tokens: { bot: ['UBOTT1'] } });
    expect(many.core.lefts).toEqual(['T1']);
    await many.say('T1', { text: '<@UBOTT1> hello', ts: '1.000' });
    const calls = many.slack.calls.length;
    await expect(thread.post({ markdown: 'Hi' })).rejects.toMatchObject({ kind: 'forbidden' });
    expect(many.slack.calls).toHaveLength(calls);
    await many.install('T1');
    await many.say('T1', { text: '<@UBOTT1> hello', ts: '2.000' });
    expect((await many.core.messages.next()).id).toBe('2.000');
  });

  test('stays when only a person’s token is revoked, or when the event is older than the installation', async () => {
    await using many = await startMany();
    await many.install('T1');
    await many.say('T1', { type: 'tokens_revoked', tokens: { oauth: ['U1'] } });
    await many.say('T1', { type: 'app_uninstalled' }, { event_time: 1_000 });
    expect(many.core.lefts).toEqual([]);
    await many.say('T1', { text: '<@UBOTT1> hello', ts: '1.000' });
    expect((await many.core.messages.next()).id).toBe('1.000');
  });

  test('and removed the app is forgotten after the retention', async () => {
    await using many = await startMany({ retentionMs: 60_000 });
    await many.install('T1');
    await many.install('T2');
    await many.say('T1', { type: 'app_uninstalled' });
    await many.platform.keepUp?.();
    expect(many.forgotten).toEqual([]);
    const removed = many.installations.get('T:T1');
    if (removed) many.installations.set('T:T1', { ...removed, removedAt: Date.now() - 61_000 });
    await using later = await startMany({ installations: many.installations, retentionMs: 60_000 });
    await later.platform.keepUp?.();
    expect(later.forgotten).toEqual(['T1']);
    expect([...later.installations.keys()]).toEqual(['T:T2']);
  });

  test('and installs it again while others are forgotten stays', async () => {
    const removed = { retentionMs: 60_000, installations: new Map<string, InstallationRecord>() };
    await using before = await startMany(removed);
    for (const team of ['T1', 'T2']) await before.install(team);
    for (const [key, record] of removed.installations) {
      removed.installations.set(key, { ...record, removedAt: Date.now() - 61_000 });
    }
    const again = async () => void (await many.install('T2'));
    await using many = await startMany({ ...removed, onForgotten: again });
    await many.platform.keepUp?.();
    expect(many.forgotten).toEqual(['T1']);
    expect([...many.installations.keys()]).toEqual(['T:T2']);
    await many.say('T2', { text: '<@UBOTT2> hello', ts: '1.000' });
    expect((await many.core.messages.next()).thread.address.workspace).toBe('T2');
  });

  test('whose token Slack refuses ends alone, and the log names it', async () => {
    await using many = await startMany({
      answer: ({ method, token }) =>
        method === 'chat.postMessage' && token === 'xoxb-T1'
          ? { ok: false, error: 'token_revoked' }
          : undefined,
    });
    await many.install('T1');
    await many.install('T2');
    const at = (workspace: string) =>
      many.platform.thread({ platform: 'slack', workspace, channel: 'C1', thread: '1.000' });
    await expect(at('T1').post({ markdown: 'Hi' })).rejects.toMatchObject({ kind: 'forbidden' });
    await at('T2').post({ markdown: 'Hi' });
    expect(many.platform.isConnected).toBe(true);
    expect(many.log.lines).toContainEqual({
      level: 'error',
      fields: { installation: 'T:T1', name: 'Team <T1>', refused: 'token_revoked' },
      message: 'Slack refuses the token of a workspace',
    });
  });
});

test('a workspace whose token can’t be decrypted is not said to be refused by Slack', async () => {
  await using before = await startMany();
  for (const team of ['T1', 'T2']) await before.install(team);
  const { sealed = '' } = before.installations.get('T:T2') ?? {};
  const own = before.installations.get('T:T1');
  if (own) before.installations.set('T:T1', { ...own, sealed });
  await using many = await startMany({ installations: before.installations });
  const address = { platform: 'slack', workspace: 'T1', channel: 'C1', thread: '1.000' };
  const thread = many.platform.thread(address);
  await expect(thread.post({ markdown: 'Hi' })).rejects.toMatchObject({ kind: 'forbidden' });
  expect(many.log.lines.map(({ message }) => message)).not.toContain(
    'Slack refuses the token of a workspace',
  );
  expect(many.installations.get('T:T1')).not.toHaveProperty('refused');
});

describe('an organisation that installs the app', () => {
  const ofOrg = {
    authorizations: [{ team_id: null, enterprise_id: 'E1', is_enterprise_install: true }],
    enterprise_id: 'E1',
  };

  test('has each of its workspaces join with its first event', async () => {
    await using many = await startMany();
    await many.install('E1');
    await many.core.joins.next();
    const others = { ...ofOrg, context_team_id: 'T7', team_id: 'T7' };
    await many.say('T7', { text: '<@UBOTE1> hello', ts: '1.000' }, others);
    expect(await many.core.joins.next()).toEqual({ workspaces: ['T7'] });
    const message = await many.core.messages.next();
    expect(message.thread.address.workspace).toBe('T7');
    expect(message.author.name).toBe('xoxb-E1');
    await many.say('T7', { text: '<@UBOTE1> again', ts: '2.000' }, others);
    await many.core.messages.next();
    expect(many.core.joins.all).toHaveLength(2);
    await using later = await startMany({ installations: many.installations });
    expect(await later.core.joins.next()).toEqual({ workspaces: ['T7'] });
  });

  test('serves a workspace that has removed its own installation as that workspace', async () => {
    await using many = await startMany();
    await many.install('E1');
    await many.install('T7');
    await many.say('T7', { text: '<@UBOTT7> hi', ts: '1.000' });
    await many.core.messages.next();
    await many.say('T7', { type: 'app_uninstalled' });
    const others = { ...ofOrg, context_team_id: 'T7' };
    await many.say('T7', { text: '<@UBOTE1> hi', ts: '2.000', user: 'U2' }, others);
    await many.core.messages.next();
    const asked = many.slack.calls.filter(({ token }) => token === 'xoxb-E1');
    expect(asked.map(({ method }) => method)).toContain('users.info');
    // With the token of an organisation, Slack has to be told which workspace is meant.
    const elsewhere = asked.filter(
      ({ method, params }) => method !== 'auth.test' && !params['team_id'],
    );
    expect(elsewhere).toEqual([]);
  });

  test('takes workspaces out, which are forgotten after the retention unless they come back', async () => {
    await using many = await startMany({ retentionMs: 60_000 });
    await many.install('E1');
    const say = (team: string, ts: string) =>
      many.say(team, { text: '<@UBOTE1> hi', ts }, { ...ofOrg, context_team_id: team });
    for (const team of ['T7', 'T8', 'T9']) await say(team, '1.000');
    const access = (type: string, teams: string[]) =>
      many.say('E1', { type, team_ids: teams }, { ...ofOrg, team_id: null });
    await access('team_access_revoked', ['T7', 'T8']);
    await access('team_access_revoked', ['T7', 'T8']);
    await access('team_access_granted', ['T8', 'T10']);
    await many.platform.keepUp?.();
    expect(many.forgotten).toEqual([]);
    expect((await many.core.joins.next()).workspaces).toEqual([]);
    const joins = many.core.joins.all.slice(1).flatMap(({ workspaces }) => workspaces);
    expect(joins).toEqual(['T7', 'T8', 'T9', 'T8']);
    const later = vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    try {
      await many.platform.keepUp?.();
      await many.platform.keepUp?.();
    } finally {
      later.useRealTimers();
    }
    expect(many.forgotten).toEqual(['T7']);
    expect(many.installations.get('E:E1')).toMatchObject({ teams: ['T9', 'T8'], excluded: [] });
  });

  test('leaves with all of its workspaces, but not those with an installation of their own', async () => {
    await using many = await startMany();
    await many.install('E1');
    for (const team of ['T7', 'T8']) {
      await many.say(
        team,
        { text: '<@UBOTE1> hi', ts: '1.000' },
        { ...ofOrg, context_team_id: team },
      );
    }
    await many.install('T8');
    await many.say('E1', { type: 'app_uninstalled' }, { ...ofOrg, authorizations: undefined });
    expect(many.core.lefts).toEqual(['T7']);
  });
});

describe('in a channel that two workspaces share', () => {
  const shared = { is_ext_shared_channel: true };

  async function startShared() {
    const many = await startMany();
    await many.install('T1');
    await many.install('T2');
    const hear = async (team: string, event: object) => {
      await many.say(team, event, { ...shared, context_team_id: team });
      return (await many.core.messages.next()).thread.address.workspace;
    };
    return { many, hear };
  }

  test('the bot that is mentioned answers, whichever workspace the event came for', async () => {
    const { many, hear } = await startShared();
    await using _ = many;
    expect(await hear('T1', { text: '<@UBOTT2> hi', ts: '1.000' })).toBe('T2');
    expect(await hear('T2', { text: '<@UBOTT2> hi', ts: '1.000' })).toBe('T2');
    expect(await hear('T2', { text: '<@UBOTT1> hi', ts: '2.000' })).toBe('T1');
  });

  test('without a mention, the one that spoke first in the thread answers, or else the one of the event', async () => {
    const { many, hear } = await startShared();
    await using _ = many;
    expect(await hear('T1', { text: '<@UBOTT2> hi', ts: '1.000' })).toBe('T2');
    const reply = { text: 'and now?', thread_ts: '1.000' };
    expect(await hear('T1', { ...reply, ts: '2.000' })).toBe('T2');
    expect(await hear('T1', { ...reply, ts: '3.000', text: '<@UBOTT1> and you?' })).toBe('T1');
    expect(await hear('T1', { ...reply, ts: '4.000' })).toBe('T2');
    expect(await hear('T1', { text: 'Hello', ts: '5.000' })).toBe('T1');
    await many.say('T2', { type: 'app_uninstalled' });
    expect(await hear('T1', { ...reply, ts: '6.000' })).toBe('T1');
  });

  test('a mention of a bot that is not in the channel changes nothing', async () => {
    await using many = await startMany({
      answer: ({ method, token }) =>
        method === 'conversations.info' && token === 'xoxb-T2'
          ? { ok: false, error: 'channel_not_found' }
          : undefined,
    });
    await many.install('T1');
    await many.install('T2');
    await many.say('T1', { text: '<@UBOTT2> hi', ts: '1.000' }, shared);
    expect((await many.core.messages.next()).thread.address.workspace).toBe('T1');
  });

  test('a mention waits for Slack to say whether the bot is in the channel', async () => {
    let refusals = 1;
    await using many = await startMany({
      answer: ({ method, token }) =>
        method === 'conversations.info' && token === 'xoxb-T2' && refusals-- > 0
          ? { ok: false, error: 'ratelimited' }
          : undefined,
    });
    await many.install('T1');
    await many.install('T2');
    const mention = { text: '<@UBOTT2> hi', ts: '1.000' };
    // Slack delivers again what was not accepted.
    expect(await many.say('T1', mention, shared)).toBe(500);
    expect(await many.say('T1', mention, shared)).toBe(200);
    expect((await many.core.messages.next()).thread.address.workspace).toBe('T2');
  });

  test('a mention in a channel of one workspace never reaches another', async () => {
    const { many } = await startShared();
    await using _ = many;
    await many.say('T1', { text: '<@UBOTT2> hi', ts: '1.000' });
    expect((await many.core.messages.next()).thread.address.workspace).toBe('T1');
    expect(many.slack.calls.filter(({ token }) => token === 'xoxb-T2')).toHaveLength(1);
  });
});
