import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { answerAuthorization, authorizationUrl } from './install-app.ts';
import { openSocket } from './open-socket.ts';
import { createClient, refusal, serveWorkspace } from './serve-workspace.ts';

type Served = Awaited<ReturnType<typeof serveWorkspace>>;

/** Installs the app in a workspace or an organisation; returns what it is granted. */
async function install({ slack }: Served, place: string) {
  const { clientId: client_id, clientSecret: client_secret } = slack.credentials;
  const scope = 'channels:read,chat:write,files:read,users:read';
  const { location } = await answerAuthorization(authorizationUrl(slack, { scope }), { place });
  const code = new URL(location).searchParams.get('code') ?? '';
  const redirect_uri = 'http://127.0.0.1:1/back';
  return createClient(slack, '').oauth.v2.access({ client_id, client_secret, redirect_uri, code });
}

function idsOf(workspace: SlackWorkspace) {
  const channel = workspace.channels().find(({ name }) => name === 'help')?.id ?? '';
  const user = workspace.users().find(({ name }) => name === 'ada')?.id ?? '';
  return { channel, user };
}

/** A socket of the app, and the payloads that come over it, without what was not asked for. */
async function listen({ slack }: Served) {
  const { socket, next, acknowledge } = await openSocket(slack);
  await next();
  return {
    /** The next payload of a type, such as `message` or `block_actions`. */
    async next(type: string): Promise<Record<string, unknown>> {
      for (;;) {
        const frame = await next();
        acknowledge(frame);
        const payload = frame.payload as Record<string, unknown>;
        const event = payload['event'] as { type: string } | undefined;
        if ((event?.type ?? payload['command'] ?? payload['type']) === type) return payload;
      }
    },
    [Symbol.asyncDispose]: async () => socket.terminate(),
  };
}

test('an organisation’s token works in all of its workspaces, and calls name the workspace', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  const north = slack.addWorkspace('North', 'Acme');
  const south = slack.addWorkspace('South', 'Acme');
  const { enterprise } = north.team;
  expect(south.team.enterprise).toEqual(enterprise);
  const granted = await install(served, enterprise?.id ?? '');
  expect(granted).toMatchObject({
    team: null,
    enterprise: { id: enterprise?.id, name: 'Acme' },
    is_enterprise_install: true,
  });
  const client = createClient(slack, granted.access_token);
  expect(await client.auth.test()).toMatchObject({
    team_id: enterprise?.id,
    enterprise_id: enterprise?.id,
    is_enterprise_install: true,
    user_id: granted.bot_user_id,
  });
  expect((await client.auth.teams.list({})).teams).toEqual([
    { id: north.team.id, name: 'North' },
    { id: south.team.id, name: 'South' },
  ]);

  const { channels } = await client.conversations.list({ team_id: south.team.id });
  expect(channels?.map(({ id }) => id)).toContain(idsOf(south).channel);
  expect((await refusal(client.conversations.list({}))).error).toBe('missing_argument');
  const foreign = client.conversations.list({ team_id: slack.team.id });
  expect((await refusal(foreign)).error).toBe('team_access_not_granted');
  await client.chat.postMessage({ channel: idsOf(south).channel, text: 'Hello, South' });
  expect(south.messages(idsOf(south).channel)).toMatchObject([{ text: 'Hello, South' }]);
  const { user: ada } = await client.users.info({ user: idsOf(north).user });
  expect(ada?.team_id).toBe(north.team.id);
  const elsewhere = client.users.info({ user: served.ada });
  expect((await refusal(elsewhere)).error).toBe('user_not_found');

  const again = answerAuthorization(authorizationUrl(slack), { place: north.team.id });
  expect((await again).status).toBe(400);
});

test('events, commands and interactions of an organisation say so, and workspaces join and leave it', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  const north = slack.addWorkspace('North', 'Acme');
  const enterprise = north.team.enterprise?.id ?? '';
  await install(served, enterprise);
  const south = slack.addWorkspace('South', 'Acme');
  expect(south.installation()).toBeUndefined();
  await using app = await listen(served);

  const granted = app.next('team_access_granted');
  slack.setAccess(south, true);
  expect(await granted).toMatchObject({
    team_id: enterprise,
    enterprise_id: enterprise,
    event: { team_ids: [south.team.id] },
  });
  const said = app.next('message');
  await south.say({ ...idsOf(south), text: 'hello' });
  expect(await said).toMatchObject({
    team_id: south.team.id,
    enterprise_id: enterprise,
    context_team_id: south.team.id,
    context_enterprise_id: enterprise,
    is_ext_shared_channel: false,
    authorizations: [
      { enterprise_id: enterprise, team_id: south.team.id, is_enterprise_install: true },
    ],
  });
  const run = app.next('/causeway');
  await south.command({ ...idsOf(south), command: '/causeway' });
  expect(await run).toMatchObject({
    team_id: south.team.id,
    enterprise_id: enterprise,
    enterprise_name: 'Acme',
    is_enterprise_install: 'true',
  });

  const left = app.next('team_access_revoked');
  slack.setAccess(south, false);
  expect(await left).toMatchObject({ event: { team_ids: [south.team.id] } });
  expect(south.installation()).toBeUndefined();
  const gone = app.next('app_uninstalled');
  north.uninstall();
  expect(await gone).toMatchObject({ team_id: enterprise, enterprise_id: enterprise });
});

test('a shared channel is told once, by the last workspace that joined with the app', async () => {
  await using served = await serveWorkspace();
  const { slack, help, ada } = served;
  const acme = slack.addWorkspace('Acme');
  await install(served, acme.team.id);
  await using app = await listen(served);
  let heard = app.next('message');
  const early = await slack.say({ user: ada, channel: help, text: 'from before' });
  await heard;
  slack.shareChannel(help, acme);
  const theirs = idsOf(acme).user;
  expect(acme.messages(help)).toMatchObject([{ ts: early.ts, text: 'from before' }]);

  heard = app.next('message');
  await slack.say({ user: ada, channel: help, text: 'ours' });
  const authorizations = [{ team_id: acme.team.id, user_id: acme.bot.user }];
  expect(await heard).toMatchObject({
    team_id: slack.team.id,
    context_team_id: slack.team.id,
    is_ext_shared_channel: true,
    authorizations,
    event: { channel: help, text: 'ours', team: slack.team.id },
  });
  // The next one is this message: nothing came twice.
  heard = app.next('message');
  const { ts } = await acme.say({ user: theirs, channel: help, text: `<@${slack.bot.user}> hi` });
  expect(await heard).toMatchObject({
    team_id: acme.team.id,
    context_team_id: slack.team.id,
    authorizations,
    event: { user: theirs, team: acme.team.id, ts },
  });
  expect(await app.next('app_mention')).toMatchObject({ authorizations, event: { ts } });
  expect(slack.users().find(({ id }) => id === theirs)).toMatchObject({ team: acme.team.id });
  expect(slack.message(help, ts)).toMatchObject({ user: theirs });

  await createClient(slack).chat.postMessage({ channel: help, thread_ts: ts, text: 'answer' });
  expect(acme.messages(help, ts)).toMatchObject([
    { reply_count: 1 },
    { text: 'answer', user: slack.bot.user },
  ]);
  const file = { name: 'plan.txt', bytes: Buffer.from('the plan') };
  const shared = await acme.say({ user: theirs, channel: help, files: [file] });
  const id = shared.files?.[0]?.id ?? '';
  const { file: found } = await createClient(slack).files.info({ file: id });
  const headers = { authorization: `Bearer ${slack.credentials.botToken}` };
  expect(await (await fetch(found?.url_private ?? '', { headers })).text()).toBe('the plan');

  acme.remove({ channel: help, ts: shared.ts });
  expect(slack.message(help, shared.ts)).toBeUndefined();
  const { channel } = await createClient(acme).conversations.info({ channel: help });
  expect(channel).toMatchObject({ is_ext_shared: true, conversation_host_id: slack.team.id });

  acme.uninstall();
  heard = app.next('app_mention');
  await acme.say({ user: theirs, channel: help, text: `<@${slack.bot.user}> and now?` });
  expect(await heard).toMatchObject({
    authorizations: [{ team_id: slack.team.id, user_id: slack.bot.user }],
    event: { user: theirs, user_team: acme.team.id },
  });
});

test('a second start finds all workspaces, and who installed the app', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slack-'));
  const database = join(folder, 'sandbox.sqlite');
  try {
    const before = await serveWorkspace({ database });
    const { slack } = before;
    const acme = slack.addWorkspace('Acme');
    slack.addWorkspace('North', 'Big');
    await install(before, acme.team.id);
    slack.uninstall();
    const { channel, ts } = await acme.say({ ...idsOf(acme), text: 'kept' });
    const { botToken, clientSecret } = acme.credentials;
    await before[Symbol.asyncDispose]();

    await using after = await serveWorkspace({ database });
    const [first, second, third] = after.slack.workspaces();
    expect(first?.installation()).toBeUndefined();
    expect(second?.credentials).toMatchObject({ botToken, clientSecret });
    expect(second?.message(channel, ts)).toMatchObject({ text: 'kept' });
    expect(third?.team).toMatchObject({ name: 'North', enterprise: { name: 'Big' } });
    expect(await createClient(after.slack, botToken).auth.test()).toMatchObject({ team: 'Acme' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
