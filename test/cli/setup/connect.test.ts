import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type ConnectOptions } from '../../../src/cli/setup/connect.ts';
import { createPrompter } from '../../../src/cli/setup/prompter.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';
import { type Installation, install } from './installation.ts';

const asked = /_TOKEN$|_KEY$|_UUID$|CHATBOT_API_URL/;

/** A guided setup in its own folder. The values to be asked for are not in the environment. */
function prepare({ env }: Installation) {
  const path = join(createTemporaryFolder(), '.env');
  const entries = Object.entries(env);
  const said: string[] = [];
  return {
    path,
    /** The variables to be asked for. */
    secrets: Object.fromEntries(entries.filter(([name]) => asked.test(name))),
    /** Variables that are set nevertheless. */
    rest: Object.fromEntries(entries.filter(([name]) => !asked.test(name))),
    said: () => said.join('\n'),
    run: (options: Omit<ConnectOptions, 'path' | 'say'>) =>
      connect({ path, say: (text) => void said.push(text), ...options }),
  };
}

/** A script that writes these lines, and everything that is shown to it. */
function script(lines: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  output.on('data', (piece: Buffer) => (shown += piece.toString()));
  input.end(lines.map((line) => `${line}\n`).join(''));
  return { prompter: createPrompter({ input, output }), shown: () => shown };
}

function expectNoSecrets(text: string, secrets: Record<string, string | undefined>): void {
  const told = Object.entries(secrets).filter(([name]) => /TOKEN|KEY/.test(name));
  expect(told.filter(([, value]) => value && text.includes(value))).toEqual([]);
}

test('with --yes, connect writes what the environment has and posts a hello', async () => {
  await using installation = await install();
  const { sandbox, env } = installation;
  const { path, run, said, secrets } = prepare(installation);
  writeFileSync(path, '# mine\nPORT=4000\nSLACK_BOT_TOKEN=xoxb-old\n', { mode: 0o644 });
  const channels = { slackHello: '#general', discordHello: '#help' };
  expect(await run({ env, ...channels })).toBe(true);

  const { SLACK_CONFIG_TOKEN: _config, ...written } = secrets;
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^# mine\nPORT=4000\nSLACK_BOT_TOKEN=xoxb-/);
  expect(parseEnv(text)).toEqual({ PORT: '4000', ...written });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expectNoSecrets(said(), secrets);

  const { slack, discord } = sandbox;
  const place = (found: { id: string; name: string }[], name: string) =>
    found.find((channel) => channel.name === name)?.id ?? '';
  const hello = 'Hello! Mention me with a question, and I answer in a thread.';
  expect(slack.messages(place(slack.channels(), 'general')).at(-1)?.text).toBe(hello);
  expect(discord.messages(place(discord.channels(), 'help')).at(-1)?.content).toBe(hello);
});

test('connect prints Slack’s address with the manifest filled in, and Discord’s invite', async () => {
  await using installation = await install();
  const { run, rest, secrets, said } = prepare(installation);
  const { applicationId } = installation.sandbox.discord.credentials;
  const { prompter } = script([
    '',
    '',
    secrets['SLACK_BOT_TOKEN'] ?? '',
    secrets['SLACK_APP_TOKEN'] ?? '',
    secrets['DISCORD_TOKEN'] ?? '',
    '',
    '',
    '',
  ]);
  expect(await run({ env: rest, prompter })).toBe(true);
  const [address = ''] = /https:\/\/api\.slack\.com\S+/.exec(said()) ?? [];
  const query = new URL(address).searchParams;
  expect(query.get('new_app')).toBe('1');
  expect(JSON.parse(query.get('manifest_json') ?? '')).toEqual(
    installation.sandbox.slack.manifest(),
  );
  expect(said()).toMatch(
    new RegExp(`^https://discord.com/oauth2/authorize\\?client_id=${applicationId}&`, 'm'),
  );
});

test('a script can answer each question, and its tokens are never printed', async () => {
  await using installation = await install();
  const { path, run, rest, secrets, said } = prepare(installation);
  const { SLACK_CONFIG_TOKEN: _config, ...written } = secrets;
  const answers = ['', '', ...Object.values(written), '#general', ''];
  const { prompter, shown } = script(answers);
  expect(await run({ env: rest, prompter })).toBe(true);
  expect(parseEnv(readFileSync(path, 'utf8'))).toEqual(written);
  expectNoSecrets(`${said()}${shown()}`, secrets);
  expect(said()).toContain('Said hello in #general.');
  expect(shown()).toContain('Bot User OAuth Token, xoxb-… (Enter leaves it out):');
});

test('a secret typed at a terminal is not echoed', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 40 });
  let shown = '';
  output.on('data', (piece: Buffer) => (shown += piece.toString()));
  using prompter = createPrompter({ input, output });
  const type = (keys: string) => {
    for (const key of keys) input.write(key);
  };
  const secret = prompter.ask('Token:', { isSecret: true });
  // A wrong key and its correction redraw the line.
  type('xoxb-sesamX\u007fe\r');
  expect(await secret).toBe('xoxb-sesame');
  const plain = prompter.ask('Channel:');
  type('#general\r');
  expect(await plain).toBe('#general');
  expect(shown).toContain('Token: ');
  expect(shown).toContain('#general');
  expect(shown).not.toMatch(/sesam|xoxb/);
  // Input between two questions is not echoed, and answers the next one.
  type('xoxb-sesame-too-early');
  const early = prompter.ask('Token again:', { isSecret: true });
  type('\r');
  expect(await early).toBe('xoxb-sesame-too-early');
  expect(shown).toContain('Token again: ');
  expect(shown).not.toMatch(/sesam|xoxb/);
  const third = prompter.ask('More:');
  type('\u0003');
  await expect(third).rejects.toThrow('ended before everything');
});

test('a token is checked when it is entered, and asked for again if it is refused', async () => {
  await using installation = await install(['Slack']);
  const { path, run, rest, secrets, said } = prepare(installation);
  const [bot = '', app = ''] = [secrets['SLACK_BOT_TOKEN'], secrets['SLACK_APP_TOKEN']];
  const answers = ['', '', 'not a token', 'xoxb-wrong', bot, 'xapp-wrong', app, '', '', ''];

  const { prompter, shown } = script(answers);
  expect(await run({ env: rest, prompter })).toBe(true);
  expect(parseEnv(readFileSync(path, 'utf8'))).toEqual({
    SLACK_BOT_TOKEN: bot,
    SLACK_APP_TOKEN: app,
  });
  // Each is judged before the next one is asked for.
  const judged = [...said().matchAll(/^([✓✗] .*?)[.,]/gm)].map(([, line]) => line).slice(0, 5);
  expect(judged).toEqual([
    '✗ Configuration: SLACK_BOT_TOKEN contains a space',
    '✗ Slack bot token: Slack refuses it (invalid_auth)',
    '✓ Slack bot token: accepted',
    '✗ Slack app token: Slack refuses it (invalid_auth)',
    '✓ Slack app token: accepted',
  ]);
  expect(said()).toMatch(/invalid_auth\)\. Copy the Bot User OAuth Token/);
  expect(shown()).toContain('Bot User OAuth Token, xoxb-…, again (Enter leaves it out):');
});

test('what was accepted is kept when a later token is refused, or the setup is stopped', async () => {
  await using installation = await install();
  const { path, run, rest, secrets, said } = prepare(installation);
  const { SLACK_BOT_TOKEN: bot = '', SLACK_APP_TOKEN: app = '' } = secrets;
  const discord = secrets['DISCORD_TOKEN'] ?? '';
  const stopped = script(['', '', bot, app, 'not-a-token']);
  expect(await run({ env: rest, prompter: stopped.prompter })).toBe(false);
  const kept = { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app };
  expect(parseEnv(readFileSync(path, 'utf8'))).toEqual(kept);
  expect(said()).toMatch(
    /^Stopped\. Wrote SLACK_BOT_TOKEN, SLACK_APP_TOKEN to .+ run npm run connect again\.$/m,
  );

  const { CHATBOT_API_URL: url = '', CHATBOT_API_KEY: key = '' } = secrets;
  const ofService = [url, 'a-wrong-key', key, '123', ''];
  const continued = script(['', '', '', '', discord, ...ofService, '', '']);
  expect(await run({ env: { ...rest, ...kept }, prompter: continued.prompter })).toBe(false);
  expect(parseEnv(readFileSync(path, 'utf8'))).toEqual({
    ...kept,
    DISCORD_TOKEN: discord,
    CHATBOT_API_URL: url,
    CHATBOT_API_KEY: key,
  });
  expect(said()).toContain('✗ Service key: the service refuses it.');
  expect(said()).toContain('✗ Chatbot: the service has no such chatbot.');
});

test('with --yes, nothing is written while a token is refused', async () => {
  await using installation = await install(['Slack']);
  const { path, run, env, said } = { ...prepare(installation), env: installation.env };
  expect(await run({ env: { ...env, SLACK_BOT_TOKEN: 'xoxb-wrong' } })).toBe(false);
  expect(said()).toContain('Nothing was written, because SLACK_BOT_TOKEN is refused.');
  expect(existsSync(path)).toBe(false);
});

test('the note on the free plan comes first, and the first question is explained', async () => {
  await using installation = await install(['Slack']);
  const { run, rest, said } = prepare(installation);
  const { prompter, shown } = script(['', 'example.com', '']);
  await run({ env: rest, prompter });
  expect(said()).toMatch(/^\nIs your Slack workspace on the free plan.*--no-agent-view/s);
  expect(said()).toMatch(/With Socket Mode, .*so choose it unless you know better.*Over HTTP, /s);
  // An address that Slack can't reach is asked for again.
  expect(said()).toContain('example.com is not an address that Slack can reach.');
  expect(shown().match(/\(Enter for Socket Mode\):/g)).toHaveLength(2);

  const without = prepare(installation);
  await without.run({ env: rest, prompter: script(['']).prompter, agentView: false });
  expect(without.said()).not.toContain('free plan');
});

test('for events over HTTP, the manifest has the address and the app token is removed', async () => {
  await using installation = await install(['Slack']);
  const { path, run, env, said } = { ...prepare(installation), env: installation.env };
  writeFileSync(path, `SLACK_APP_TOKEN=${env['SLACK_APP_TOKEN']}\n`);
  delete env['SLACK_CONFIG_TOKEN'];
  const { prompter } = script(['', 'a-signing-secret', '', '', '']);
  expect(await run({ env, prompter, slackUrl: 'https://example.com' })).toBe(true);
  expect(decodeURIComponent(said())).toContain('"request_url":"https://example.com/slack/events"');
  expect(parseEnv(readFileSync(path, 'utf8'))).toEqual({
    SLACK_APP_TOKEN: '',
    SLACK_BOT_TOKEN: env['SLACK_BOT_TOKEN'],
    SLACK_SIGNING_SECRET: 'a-signing-secret',
  });
});

test('for events over HTTP, the app token is removed with --yes too', async () => {
  await using installation = await install(['Slack']);
  const { path, run, env } = { ...prepare(installation), env: installation.env };
  writeFileSync(path, `SLACK_APP_TOKEN=${env['SLACK_APP_TOKEN']}\n`);
  env['SLACK_SIGNING_SECRET'] = 'a-signing-secret';
  await run({ env, slackUrl: 'https://example.com' });
  expect(parseEnv(readFileSync(path, 'utf8'))).toMatchObject({
    SLACK_APP_TOKEN: '',
    SLACK_SIGNING_SECRET: 'a-signing-secret',
  });
});

test('connect reports a hello that is refused', async () => {
  await using installation = await install(['Slack']);
  const { run, env, said } = { ...prepare(installation), env: installation.env };
  expect(await run({ env, slackHello: '#random' })).toBe(false);
  expect(said()).toMatch(/^✗ No hello in #random: /m);
});

const address = 'https://bot.example';

/** Slack, as far as it tells whether it knows a client: by refusing a code, or the client's secret. */
async function serveOAuth(secret: string): Promise<string> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await text(request));
    const isKnown = body.get('client_secret') === secret;
    const error = request.url?.endsWith('/oauth.v2.access') ? 'invalid_code' : 'unknown_method';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: false, error: isKnown ? error : 'bad_client_secret' }));
  }
  const slack = createServer((request, response) => void answer(request, response));
  slack.listen(0, '127.0.0.1');
  onTestFinished(() => void slack.close());
  await once(slack, 'listening');
  return `http://127.0.0.1:${(slack.address() as AddressInfo).port}/api/`;
}

test('for many workspaces, connect says where they install the app, and creates the secrets', async () => {
  await using installation = await install([]);
  const { path, run, rest, said } = prepare(installation);
  rest['SLACK_API_URL'] = await serveOAuth('the-client-secret');
  const before = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };
  writeFileSync(path, 'SLACK_BOT_TOKEN=xoxb-1\nSLACK_APP_TOKEN=xapp-1\n');
  const client = ['1.2', 'another-secret', 'the-client-secret'];
  const { prompter } = script(['some', 'many', address, '', ...client, 'signing-secret', '', '']);
  expect(await run({ env: { ...rest, ...before }, prompter })).toBe(true);
  expect(said()).toContain('Type one or many.');
  expect(decodeURIComponent(said())).toContain(
    `"redirect_urls":["${address}/slack/oauth_redirect"]`,
  );
  expect(said()).toContain(`each workspace installs the app at ${address}/slack/install`);
  expect(said()).toContain(
    '✗ Slack client: Slack refuses it (bad_client_secret). Copy the Client ID',
  );
  const secret = expect.stringMatching(/^[\da-f]{64}$/);
  const written = parseEnv(readFileSync(path, 'utf8'));
  expect(written).toEqual({
    SLACK_BOT_TOKEN: '',
    SLACK_APP_TOKEN: '',
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 'the-client-secret',
    SLACK_SIGNING_SECRET: 'signing-secret',
    SLACK_STATE_SECRET: secret,
    SECRETS_KEY: secret,
  });
  expectNoSecrets(said(), written);

  // Another time, Enter keeps everything, the secrets too.
  const again = script(['', address, 'http', '', '', '', '', '']);
  expect(await run({ env: { ...rest, ...written }, prompter: again.prompter })).toBe(true);
  expect(parseEnv(readFileSync(path, 'utf8'))).toEqual(written);
});

test('many workspaces need an address, also with --yes', async () => {
  await using installation = await install([]);
  const { run, rest } = prepare(installation);
  await expect(run({ env: rest, many: true })).rejects.toThrow('--slack-url=https://your-host');
});
