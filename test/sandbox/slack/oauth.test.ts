import type { App } from '@slack/bolt';
import { expect, test } from 'vitest';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { createClock } from '../clock.ts';
import {
  answerAuthorization,
  authorizationUrl,
  installApp,
  openAuthorization,
} from './install-app.ts';
import { createClient, refusal, serveWorkspace } from './serve-workspace.ts';
import { startInstallableBot } from './start-installable-bot.ts';

type Served = Awaited<ReturnType<typeof serveWorkspace>>;

/** Answers mentions with the name of the workspace in whose name it may speak. */
function answerMentions(app: App): void {
  app.event('app_mention', async ({ event, say, client }) => {
    const { team } = await client.auth.test();
    await say({ text: `Hello from ${team}`, thread_ts: event.ts });
  });
}

/** Mentions the bot in #help of a workspace, and returns its answer. */
async function ask(workspace: SlackWorkspace) {
  const channel = workspace.channels().find(({ name }) => name === 'help')?.id ?? '';
  const user = workspace.users().find(({ name }) => name === 'ada')?.id ?? '';
  const text = `<@${workspace.bot.user}> where are you?`;
  const { ts: thread } = await workspace.say({ user, channel, text });
  return workspace.waitForMessage({ channel, thread }, ({ bot_id: bot }) => bot !== undefined);
}

/** Allows the app in a workspace, and returns the code that the app gets. */
async function allow({ slack }: Served, place: string) {
  const { location } = await answerAuthorization(authorizationUrl(slack), { place });
  return new URL(location).searchParams.get('code') ?? '';
}

function access({ slack }: Served, args: Record<string, string>) {
  const { clientId: client_id, clientSecret: client_secret } = slack.credentials;
  const redirect_uri = 'http://127.0.0.1:1/back';
  return createClient(slack, '').oauth.v2.access({
    client_id,
    client_secret,
    redirect_uri,
    ...args,
  });
}

test.each([{ sockets: false }, { sockets: true }])(
  'Bolt’s installer installs the app in two workspaces, and one connection serves both: $sockets',
  async ({ sockets }) => {
    await using served = await serveWorkspace();
    const { slack } = served;
    const other = slack.addWorkspace('Acme');
    expect(other.installation()).toBeUndefined();
    const bot = await startInstallableBot(slack, answerMentions, { sockets });
    served.use(bot);

    for (const { team } of [slack, other]) {
      expect((await installApp(bot.installUrl, { place: team.id })).status).toBe(200);
    }
    expect(bot.find(other.team.id)).toMatchObject({
      team: { id: other.team.id, name: 'Acme' },
      isEnterpriseInstall: false,
      tokenType: 'bot',
      bot: { id: other.bot.bot, userId: other.bot.user, token: other.credentials.botToken },
    });
    expect(await ask(slack)).toMatchObject({ text: 'Hello from Causeway Sandbox' });
    expect(await ask(other)).toMatchObject({ text: 'Hello from Acme', user: other.bot.user });
  },
);

test('the page names the permissions, and a person who cancels is sent back without a code', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  const acme = slack.addWorkspace('Acme <& Sons>');
  const { status, page } = await openAuthorization(authorizationUrl(slack));
  expect(status).toBe(200);
  for (const shown of ['chat:write', 'users:read', 'Acme &lt;&amp; Sons&gt;', acme.team.id]) {
    expect(page).toContain(shown);
  }
  const cancelled = { place: acme.team.id, decision: 'cancel' } as const;
  expect((await answerAuthorization(authorizationUrl(slack), cancelled)).location).toBe(
    'http://127.0.0.1:1/back?error=access_denied&state=kept',
  );
  const bot = await startInstallableBot(slack, answerMentions);
  served.use(bot);
  expect((await installApp(bot.installUrl, cancelled)).page).toBe(
    'slack_oauth_installer_authorization_error',
  );
  expect(bot.find(acme.team.id)).toBeUndefined();
  expect(acme.installation()).toBeUndefined();
});

test('a request that Slack would refuse gets a page that says why', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  slack.switches.redirectUrl = 'http://127.0.0.1:1/back';
  for (const [query, reason] of [
    [{ client_id: '1.2' }, 'client_id'],
    [{ scope: '' }, 'scope'],
    [{ redirect_uri: 'http://elsewhere.example/' }, 'redirect_uri'],
  ] as const) {
    const { status, page } = await openAuthorization(authorizationUrl(slack, query));
    expect([status, page]).toEqual([400, expect.stringContaining(reason)]);
  }
  const unknown = await answerAuthorization(authorizationUrl(slack), { place: 'T0' });
  expect(unknown).toEqual({ status: 400, location: '' });
  const foreign = await fetch(authorizationUrl(slack), {
    method: 'POST',
    headers: { origin: 'http://elsewhere.example' },
  });
  expect(foreign.status).toBe(403);
});

test('a code works once, within ten minutes, for the app and address that asked for it', async () => {
  const clock = createClock();
  await using served = await serveWorkspace(clock);
  const acme = served.slack.addWorkspace('Acme');
  const refused = async (args: Record<string, string>) => {
    const code = await allow(served, acme.team.id);
    return (await refusal(access(served, { code, ...args }))).error;
  };
  expect(await refused({ client_secret: 'wrong' })).toBe('bad_client_secret');
  expect(await refused({ client_id: 'wrong' })).toBe('invalid_client_id');
  expect(await refused({ redirect_uri: 'http://127.0.0.1:1/other' })).toBe('bad_redirect_uri');
  expect(await refused({ grant_type: 'password' })).toBe('invalid_grant_type');
  expect(await refused({ code: 'wrong' })).toBe('invalid_code');

  const late = await allow(served, acme.team.id);
  clock.advance(10 * 60_000);
  expect((await refusal(access(served, { code: late }))).error).toBe('invalid_code');

  const code = await allow(served, acme.team.id);
  const { access_token: token, ...granted } = await access(served, { code });
  expect(granted).toMatchObject({
    app_id: acme.bot.app,
    bot_user_id: acme.bot.user,
    scope: 'chat:write,users:read',
    team: { id: acme.team.id, name: 'Acme' },
    enterprise: null,
    is_enterprise_install: false,
  });
  expect(granted).not.toHaveProperty('refresh_token');
  expect((await createClient(acme, token).auth.test()).team_id).toBe(acme.team.id);
  expect((await refusal(access(served, { code }))).error).toBe('invalid_code');
});

test('a token that expires is renewed with its refresh token, which works once', async () => {
  const clock = createClock();
  await using served = await serveWorkspace(clock);
  const { slack } = served;
  slack.install({
    display_information: { name: 'Causeway' },
    settings: { token_rotation_enabled: true },
  });
  const acme = slack.addWorkspace('Acme');
  const first = await access(served, { code: await allow(served, acme.team.id) });
  expect(first).toMatchObject({ expires_in: 43_200 });
  const renew = (token = '') =>
    access(served, { grant_type: 'refresh_token', refresh_token: token });

  const second = await renew(first.refresh_token);
  expect(second).toMatchObject({ expires_in: 43_200, token_type: 'bot' });
  const introduce = (token = '') => createClient(slack, token).auth.test();
  expect((await refusal(introduce(first.access_token))).error).toBe('token_expired');
  expect((await refusal(renew(first.refresh_token))).error).toBe('invalid_refresh_token');
  expect((await introduce(second.access_token)).team).toBe('Acme');

  clock.advance(12 * 60 * 60_000);
  expect((await refusal(introduce(second.access_token))).error).toBe('token_expired');
  expect(await renew(second.refresh_token)).toMatchObject({ ok: true });
});

test('Bolt’s installer renews a token that expires within two hours', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  const acme = slack.addWorkspace('Acme');
  slack.switches.tokenLifetime = 3_600;
  const bot = await startInstallableBot(slack, answerMentions);
  served.use(bot);
  await installApp(bot.installUrl, { place: acme.team.id });
  const before = acme.credentials.botToken;
  const source = { teamId: acme.team.id, enterpriseId: undefined, isEnterpriseInstall: false };
  const { botToken } = await bot.installer.authorize(source);
  expect(botToken).not.toBe(before);
  expect((await createClient(acme, botToken).auth.test()).team).toBe('Acme');
  expect(bot.find(acme.team.id)?.bot?.token).toBe(acme.credentials.botToken);
});

test('a removed app hears of it, and of nothing else there, until it is installed again', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  const acme = slack.addWorkspace('Acme');
  const heard: string[] = [];
  const bot = await startInstallableBot(slack, (app) => {
    answerMentions(app);
    app.use(async ({ body, next }) => {
      const { event, team_id: team } = body as { event?: { type: string }; team_id: string };
      if (event?.type === 'app_uninstalled' || event?.type === 'tokens_revoked') {
        heard.push(`${event.type} ${team}`);
      }
      await next();
    });
  });
  served.use(bot);
  for (const { team } of [slack, acme]) await installApp(bot.installUrl, { place: team.id });
  const { botToken } = acme.credentials;
  const told = (count: number) =>
    slack.deliveries.waitFor(({ state }) => state === 'acknowledged' && heard.length === count);

  const revoked = told(1);
  expect(await createClient(acme).auth.revoke({ test: true })).toMatchObject({ revoked: false });
  expect(await createClient(acme).auth.revoke()).toMatchObject({ revoked: true });
  await revoked;
  expect((await refusal(createClient(acme, botToken).auth.test())).error).toBe('token_revoked');
  expect(heard).toEqual([`tokens_revoked ${acme.team.id}`]);

  await installApp(bot.installUrl, { place: acme.team.id });
  const { clientId: client_id, clientSecret: client_secret } = slack.credentials;
  const uninstalled = told(3);
  await createClient(acme).apps.uninstall({ client_id, client_secret });
  await uninstalled;
  expect(heard.slice(1).toSorted()).toEqual([
    `app_uninstalled ${acme.team.id}`,
    `tokens_revoked ${acme.team.id}`,
  ]);

  await installApp(bot.installUrl, { place: acme.team.id });
  const again = acme.credentials.botToken;
  const removed = told(5);
  acme.uninstall();
  await removed;
  expect((await refusal(createClient(acme, again).auth.test())).error).toBe('account_inactive');
  const ada = acme.users().find(({ name }) => name === 'ada')?.id ?? '';
  const channel = acme.channels().find(({ name }) => name === 'help')?.id ?? '';
  expect(await acme.command({ user: ada, channel, command: '/causeway' })).toBe(false);
  expect(await ask(slack)).toMatchObject({ text: 'Hello from Causeway Sandbox' });

  await installApp(bot.installUrl, { place: acme.team.id });
  expect(await ask(acme)).toMatchObject({ text: 'Hello from Acme' });
});
