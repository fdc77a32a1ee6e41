import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PermissionFlagsBits } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { createManifest } from '../../../src/app/manifest.ts';
import { readConfig } from '../../../src/config/config.ts';
import { examine, isHealthy, renderJson, renderReport } from '../../../src/cli/setup/doctor.ts';
import { register } from '../../../src/cli/setup/register.ts';
import type { SlackManifest } from '../../../src/cli/setup/ask-slack.ts';
import { openStore, rememberSigned } from '../../../src/bridge/stores/open-store.ts';
import type { HistoryLimit } from '../../../src/bridge/slack/history.ts';
import { commandNames } from '../../fixtures/command-names.ts';
import { startProxy } from '../../fixtures/proxy.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';
import { useProxy } from '../../fixtures/use-proxy.ts';
import { type Installation, install } from './installation.ts';

const manifest = 'Paste the manifest (npm run -s manifest) under “App Manifest”';

/** A fault, and the line that reports it, with the fix. */
interface Case {
  what: string;
  breaks(installation: Installation): void;
  line: string;
  fix: string;
  /** The number of lines that report it; one by default. */
  lines?: number;
}

const slackFaults: Case[] = [
  {
    what: 'a variable that is not well-formed',
    breaks: ({ env }) => void (env['PORT'] = 'x'),
    line: '✗ Configuration: PORT is "x".',
    fix: 'Use a number from 0 (any free port) to 65535.',
  },
  {
    what: 'a bot token that is not one',
    breaks: ({ env }) => void (env['SLACK_BOT_TOKEN'] = 'xoxb-of-another-app'),
    line: '✗ Slack bot token: Slack refuses it (invalid_auth).',
    fix: 'Copy the Bot User OAuth Token (xoxb-…) from “Install App”',
  },
  {
    what: 'a Slack that is away',
    breaks: ({ env }) => void (env['SLACK_API_URL'] = 'http://127.0.0.1:1/api/'),
    line: '✗ Slack bot token: Slack can’t be reached.',
    fix: 'Check the network, the proxy',
    lines: 2,
  },
  {
    what: 'a scope that came with a new manifest, without a reinstall',
    breaks({ sandbox: { slack }, updateManifest }) {
      const older = slack.manifest() as { oauth_config: { scopes: { bot: string[] } } };
      const bot = older.oauth_config.scopes.bot.filter((scope) => scope !== 'files:write');
      slack.install({ ...older, oauth_config: { scopes: { bot } } });
      updateManifest(() => {});
    },
    line: '✗ Slack scopes: files:write is not granted.',
    fix: `${manifest} of your app at https://api.slack.com/apps, then reinstall the app if Slack asks for it.`,
  },
  {
    what: 'an app token that is not one',
    breaks: ({ env }) => void (env['SLACK_APP_TOKEN'] = 'xapp-1-A0-1-0'),
    line: '✗ Slack app token: Slack refuses it (invalid_auth).',
    fix: 'Generate a token (xapp-…) with the scope connections:write',
  },
  {
    what: 'an app token without its scope',
    breaks: ({ sandbox }) =>
      sandbox.slack.faults.inject({
        method: 'apps.connections.open',
        times: 1,
        error: 'missing_scope',
      }),
    line: '✗ Slack app token: the scope it needs is missing.',
    fix: 'Generate a token (xapp-…) with the scope connections:write',
  },
  {
    what: 'an app token of another app',
    breaks({ env, sandbox }) {
      env['SLACK_APP_TOKEN'] = sandbox.slack.credentials.otherAppToken;
    },
    line: '✗ Slack app token: it belongs to another app (A',
    fix: 'Generate a token (xapp-…) with the scope connections:write',
  },
  {
    what: 'a bot in no channel',
    breaks: ({ sandbox: { slack } }) => {
      for (const { id } of slack.channels()) slack.removeBot(id);
    },
    line: '✗ Slack channels: the bot is in no channel.',
    fix: 'Type /invite @causeway in a channel.',
  },
  {
    what: 'a missing event',
    breaks: ({ updateManifest }) =>
      updateManifest(
        ({ settings }) => void settings?.event_subscriptions?.bot_events?.splice(1, 1),
      ),
    line: '✗ Slack events: the app is not subscribed to app_mention.',
    fix: manifest,
  },
  {
    what: 'a missing event of an app whose events come over HTTP',
    breaks({ env, updateManifest }) {
      useHttp(env);
      updateManifest((declared) => {
        toHttp('https://example.com/slack/events')(declared);
        declared.settings?.event_subscriptions?.bot_events?.splice(1, 1);
      });
    },
    line: '✗ Slack events: the app is not subscribed to app_mention.',
    fix: 'Paste the manifest (npm run -s manifest -- https://your-host)',
  },
  {
    what: 'a command that the installed manifest lacks',
    breaks: ({ updateManifest }) =>
      updateManifest(({ features }) => {
        for (const command of features?.slash_commands ?? []) command.command += '-before';
      }),
    line: '✗ Slack commands: the app has no /causeway.',
    fix: manifest,
  },
  {
    what: 'direct messages that are switched off',
    breaks: ({ updateManifest }) =>
      updateManifest(({ features }) => {
        if (features) features.app_home = { messages_tab_enabled: false };
      }),
    line: '✗ Slack direct messages: people can’t write to the bot.',
    fix: manifest,
  },
  {
    what: 'Socket Mode that is switched off',
    breaks: ({ updateManifest }) => updateManifest(toHttp('https://example.com/slack/events')),
    line: '✗ Slack delivery: Socket Mode is off, but SLACK_APP_TOKEN is set.',
    fix: manifest,
  },
  {
    what: 'Socket Mode that is switched on without an app token',
    breaks: ({ env }) => useHttp(env),
    line: '✗ Slack delivery: Socket Mode is on, but SLACK_APP_TOKEN is not set.',
    fix: 'Paste the manifest (npm run -s manifest -- https://your-host)',
  },
  {
    what: 'an address at which nobody listens',
    breaks({ env, updateManifest }) {
      useHttp(env);
      updateManifest(toHttp('https://example.com/slack'));
    },
    line: '✗ Slack delivery: Slack sends events to https://example.com/slack, not to /slack/events there.',
    fix: 'Paste the manifest (npm run -s manifest -- https://your-host)',
  },
  {
    what: 'menus without an address to ask for options',
    breaks({ env, updateManifest }) {
      useHttp(env);
      updateManifest((manifest) => {
        toHttp('https://example.com/slack/events')(manifest);
        delete manifest.settings?.interactivity?.message_menu_options_url;
      });
    },
    line: '✗ Slack delivery: Slack does not know where to send select menus.',
    fix: 'Paste the manifest (npm run -s manifest -- https://your-host)',
  },
];

const closed = { allow: 0n, deny: PermissionFlagsBits.SendMessages };

const discordFaults: Case[] = [
  {
    what: 'a client secret in place of the token',
    breaks: ({ env }) => void (env['DISCORD_TOKEN'] = 'S3cr3t_-'.repeat(4)),
    line: '✗ Configuration: DISCORD_TOKEN is not a bot token, which has three parts',
    fix: 'Copy it under Bot > Reset Token',
  },
  {
    what: 'a token that was reset',
    breaks: ({ env }) =>
      void (env['DISCORD_TOKEN'] = `${'M'.repeat(24)}.${'x'.repeat(6)}.${'y'.repeat(38)}`),
    line: '✗ Discord token: Discord refuses it (401, 0).',
    fix: 'reset the token under “Bot”, and copy it to DISCORD_TOKEN.',
  },
  {
    what: 'a Discord that is away',
    breaks: ({ env }) => void (env['DISCORD_API_URL'] = 'http://127.0.0.1:1'),
    line: '✗ Discord token: Discord can’t be reached.',
    fix: 'Check the network, the proxy',
  },
  {
    what: 'interactions that go elsewhere',
    breaks: ({ sandbox }) =>
      sandbox.discord.changeApplication({ interactionsUrl: 'https://example.com/interactions' }),
    line: '✗ Discord interactions: Discord sends commands and buttons to an Interactions Endpoint URL.',
    fix: 'Clear “Interactions Endpoint URL” under “General Information”',
  },
  {
    what: 'an application that no server can add',
    breaks: ({ sandbox }) => sandbox.discord.changeApplication({ needsCodeGrant: true }),
    line: '✗ Discord invite: “Requires OAuth2 Code Grant” is on.',
    fix: 'Switch off “Requires OAuth2 Code Grant”',
  },
  {
    what: 'a bot in no server',
    breaks: ({ sandbox }) => sandbox.discord.removeBot(),
    line: '✗ Discord servers: the bot is in no server.',
    fix: 'Open https://discord.com/oauth2/authorize?client_id=',
  },
  {
    what: 'a permission that a server does not grant',
    breaks: ({ sandbox }) => sandbox.discord.setBotPermissions(309237763072n & ~(1n << 35n)),
    line: '✗ Discord servers: Causeway Sandbox does not grant the bot Create Public Threads.',
    fix: 'and choose Causeway Sandbox again, or change the bot’s role there.',
  },
  {
    what: 'channels that are all closed to the bot',
    breaks: ({ sandbox: { discord } }) => {
      for (const { id: channel, type } of discord.channels()) {
        if (type === 0) discord.setPermissions({ channel, id: discord.guildId, ...closed });
      }
    },
    line: '✗ Discord channels: in Causeway Sandbox, the bot can answer in no channel.',
    fix: 'Let its role view a text channel and write in it',
  },
  {
    what: 'commands with another prefix than the registered ones',
    breaks: ({ env }) => void (env['COMMAND_PREFIX'] = 'kb-'),
    line: '✗ Discord commands: kb-ask,',
    fix: 'Run npm run register, or restart Causeway',
  },
  {
    what: 'commands that have changed since they were registered',
    breaks: ({ env }) => void (env['UPLOAD_MAX_MB'] = '5'),
    line: '✗ Discord commands: source registered in an outdated form.',
    fix: 'Run npm run register, or restart Causeway',
  },
];

const serviceFaults: Case[] = [
  {
    what: 'a service that is away',
    breaks: ({ env }) => void (env['CHATBOT_API_URL'] = 'http://127.0.0.1:1'),
    line: '✗ Service address: the chatbot service can’t be reached.',
    fix: 'Check the network, the proxy',
  },
  {
    what: 'an address that is no service',
    breaks: ({ service }) => void (service.status = 404),
    line: '✗ Service address: what answers at CHATBOT_API_URL is not a chatbot service.',
    fix: 'Set CHATBOT_API_URL to the address of the service',
  },
  {
    what: 'an address that is a website',
    breaks: ({ service }) => void Object.assign(service, { status: 404, page: '<h1>404</h1>' }),
    line: '✗ Service address: what answers at CHATBOT_API_URL is not a chatbot service.',
    fix: 'Set CHATBOT_API_URL to the address of the service',
  },
  {
    what: 'a key that the service refuses',
    breaks: ({ env }) => void (env['CHATBOT_API_KEY'] = 'a-wrong-key'),
    line: '✗ Service key: the service refuses it.',
    fix: 'Create a key at the service',
  },
  {
    what: 'a chatbot that the service does not have',
    breaks: ({ env }) => void (env['CHATBOT_UUID'] = 'another'),
    line: '✗ Chatbot: the service has no such chatbot.',
    fix: 'Set CHATBOT_UUID to the uuid of a chatbot',
  },
];

function useHttp(env: Record<string, string>): void {
  delete env['SLACK_APP_TOKEN'];
  env['SLACK_SIGNING_SECRET'] = 'a-signing-secret';
}

/** The manifest of an app whose events Slack sends to an address. */
function toHttp(url: string) {
  return ({ settings = {}, features }: SlackManifest) => {
    settings.socket_mode_enabled = false;
    settings.event_subscriptions = { ...settings.event_subscriptions, request_url: url };
    settings.interactivity = {
      is_enabled: true,
      request_url: url,
      message_menu_options_url: url,
    };
    for (const command of features?.slash_commands ?? []) command.url = url;
  };
}

/** The report, which must not contain a secret. */
async function report({ env }: Installation): Promise<string> {
  const lines = await examine(env);
  const said = renderReport(lines);
  const secrets = Object.keys(env).filter((name) => /TOKEN|KEY|SECRET/.test(name));
  const told = secrets.filter((name) => `${said}${renderJson(lines)}`.includes(env[name] ?? ''));
  expect(told).toEqual([]);
  return said;
}

async function expectLine(installation: Installation, { breaks, line, fix, lines = 1 }: Case) {
  breaks(installation);
  const faulty = (await report(installation)).split('\n').filter((each) => each.startsWith('✗'));
  expect(faulty).toHaveLength(lines);
  expect(faulty[0]).toContain(line);
  expect(faulty[0]).toContain(fix);
}

test.each(slackFaults)('on Slack, doctor reports $what', async (fault) => {
  await using installation = await install(['Slack']);
  await expectLine(installation, fault);
});

test.each(discordFaults)('on Discord, doctor reports $what', async (fault) => {
  await using installation = await install(['Discord']);
  await expectLine(installation, fault);
});

test.each(serviceFaults)('of the service, doctor reports $what', async (fault) => {
  await using installation = await install(['service']);
  await expectLine(installation, fault);
});

test('a limit on reading threads that the process noticed is reported, and is no fault', async () => {
  await using installation = await install(['Slack']);
  const { env } = installation;
  expect(renderReport(await examine(env))).not.toContain('Slack history');
  {
    await using store = await openStore(readConfig(env).storeUrl);
    const noticedAt = Date.parse('2026-09-12T10:00:00Z');
    await store.keyv<HistoryLimit>('slack-history-limit').set('slack:T1', { noticedAt });
  }
  const lines = await examine(env);
  expect(renderReport(lines)).toMatch(
    /– Slack history: Slack limits how the app reads threads \(noticed on 2026-09-12\): once a minute, and only the first 15 messages/,
  );
  expect(isHealthy(lines)).toBe(true);
});

test('a bot without the message content intent is healthy, and the report says what it can’t do', async () => {
  await using installation = await install(['Discord']);
  installation.sandbox.discord.changeApplication({ messageContent: false });
  const lines = await examine(installation.env);
  expect(renderReport(lines)).toMatch(
    /– Discord intents: without Message Content: .* can’t follow threads without a mention, or read what people said there before\. .*switch on “Message Content Intent”/,
  );
  expect(isHealthy(lines)).toBe(true);
});

test.each([
  ['few people', 1 << 19, 2_000, '✓ Discord intents: the bot can read messages.'],
  [
    'many',
    1 << 19,
    6_000,
    '– Discord intents: the bot can read messages, but its servers have about 12,000 members.',
  ],
  ['many, after a review', 1 << 18, 6_000, '✓ Discord intents: the bot can read messages.'],
])('an intent that Discord reviews: a bot for %s', async (_, flags, members, line) => {
  const server = { id: '1', name: 'S', permissions: '0', approximate_member_count: members };
  const answers: Record<string, unknown> = {
    '/api/v10/applications/@me': { id: '1', name: 'Causeway', flags },
    '/api/v10/users/@me/guilds?limit=200&with_counts=true': [server, { ...server, id: '2' }],
  };
  const discord = createServer(({ url = '' }, response) => {
    response.writeHead(url in answers ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[url] ?? { code: 0, message: 'Not here' }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void discord.close());
  await once(discord, 'listening');
  const { port } = discord.address() as AddressInfo;
  const report = renderReport(
    await examine({
      DATA_DIR: createTemporaryFolder(),
      PORT: '0',
      DISCORD_TOKEN: `${'M'.repeat(24)}.${'x'.repeat(6)}.${'y'.repeat(38)}`,
      DISCORD_API_URL: `http://127.0.0.1:${port}/api`,
    }),
  );
  expect(report).toContain(line);
});

test('a healthy installation has one line for each check', async () => {
  await using installation = await install();
  const { applicationId } = installation.sandbox.discord.credentials;
  const said = (await report(installation))
    .replace(applicationId, 'APP_ID')
    .replace(installation.env['DATA_DIR'] ?? '', 'DATA_DIR');
  expect(said).toMatchInlineSnapshot(`
    "✓ Configuration: every variable is well-formed.
    ✓ Data folder: DATA_DIR.
    – Causeway: not checked: PORT is 0, so its port is not known.
    ✓ Slack bot token: accepted, as @causeway in Causeway Sandbox.
    ✓ Slack scopes: all 14 are granted.
    ✓ Slack app token: accepted, with the scope connections:write.
    ✓ Slack socket: Slack’s socket can be reached. At most five processes can share this app.
    ✓ Slack channels: the bot is in #general, #help, #leads.
    ✓ Slack manifest: Slack shows how the app is set up.
    ✓ Slack events: the app is subscribed to all events that it needs.
    ✓ Slack commands: the app has /causeway, “Ask about this (only me)”, “Add files as sources”.
    ✓ Slack agent view: on: Slack shows its own Stop button on replies in direct messages.
    ✓ Slack direct messages: people can write to the bot.
    ✓ Slack delivery: over Socket Mode.
    ✓ Discord token: accepted, as causeway.
    ✓ Discord intents: the bot can read messages.
    ✓ Discord interactions: commands and buttons come to the bot.
    ✓ Discord invite: https://discord.com/oauth2/authorize?client_id=APP_ID&scope=bot+applications.commands&permissions=309237763072 “Public Bot” is on: anyone can add the bot to a server. To keep that to yourself, set “Install Link” to None under “Installation” at https://discord.com/developers/applications, then switch it off under “Bot”.
    ✓ Discord servers: one server grants all permissions.
    ✓ Discord channels: in Causeway Sandbox, the bot can answer in 2 of 3 channels that it sees. #readonly does not grant Send Messages, Send Messages in Threads, Create Public Threads.
    ✓ Discord commands: registered, as declared.
    ✓ Service address: the service answers.
    ✓ Service key: accepted.
    ✓ Chatbot: Handbook answers.
    "
  `);
  expect(isHealthy(await examine(installation.env))).toBe(true);
});

test('without a configuration token, the report says what is not checked and how to get one', async () => {
  await using installation = await install(['Slack']);
  delete installation.env['SLACK_CONFIG_TOKEN'];
  const said = await report(installation);
  expect(said).toMatch(
    /^– Slack manifest: not checked: events.*Generate a configuration token.*SLACK_CONFIG_TOKEN/m,
  );
  expect(said).toContain('– Slack commands: not checked: Slack manifest comes first.');
  installation.env['SLACK_CONFIG_TOKEN'] = 'xoxe.xoxp-1-expired';
  expect(await report(installation)).toContain(
    '– Slack manifest: not checked: SLACK_CONFIG_TOKEN: Slack refuses it (invalid_auth).',
  );
  expect(isHealthy(await examine(installation.env))).toBe(true);
});

test('the signing secret is confirmed once Slack has signed a request with it', async () => {
  await using installation = await install(['Slack']);
  const { env, updateManifest } = installation;
  useHttp(env);
  updateManifest(toHttp('https://example.com/slack/events'));
  expect(await report(installation)).toMatch(
    /^– Slack signing secret: not checked: no request.*verify the Request URL/m,
  );
  await using store = await openStore(readConfig(env).storeUrl);
  await rememberSigned(store, 'a-signing-secret');
  expect(await report(installation)).toMatch(/^✓ Slack signing secret: right: .* on 20/m);
  env['SLACK_SIGNING_SECRET'] = 'another-secret';
  expect(await report(installation)).toMatch(/^– Slack signing secret: not checked/m);
});

test('an app without the agent view has no fault', async () => {
  await using installation = await install(['Slack']);
  const { sandbox, updateManifest } = installation;
  updateManifest(({ features, settings, oauth_config: oauth }) => {
    delete features?.agent_view;
    settings?.event_subscriptions?.bot_events?.splice(0, 1);
    oauth?.scopes?.bot?.splice(1, 1);
  });
  sandbox.slack.install(sandbox.slack.manifest());
  const said = await report(installation);
  expect(said).toContain('✓ Slack agent view: off');
  expect(said).not.toContain('✗');
});

test('an app without history scopes has no fault, and the report says what it can’t read', async () => {
  await using installation = await install(['Slack']);
  const { slack } = installation.sandbox;
  slack.install(JSON.parse(createManifest(commandNames(), { history: false })));
  const said = await report(installation);
  expect(said).toContain('✓ Slack scopes: granted, for an app without history scopes');
  expect(said).toContain('✓ Slack direct messages: closed');
  expect(said).not.toContain('✗');
});

test('a channel that denies the bot permissions is named', async () => {
  await using installation = await install(['Discord']);
  const { discord } = installation.sandbox;
  const bot = discord.users().find((user) => user.bot)?.id ?? '';
  const idOf = (name: string) => discord.channels().find((each) => each.name === name)?.id ?? '';
  const seen = async () => /^✓ Discord channels: (.*)$/m.exec(await report(installation))?.[1];
  const before = await seen();
  discord.setPermissions({ channel: idOf('help'), id: discord.guildId, ...closed });
  expect(await seen()).toMatch(/ 1 of 3 .* #help does not grant Send Messages\./);
  // What its own overwrite allows takes precedence.
  const opened = { allow: PermissionFlagsBits.SendMessages, deny: 0n };
  discord.setPermissions({ channel: idOf('help'), id: bot, ...opened });
  expect(await seen()).toBe(before);
  const hidden = { allow: 0n, deny: PermissionFlagsBits.ViewChannel };
  discord.setPermissions({ channel: idOf('help'), id: bot, ...hidden });
  expect(await seen()).toMatch(/ 1 of 2 (?!.*#help)/);
});

test('commands that are also registered for one server are reported as doubled until they are removed there', async () => {
  await using installation = await install(['Discord']);
  const config = readConfig(installation.env);
  const guild = installation.sandbox.discord.guildId;
  expect(await register(config, { guild })).toContain(`registered for server ${guild}`);
  const said = await report(installation);
  expect(said).toMatch(/^✗ Discord commands: Causeway Sandbox also has its own ask, .* twice/m);
  const [, fix = ''] = /Run npm run register -- (.*)\.$/m.exec(said) ?? [];
  expect(fix).toBe(`--guild ${guild} --remove`);
  await expect(register(config, { remove: true })).rejects.toThrow('--remove needs --guild');
  await register(config, { guild, remove: true });
  expect(await report(installation)).toContain('✓ Discord commands: registered, as declared.');
});

test('a variable whose name is almost one of ours is named', async () => {
  const said = renderReport(
    await examine({ DATA_DIR: createTemporaryFolder(), PORT: '0', SLACK_BOT_TOKN: 'xoxb-1' }),
  );
  expect(said).toMatch(/^– Configuration: SLACK_BOT_TOKN .* Did you mean SLACK_BOT_TOKEN\?/m);
});

test('a damaged file is one fault, and everything else is still checked', async () => {
  const folder = createTemporaryFolder();
  const env = { DATA_DIR: folder, PORT: '0' };
  writeFileSync(join(folder, 'causeway.sqlite'), 'no database'.repeat(1000));
  const said = renderReport(await examine(env));
  expect(said).toMatch(/^✗ Stored state: STORE_URL names .* Restore it from a backup/m);
  expect(said).toContain('– Chatbot: not checked');

  writeFileSync(join(folder, 'causeway.sqlite'), '');
  writeFileSync(join(folder, 'service.sqlite'), 'no database'.repeat(1000));
  expect(renderReport(await examine({ ...env, CHATBOT_UUID: 'one' }))).toMatch(
    /^✗ Chatbot: .*service.sqlite cannot be opened: .* Restore it from a backup/m,
  );
});

test('damage in a file that opens is a fault, and everything else is still checked', async () => {
  const folder = createTemporaryFolder();
  const path = join(folder, 'causeway.sqlite');
  await (await openStore(`sqlite:${path}`))[Symbol.asyncDispose]();
  const bytes = readFileSync(path);
  using database = new DatabaseSync(path, { readOnly: true });
  const pages = database.prepare("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'keyv'");
  const { page_size: size } = database.prepare('PRAGMA page_size').get() ?? {};
  for (const { rootpage } of pages.all()) {
    bytes.fill('z', (Number(rootpage) - 1) * Number(size), Number(rootpage) * Number(size));
  }
  writeFileSync(path, bytes);
  const said = renderReport(await examine({ DATA_DIR: folder, PORT: '0' }));
  expect(said).toMatch(/^✗ Chatbot: STORE_URL names .* Restore it from a backup/m);
  expect(said).toContain('– Model: none');
});

test('an unusable data folder is reported before the first start', async () => {
  const file = join(createTemporaryFolder(), 'file');
  writeFileSync(file, '');
  const said = renderReport(await examine({ DATA_DIR: join(file, 'data'), PORT: '0' }));
  expect(said).toContain(`✗ Data folder: ${file} is not a folder. Set DATA_DIR to`);
});

test.each([
  ['Causeway that is ready', 'ready\n', /^✓ Causeway: running and ready at \S+$/m],
  ['a service alone', '{"status":"ready"}', /^✓ Causeway: running and ready/m],
  [
    'Causeway with a warning',
    'ready\nAnother process.\n',
    /ready at .*\n– Causeway: Another process\.$/m,
  ],
  ['another program', '<!doctype html>', /^– Causeway: something else answers at /m],
])('%s is told from what else may answer', async (_, answer, line) => {
  await using installation = await install([]);
  const server = createServer((_request, response) => void response.end(answer)).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  installation.env['PORT'] = String((server.address() as AddressInfo).port);
  expect(await report(installation)).toMatch(line);
});

test('a service that other machines reach is healthy, and the report says what npm start would refuse', async () => {
  await using installation = await install([]);
  installation.env['HOST'] = '0.0.0.0';
  const said = await report(installation);
  expect(said).toContain('– Configuration: for npm start, HOST is 0.0.0.0, but without');
  expect(said).not.toContain('✗');
});

test('without platforms and a service, the doctor says what is not connected', async () => {
  const said = renderReport(await examine({ DATA_DIR: createTemporaryFolder(), PORT: '0' }));
  expect(said).toMatch(/^– Slack: not connected: SLACK_BOT_TOKEN is not set. Run npm run connect/m);
  expect(said).toMatch(/^– Discord: not connected/m);
  expect(said).toMatch(/^– Chatbot: not checked: the first start creates it/m);
});

test('a failing proxy is named, without its password', async () => {
  await using installation = await install();
  await using proxy = await startProxy({ connect: 403 });
  useProxy(proxy.url.replace('//', '//me:geheim@'));
  const { env } = installation;
  env['SLACK_API_URL'] = 'https://slack.test/api/';
  env['DISCORD_API_URL'] = 'https://discord.test/api';
  env['CHATBOT_API_URL'] = 'https://service.test';
  const report = renderReport(await examine(env));
  const who = { slack: 'Slack', discord: 'Discord', service: 'the chatbot service' };
  for (const [host, name] of Object.entries(who)) {
    const reason = `The proxy at ${proxy.url} does not connect to ${host}.test:443 (403).`;
    expect(report).toContain(
      `: ${name} can’t be reached: ${reason} Check the network, the proxy ${proxy.url} and`,
    );
  }
  expect(report).not.toContain('geheim');
});
