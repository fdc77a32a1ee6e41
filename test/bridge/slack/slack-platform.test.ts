import { describe, expect, test } from 'vitest';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import type { DeliveryChange } from '../../../src/sandbox/slack/delivery.ts';
import type { SlackChange } from '../../../src/sandbox/slack/model.ts';
import { createSlackPlatform } from '../../../src/bridge/slack/slack-platform.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { exampleRunner } from './example-commands.ts';
import { createFakeCore } from '../../fixtures/fake-core.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { serveSlackApi } from './fake-slack-api.ts';
import { startSlack, type Mode } from './start-slack.ts';

const modes: { mode: Mode }[] = [{ mode: 'socket' }, { mode: 'http' }];

function identityOf({ id, addressed, text, thread }: IncomingMessage) {
  return { id, addressed, text, address: thread.address };
}

describe.each(modes)('Slack by $mode', ({ mode }) => {
  test('brings a mention twice under one identity, in either order', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack, mode);
    for (const text of ['one', 'two', 'three']) {
      const { ts } = await slack.say({
        user: ada,
        channel: help,
        text: `<@${slack.bot.user}> ${text}`,
      });
      const first = await started.next();
      const second = await started.next();
      expect(first).toMatchObject({ id: ts, text, addressed: 'mention' });
      expect(identityOf(second)).toEqual(identityOf(first));
    }
  });

  test('brings a message again that Slack delivers again', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack, mode);
    slack.faults.inject({ method: 'events_api', times: 1, afterEffect: true });
    const { ts } = await slack.say({ user: ada, channel: help, text: 'overheard' });
    const first = await started.next();
    expect(first).toMatchObject({ id: ts, addressed: 'overheard' });
    expect(identityOf(await started.next())).toEqual(identityOf(first));
  });

  test('gives names for ids, and leaves ids that Slack has no name for', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, grace, help, general } = served;
    await using started = await startSlack(slack, mode);
    slack.faults.inject({ method: 'users.info', times: 1, error: 'missing_scope' });
    const text = `<@${grace}> in <#${general}|general> says https://x.example/?a=1&b=2`;
    await slack.say({ user: ada, channel: help, text });
    await started.next();
    await slack.say({ user: ada, channel: help, text });
    const second = await started.next();
    expect([second.author.name, second.text]).toEqual([
      ada,
      '@Grace Hopper in #general says https://x.example/?a=1&b=2',
    ]);
  });
});

describe.each(modes)(
  'a bot token that Slack refuses while the bot is connected by $mode',
  ({ mode }) => {
    test('ends the connection, and the refusal names it until it is taken again', async () => {
      await using served = await serveWorkspace();
      const { slack, ada, help } = served;
      await using started = await startSlack(slack, mode);
      const { platform, core } = started;
      await slack.say({ user: ada, channel: help, text: 'hi' });
      const { thread } = await started.next();
      slack.faults.inject({ method: 'chat.postMessage', times: 1, error: 'token_revoked' });
      slack.faults.inject({ method: 'auth.test', times: 2, error: 'token_revoked' });
      await expect(thread.post({ markdown: 'one' })).rejects.toMatchObject({ kind: 'forbidden' });
      const refused = {
        kind: 'forbidden',
        message: expect.stringContaining('SLACK_BOT_TOKEN') as unknown,
      };
      expect(await platform.fatalError).toMatchObject(refused);
      expect(platform.isConnected).toBe(false);
      await expect(platform.start(core)).rejects.toMatchObject(refused);
      expect(platform.isConnected).toBe(false);
      await platform.start(core);
      expect(platform.isConnected).toBe(true);
      await slack.say({ user: ada, channel: help, text: 'Back?' });
      expect(await core.messages.find(({ text }) => text === 'Back?')).toBeDefined();
      slack.revoke();
      await expect(thread.post({ markdown: 'two' })).rejects.toMatchObject({ kind: 'forbidden' });
      expect(await platform.fatalError).toMatchObject(refused);
    });
  },
);

test('a bot token that Slack refuses once, and takes when it is asked again, leaves the bot connected', async () => {
  let refusals = 1;
  await using slack = await serveSlackApi(({ method }) => {
    if (method === 'auth.test') return { ok: true, team_id: 'T1', bot_id: 'B1', user_id: 'U1' };
    if (refusals-- > 0) return { ok: false, error: 'token_revoked' };
    return { ok: true, channel: 'C1', ts: '1.000' };
  });
  await using platform = createSlackPlatform({
    botToken: 'xoxb-1',
    signingSecret: 'secret',
    apiUrl: slack.url,
    commands: exampleRunner(nothing),
    log: createMemoryLog(),
  });
  await platform.start(createFakeCore());
  const notice = { workspace: 'T1', to: { channel: 'C1' }, markdown: 'Hello' };
  await expect(platform.notify?.(notice)).rejects.toMatchObject({ kind: 'forbidden' });
  const called = () => slack.calls.map(({ method }) => method);
  await expect.poll(called).toEqual(['auth.test', 'chat.postMessage', 'auth.test']);
  await platform.notify?.(notice);
  expect(platform.isConnected).toBe(true);
});

test('an app token wins over a signing secret, and one of them is needed', async () => {
  const options = { botToken: 'xoxb-1', commands: exampleRunner(nothing), log: createMemoryLog() };
  expect(() => createSlackPlatform(options)).toThrow(/SLACK_APP_TOKEN.*SLACK_SIGNING_SECRET/);
  const both = createSlackPlatform({ ...options, appToken: 'xapp-1', signingSecret: 's' });
  expect(both.requestListener).toBeUndefined();
});

describe('a wrong token', () => {
  test.each([
    ['socket', { botToken: 'xoxb-wrong' }, 'SLACK_BOT_TOKEN'],
    ['http', { botToken: 'xoxb-wrong' }, 'SLACK_BOT_TOKEN'],
    ['socket', { appToken: 'xapp-wrong' }, 'SLACK_APP_TOKEN'],
  ] as const)('by %s with %o is named: %s', async (mode, wrong, name) => {
    await using served = await serveWorkspace();
    const start = startSlack(served.slack, mode, wrong);
    await expect(start).rejects.toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining(`Slack refused ${name}`) as unknown,
    });
  });
});

describe('a request to the listener', () => {
  const body = JSON.stringify({ type: 'event_callback', event: { type: 'message' } });

  test('with a wrong signature is refused, and the log says which variable to check', async () => {
    await using served = await serveWorkspace();
    await using started = await startSlack(served.slack, 'http');
    const headers = {
      'content-type': 'application/json',
      'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)),
      'x-slack-signature': `v0=${'0'.repeat(64)}`,
    };
    const answer = await fetch(started.eventsUrl, { method: 'POST', headers, body });
    expect(answer.status).toBe(401);
    const warnings = started.log.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message).join()).toContain('SLACK_SIGNING_SECRET');
  });

  test('elsewhere is not found, and nothing can be read', async () => {
    await using served = await serveWorkspace();
    await using started = await startSlack(served.slack, 'http');
    const elsewhere = new URL('/slack/else', started.eventsUrl);
    expect((await fetch(elsewhere, { method: 'POST', body })).status).toBe(404);
    expect((await fetch(started.eventsUrl)).status).toBe(405);
  });

  test('gets a 503 once the platform is closed', async () => {
    await using served = await serveWorkspace();
    await using started = await startSlack(served.slack, 'http');
    await started.platform[Symbol.asyncDispose]();
    expect((await fetch(started.eventsUrl, { method: 'POST', body })).status).toBe(503);
  });
});

describe('a write', () => {
  test('that Slack limits is refused at once, with the time to wait, and holds up no other', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    await slack.say({ user: ada, channel: help, text: 'hi' });
    const { thread } = await started.next();
    const sent = await thread.post({ markdown: 'one' });
    for (const method of ['chat.postMessage', 'chat.update']) {
      slack.faults.inject({ method, times: 1, retryAfter: 60 });
    }
    const limited = { name: 'PlatformError', kind: 'rate_limited', retryAfterMs: 60_000 };
    await expect(thread.post({ markdown: 'two' })).rejects.toMatchObject(limited);
    await expect(sent.edit({ markdown: 'two' })).rejects.toMatchObject(limited);
    await sent.edit({ markdown: 'three' });
    await thread.post({ markdown: 'four' });
    expect(slack.messages(help, thread.address.thread).slice(1).map(plainText)).toEqual([
      'three',
      'four',
    ]);
  });

  test('whose response was lost is not repeated', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    await slack.say({ user: ada, channel: help, text: 'hi' });
    const { thread } = await started.next();
    slack.faults.inject({ method: 'chat.postMessage', times: 1, status: 502, afterEffect: true });
    await expect(thread.post({ markdown: 'once' })).rejects.toMatchObject({ kind: 'failed' });
    slack.faults.inject({ method: 'chat.postMessage', times: 1, drop: true, afterEffect: true });
    await expect(thread.post({ markdown: 'twice' })).rejects.toMatchObject({ kind: 'failed' });
    expect(slack.messages(help, thread.address.thread)).toHaveLength(3);
  });

  test('of max text with max small print and buttons is accepted', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    await slack.say({ user: ada, channel: help, text: 'hi' });
    const { thread } = await started.next();
    const most = Math.floor(11_000 / '&lt;'.length);
    const actions = ['stop', 'retry', 'passages', 'helpful', 'unhelpful'] as const;
    const buttons = actions.map((action) => ({ action, label: 'x'.repeat(75), turn: 't1' }));
    const longest = { markdown: '<'.repeat(most), footer: 'word & '.repeat(2_000), buttons };
    expect(thread.limits.fits(longest.markdown)).toBe(true);
    expect(thread.limits.fits(`${longest.markdown}<`)).toBe(false);
    const sent = await thread.post(longest);
    await sent.edit({ ...longest, markdown: 'x'.repeat(11_000) });
    expect(slack.messages(help, thread.address.thread).at(-1)).toMatchObject({ edits: 1 });
  });

  test('to a message that is gone says so', async () => {
    await using served = await serveWorkspace();
    const { slack, help } = served;
    await using started = await startSlack(slack);
    const thread = started.platform.thread({
      platform: 'slack',
      workspace: slack.team.id,
      channel: help,
      thread: '1.000000',
    });
    await expect(thread.post({ markdown: 'hi' })).rejects.toMatchObject({ kind: 'gone' });
    await expect(thread.message('1.000001').edit({ markdown: 'hi' })).rejects.toMatchObject({
      kind: 'gone',
    });
  });
});

describe('the working status', () => {
  test('shows in the thread until the first post', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    const { ts } = await slack.say({ user: ada, channel: help, text: 'hi' });
    const { thread } = await started.next();
    await thread.showWorking?.('is thinking…');
    expect(slack.status(help, ts)).not.toBe('');
    await thread.post({ markdown: 'hi' });
    expect(slack.status(help, ts)).toBe('');
  });

  test.each([
    ['a token that Slack refused for a time', 'token_revoked'],
    ['a token that Slack refused for a time', 'account_inactive'],
    ['a token that Slack refused for a time', 'org_login_required'],
    ['one channel', 'restricted_action_thread_locked'],
    ['one channel', 'no_permission'],
    ['one channel', 'ekm_access_denied'],
  ])('is shown again after a refusal that concerned %s (%s)', async (_, error) => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    const { ts } = await slack.say({ user: ada, channel: help, text: 'hi' });
    const { thread } = await started.next();
    slack.faults.inject({ method: 'assistant.threads.setStatus', times: 1, error });
    await thread.showWorking?.('is thinking…');
    expect(slack.status(help, ts)).toBe('');
    await thread.showWorking?.('is thinking…');
    expect(slack.status(help, ts)).not.toBe('');
  });

  test('is never tried again once Slack refuses it for the app, unlike after a rate limit', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    const { ts } = await slack.say({ user: ada, channel: help, text: 'hi' });
    const { thread } = await started.next();
    const method = 'assistant.threads.setStatus';
    slack.faults.inject({ method, times: 1, retryAfter: 60 });
    slack.faults.inject({ method, times: 1, error: 'thread_not_found' });
    await thread.showWorking?.('is thinking…');
    await thread.showWorking?.('is thinking…');
    expect(slack.status(help, ts)).toBe('');
    await thread.showWorking?.('is thinking…');
    expect(slack.status(help, ts)).not.toBe('');

    await thread.post({ markdown: 'hi' });
    slack.faults.inject({ method, times: 1, error: 'not_allowed_token_type' });
    await thread.showWorking?.('is thinking…');
    await thread.showWorking?.('is thinking…');
    expect(slack.status(help, ts)).toBe('');
  });
});

// At once, as they wait most of the time.
describe.concurrent('Socket Mode', () => {
  const connected = (change: SlackChange) => change.kind === 'connections' && change.count === 1;
  const moreThan = (count: number) => (change: SlackChange) =>
    change.kind === 'connections' && change.count > count;
  const isConnectedTwice = (change: SlackChange) =>
    change.kind === 'connections' && change.count === 2;

  test.each(['warning', 'refresh_requested'] as const)(
    'opens another connection when Slack says goodbye (%s)',
    async (reason) => {
      await using served = await serveWorkspace();
      const { slack, ada, help } = served;
      await using started = await startSlack(slack);
      if (slack.connections() < 2) await slack.waitFor(isConnectedTwice);
      const again = slack.waitFor(moreThan(slack.connections()));
      slack.disconnect(reason);
      await again;
      await slack.say({ user: ada, channel: help, text: 'still there?' });
      expect(await started.next()).toMatchObject({ text: 'still there?' });
    },
  );

  test('loses nothing to a goodbye, and hears nothing twice', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const deliveries: DeliveryChange[] = [];
    slack.deliveries.subscribe((change) => deliveries.push(change));
    let stored = Promise.withResolvers<void>();
    await using started = await startSlack(slack, 'socket', { store: () => stored.promise });
    if (slack.connections() < 2) await slack.waitFor(isConnectedTwice);
    for (const reason of ['warning', 'refresh_requested'] as const) {
      // Neither is acknowledged yet when Slack says goodbye on the connection of one.
      for (const text of ['one', 'two']) await slack.say({ user: ada, channel: help, text });
      const replaced = slack.waitFor(moreThan(slack.connections()));
      slack.disconnect(reason, 1);
      const command = { user: ada, channel: help, command: '/source', text: 'list' };
      expect(await slack.command(command)).toBe(true);
      stored.resolve();
      const heard = [await started.next(), await started.next()];
      expect(new Set(heard.map(({ text }) => text))).toEqual(new Set(['one', 'two']));
      await replaced;
      stored = Promise.withResolvers();
    }
    expect(deliveries.filter(({ state }) => state === 'failed')).toEqual([]);
  });

  test('is not cut off by the loss of one connection', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    if (slack.connections() < 2) await slack.waitFor(isConnectedTwice);
    slack.faults.inject({ method: 'apps.connections.open', times: 1, status: 500 });
    slack.sever(1);
    const command = { user: ada, channel: help, command: '/source', text: 'list' };
    expect(await slack.command(command)).toBe(true);
    expect(started.platform.isConnected).toBe(true);
    await slack.waitFor(isConnectedTwice);
  });

  test('keeps reconnecting while Slack is down', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    slack.faults.inject({ method: 'apps.connections.open', times: 1, status: 500 });
    slack.faults.inject({ method: 'apps.connections.open', times: 1, drop: true });
    slack.faults.inject({ method: 'apps.connections.open', times: 1, error: 'invalid_auth' });
    const again = slack.waitFor(connected);
    slack.sever();
    await slack.say({ user: ada, channel: help, text: 'missed' });
    await again;
    expect(await started.next()).toMatchObject({ text: 'missed' });
    const complaints = started.log.lines.filter(({ message }) =>
      message.includes('connecting to Slack failed'),
    );
    expect(complaints.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn']);
  });

  test('is not connected while it is cut off', async () => {
    await using served = await serveWorkspace();
    const away = Promise.withResolvers<void>();
    const back = Promise.withResolvers<void>();
    const info = (_: object, message: string) => {
      if (message.startsWith('the connection to Slack ended')) away.resolve();
      if (message === 'connected to Slack again') back.resolve();
    };
    const log = { ...createMemoryLog(), info };
    await using started = await startSlack(served.slack, 'socket', { log });
    expect(started.platform.isConnected).toBe(true);
    served.slack.sever();
    await away.promise;
    expect(started.platform.isConnected).toBe(false);
    await back.promise;
    expect(started.platform.isConnected).toBe(true);
  });

  test('hears what Slack still sends between its warning and its goodbye', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    if (slack.connections() < 2) await slack.waitFor(isConnectedTwice);
    slack.faults.inject({ method: 'apps.connections.open', times: 1, retryAfter: 3_600 });
    slack.disconnect('warning');
    const command = { user: ada, channel: help, command: '/source', text: 'list' };
    expect(await slack.command(command)).toBe(true);
    await slack.say({ user: ada, channel: help, text: 'still there?' });
    expect(await started.next()).toMatchObject({ text: 'still there?' });
  });

  test('is not connected while Slack only keeps open what it has said goodbye to', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    const refused = Promise.withResolvers<void>();
    const log = { ...createMemoryLog(), warn: () => refused.resolve() };
    await using started = await startSlack(slack, 'socket', { log });
    if (slack.connections() < 2) await slack.waitFor(isConnectedTwice);
    slack.faults.inject({ method: 'apps.connections.open', times: 1, retryAfter: 3_600 });
    slack.disconnect('link_disabled');
    await refused.promise;
    expect(started.platform.isConnected).toBe(false);
  });

  test('is lost when its token is refused several times in a row, until it is started again', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    slack.faults.inject({ method: 'apps.connections.open', times: 3, error: 'token_revoked' });
    slack.sever();
    expect(await started.platform.fatalError).toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('SLACK_APP_TOKEN'),
    });
    expect(started.platform.isConnected).toBe(false);
    await started.platform.start(started.core);
    expect(started.platform.isConnected).toBe(true);
    await slack.say({ user: ada, channel: help, text: 'Back?' });
    expect(await started.next()).toMatchObject({ text: 'Back?' });
    slack.faults.inject({ method: 'apps.connections.open', times: 3, error: 'token_revoked' });
    slack.sever();
    expect(await started.platform.fatalError).toMatchObject({ kind: 'forbidden' });
  });

  test('keeps the connection that is left while its token is refused', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack);
    if (slack.connections() < 2) await slack.waitFor(isConnectedTwice);
    slack.faults.inject({ method: 'apps.connections.open', times: 4, error: 'token_revoked' });
    const again = slack.waitFor(isConnectedTwice);
    slack.sever(1);
    await slack.say({ user: ada, channel: help, text: 'still there?' });
    expect(await started.next()).toMatchObject({ text: 'still there?' });
    await again;
  });

  test('ends its connections when it is disposed', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    const started = await startSlack(slack);
    if (slack.connections() < 2) await slack.waitFor(isConnectedTwice);
    const gone = slack.waitFor((change) => change.kind === 'connections' && change.count === 0);
    await started[Symbol.asyncDispose]();
    await gone;
    expect(slack.connections()).toBe(0);
  });
});

test('no secret is logged', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const started = await startSlack(slack);
  await slack.say({ user: ada, channel: help, text: 'hi' });
  const { thread } = await started.next();
  slack.faults.inject({ method: 'chat.postMessage', times: 1, status: 502 });
  await expect(thread.post({ markdown: 'hi' })).rejects.toThrow(/HTTP 502/);
  await slack.command({ user: ada, channel: help, command: '/source', text: 'help' });
  await started[Symbol.asyncDispose]();
  const logged = JSON.stringify(started.log.lines);
  expect(logged).toContain('apiCall');
  const { botToken, appToken, signingSecret } = slack.credentials;
  for (const secret of [botToken, appToken, signingSecret, '/respond/']) {
    expect(logged).not.toContain(secret);
  }
  expect(logged).not.toMatch(/ticket=(?!\[secret\])/);
  expect(logged).toContain('http request body: …');
});

async function* nothing() {
  yield* [];
}
