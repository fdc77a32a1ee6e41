import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { renderManifest, scopesFor } from '../../../src/bridge/slack/manifest.ts';
import { createSlackPlatform } from '../../../src/bridge/slack/slack-platform.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { createSeal } from '../../../src/shared/primitives/seal.ts';
import { createFakeCore } from '../../fixtures/fake-core.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { createMemoryStore } from '../../fixtures/memory-store.ts';
import { installApp } from '../../sandbox/slack/install-app.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { exampleRunner } from './example-commands.ts';

/** The adapter for an app that workspaces of the sandbox install. */
async function start() {
  const served = await serveWorkspace();
  const { slack } = served;
  const { clientId, clientSecret, appToken, apiUrl } = slack.credentials;
  const log = createMemoryLog();
  const commands = exampleRunner(async function* () {
    yield 'Done.';
  });
  const installOrigin = 'https://bot.example';
  slack.install(JSON.parse(renderManifest(commands, { mode: 'socket', installOrigin })));
  slack.uninstall();
  const platform = createSlackPlatform({
    install: {
      clientId,
      clientSecret,
      stateSecret: 'a-long-state-secret',
      installations: createMemoryStore(),
      shared: createMemoryStore(),
      seal: createSeal(randomBytes(32)),
      forget: async () => {},
      scopes: scopesFor({}),
    },
    appToken,
    apiUrl,
    commands,
    log,
  });
  served.use(platform);
  const core = createFakeCore();
  core.readFrom(platform);
  await platform.start(core);
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    platform.pages?.get(path)?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  served.use({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  slack.switches.redirectUrl = `${origin}/slack/oauth_redirect`;
  return {
    slack,
    core,
    log,
    install: (place: string, decision: 'allow' | 'cancel' = 'allow') =>
      installApp(`${origin}/slack/install`, { place, decision }),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

function idsOf(workspace: SlackWorkspace) {
  const channel = workspace.channels().find(({ name }) => name === 'help')?.id ?? '';
  const user = workspace.users().find(({ name }) => name === 'ada')?.id ?? '';
  return { channel, user };
}

function mention(workspace: SlackWorkspace) {
  return workspace.say({ ...idsOf(workspace), text: `<@${workspace.bot.user}> hello` });
}

test('two workspaces install the app, and each is answered in its own name', async () => {
  await using started = await start();
  const { slack, core, install } = started;
  const acme = slack.addWorkspace('Acme');
  expect((await install(acme.team.id, 'cancel')).page).toContain('You cancelled');
  for (const workspace of [slack, acme]) {
    const { status, page } = await install(workspace.team.id);
    expect(page).toContain(`Causeway is installed in`);
    expect(status).toBe(200);
  }
  for (const workspace of [acme, slack]) {
    const { ts: thread } = await mention(workspace);
    const { thread: heard, author } = await core.messages.find(({ id }) => id === thread);
    expect(heard.address.workspace).toBe(workspace.team.id);
    expect(author.outsider).toBeUndefined();
    await heard.post({ markdown: `Hello, ${workspace.team.id}` });
    const { channel } = idsOf(workspace);
    const answer = await workspace.waitForMessage(
      { channel, thread },
      ({ bot_id: bot }) => bot !== undefined,
    );
    expect(answer.user).toBe(workspace.bot.user);
  }
});

test('an organisation’s workspaces are served by one token, and those that leave are left', async () => {
  await using started = await start();
  const { slack, core, install } = started;
  const north = slack.addWorkspace('North', 'Acme');
  const south = slack.addWorkspace('South', 'Acme');
  await install(north.team.enterprise?.id ?? '');
  for (const workspace of [north, south]) {
    const { ts: thread } = await mention(workspace);
    const { thread: heard, author } = await core.messages.find(({ id }) => id === thread);
    expect(heard.address.workspace).toBe(workspace.team.id);
    expect(author.name).not.toBe(author.id);
    await heard.post({ markdown: 'Hello' });
    const { channel } = idsOf(workspace);
    await workspace.waitForMessage({ channel, thread }, ({ bot_id: bot }) => bot !== undefined);
  }
  expect(core.joins.all.slice(1)).toEqual([
    { workspaces: [north.team.id] },
    { workspaces: [south.team.id] },
  ]);
  slack.setAccess(south, false);
  await expect.poll(() => core.lefts).toEqual([south.team.id]);
  north.uninstall();
  await expect.poll(() => core.lefts).toEqual([south.team.id, north.team.id]);
});

test('a token that expires soon is renewed, and after a removal and a new installation all goes on', async () => {
  await using started = await start();
  const { slack, core, install } = started;
  slack.switches.tokenLifetime = 3_600;
  await install(slack.team.id);
  await mention(slack);
  const { thread } = await core.messages.next();
  await thread.post({ markdown: 'Hello' });
  slack.uninstall();
  await expect.poll(() => core.lefts).toEqual([slack.team.id]);
  await expect(thread.post({ markdown: 'Hello' })).rejects.toMatchObject({ kind: 'forbidden' });
  await install(slack.team.id);
  await thread.post({ markdown: 'Hello again' });
});

test('in a shared channel, the bot that is mentioned answers in its own name', async () => {
  await using started = await start();
  const { slack, core, install } = started;
  const acme = slack.addWorkspace('Acme');
  for (const workspace of [slack, acme]) await install(workspace.team.id);
  const { channel, user } = idsOf(slack);
  slack.shareChannel(channel, acme);
  for (const workspace of [slack, acme]) {
    const text = `<@${workspace.bot.user}> hello`;
    const { ts } = await slack.say({ channel, user, text });
    const { thread, author } = await core.messages.find(({ id }) => id === ts);
    expect(thread.address.workspace).toBe(workspace.team.id);
    expect(author.outsider).toBe(workspace === slack ? undefined : 'stranger');
    await thread.post({ markdown: 'Hello' });
  }
});
