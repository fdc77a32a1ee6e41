import { readFileSync } from 'node:fs';
import { commands } from '../../src/bridge/commands/commands.ts';
import { shortCommands } from '../../src/config/bridge.ts';
import { describe, expect, it } from 'vitest';
import { reservedCommands } from '../../src/sandbox/slack/manifest.ts';
import { commandNames } from '../fixtures/command-names.ts';
import { ConfigError, readConfig } from '../../src/config/config.ts';

const discordToken = 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** The names of the variables that are read. */
function readFrom(env: Record<string, string>): Set<string> {
  const names = new Set<string>();
  readConfig(
    new Proxy(env, {
      get(variables, name) {
        names.add(String(name));
        return Reflect.get(variables, name);
      },
    }),
  );
  return names;
}

const hosted = {
  CHATBOT_API_URL: 'https://example.com',
  CHATBOT_API_KEY: 'the-key!',
  CHATBOT_UUID: 'u',
};

describe('readConfig', () => {
  it('works with an empty environment: the built-in service and the sandbox, on loopback', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      logLevel: 'info',
      graceMs: 6000,
      storeUrl: expect.stringMatching(/^sqlite:\/.*\/data\/causeway\.sqlite$/),
      chatbot: {
        kind: 'embedded',
        apiKeys: [],
        maxUploadBytes: 25 * 1024 * 1024,
        allowPrivateAddresses: false,
      },
    });
    expect(readConfig({})).not.toHaveProperty('slack');
  });

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', SLACK_BOT_TOKEN: '  ' })).toEqual(readConfig({}));
  });

  it('reads both platforms and a hosted service', () => {
    const config = readConfig({
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_APP_TOKEN: 'xapp-1',
      DISCORD_TOKEN: discordToken,
      CHATBOT_API_URL: 'https://example.com',
      CHATBOT_API_KEY: 'the-key!',
      CHATBOT_UUID: 'u',
      HOST: '0.0.0.0',
      PORT: '0',
    });
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      slack: { botToken: 'xoxb-1', delivery: { kind: 'socket', appToken: 'xapp-1' } },
      discord: { token: discordToken },
      chatbot: { kind: 'hosted', url: 'https://example.com', apiKey: 'the-key!', uuid: 'u' },
    });
  });

  it.each([
    ['auto', undefined],
    ['4', { first: 0, last: 3, count: 4 }],
    ['0-3/16', { first: 0, last: 3, count: 16 }],
    ['15-15/16', { first: 15, last: 15, count: 16 }],
  ])('reads the shards %s', (shards, range) => {
    const { discord } = readConfig({ DISCORD_TOKEN: discordToken, DISCORD_SHARDS: shards });
    expect(discord?.shards).toEqual(range);
  });

  describe('an app that workspaces install', () => {
    const install = {
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'client-secret',
      SLACK_STATE_SECRET: 'a-long-state-secret',
      SECRETS_KEY: '5a'.repeat(32),
      SLACK_APP_TOKEN: 'xapp-1',
    };

    it('has its credentials in place of a token', () => {
      const { slack } = readConfig({ ...install, SECRETS_KEY_PREVIOUS: `${'A'.repeat(43)}=` });
      expect(slack).toMatchObject({
        install: {
          clientId: '1.2',
          clientSecret: 'client-secret',
          stateSecret: 'a-long-state-secret',
          secretsKey: '5a'.repeat(32),
          previousSecretsKey: `${'A'.repeat(43)}=`,
        },
        delivery: { kind: 'socket', appToken: 'xapp-1' },
      });
      expect(slack).not.toHaveProperty('botToken');
    });

    it.each([
      [
        { SLACK_BOT_TOKEN: 'xoxb-1' },
        'SLACK_BOT_TOKEN is set together with SLACK_CLIENT_ID. Leave',
      ],
      [
        { SLACK_CLIENT_SECRET: '' },
        'SLACK_CLIENT_SECRET is missing. SLACK_CLIENT_ID, SLACK_CLIENT',
      ],
      [{ SECRETS_KEY: 'too-short-a-key' }, 'SECRETS_KEY is not a key of 32 bytes, as 64 hex'],
      [{ SLACK_STATE_SECRET: 'short' }, 'SLACK_STATE_SECRET is shorter than 16 characters.'],
      [{ SLACK_APP_TOKEN: '' }, 'SLACK_CLIENT_ID is not enough. Also set SLACK_APP_TOKEN'],
    ])('with %j is refused', (change, fault) => {
      const faults = faultsOf({ ...install, ...change });
      expect(faults).toEqual([expect.stringMatching(new RegExp(`^${RegExp.escape(fault)}`))]);
      expect(faults[0]).not.toContain('too-short-a-key');
    });

    it('needs a key before a previous one', () => {
      expect(faultsOf({ SECRETS_KEY_PREVIOUS: '5a'.repeat(32) })).toEqual([
        'SECRETS_KEY_PREVIOUS is set without SECRETS_KEY. Set both, or neither.',
      ]);
    });
  });

  it('reads proxies in capitals or, preferably, small letters, with or without a scheme', () => {
    const { http, https, direct } = readConfig({
      HTTP_PROXY: 'proxy.example:3128',
      HTTPS_PROXY: 'http://other.example:3128',
      https_proxy: 'https://me:p%40ss@proxy.example:3129',
      NO_PROXY: '.example.com, 10.0.0.0/8',
      HOST: '192.168.1.7',
      DISCORD_TOKEN: discordToken,
    }).proxies;
    expect(http?.href).toBe('http://proxy.example:3128/');
    expect(https?.href).toBe('https://me:p%40ss@proxy.example:3129/');
    expect(direct).toEqual(['.example.com', '10.0.0.0/8', '192.168.1.7']);
  });

  it.each([
    'socks5://proxy.example',
    'http://',
    'http://me:100%secret@proxy.example',
    'http://proxy.example/path/secret',
  ])('refuses %s as a proxy without repeating it', (address) => {
    const faults = faultsOf({ https_proxy: address });
    expect(faults).toEqual([expect.stringMatching(/^https_proxy is not the address of an HTTP/)]);
    expect(faults[0]).not.toContain('secret');
  });

  it('does not report names similar to those of proxies', () => {
    const env = { FTP_PROXY: 'http://proxy.example', https_proxy: '', ALL_PROXY: 'x' };
    expect(readConfig(env).misspelled).toEqual([]);
  });

  it('accepts the ids of people, user groups and roles as managers', () => {
    const managers = ['U012AB3CD', 'W012AB3CD', 'S012AB3CD', '80351110224678912'];
    expect(readConfig({ MANAGERS: managers.join(', ') }).managers).toEqual(managers);
  });

  it('reads the maximum age of missed messages in hours, by default a day', () => {
    const hourMs = 60 * 60 * 1000;
    expect(readConfig({}).catchUpMs).toBe(24 * hourMs);
    expect(readConfig({ CATCH_UP_HOURS: '0' }).catchUpMs).toBe(0);
    expect(readConfig({ CATCH_UP_HOURS: '168' }).catchUpMs).toBe(168 * hourMs);
  });

  it.each([
    ['redis:x', 'has an unknown scheme, redis:. Use'],
    ['memory:', 'names no database. Use'],
    ['sqlite:///data/store.sqlite', 'has // at the start of its file path. Use'],
    ['postgres:///causeway', 'names no host. Use'],
    ['postgres://ada:hunter2@db.example', 'names no database. Use'],
    [
      'postgres://ada:hun/ter2@db.example/causeway',
      'has a wrong port, or special characters in its password that are not percent-encoded. Use',
    ],
    ['sqlite:data/service.sqlite', '/service.sqlite, which is for other data. Name another file'],
    ['sqlite:data/../data/sandbox.sqlite', '/sandbox.sqlite, which is for other data.'],
    ['sqlite:data/files/causeway.sqlite', '/files/causeway.sqlite, which is for other data.'],
  ])('says what is wrong with STORE_URL, beside all else: %s', (storeUrl, expected) => {
    const faults = faultsOf({ STORE_URL: storeUrl, DATA_DIR: 'data', TURNS_MAX: 'many' });
    expect(faults).toEqual([
      expect.stringMatching(/^STORE_URL (?:has|names) /),
      expect.stringMatching(/^TURNS_MAX /),
    ]);
    expect(faults[0]).toContain(expected);
    expect(faults[0]).not.toMatch(/hun\/?ter2/);
  });

  it('reports all faults at once, each with its variable', () => {
    const faults = faultsOf({
      SLACK_APP_TOKEN: 'xapp-1',
      DISCORD_API_URL: 'https://example.com',
      PORT: 'x',
      LOG_LEVEL: 'loud',
      STORE_URL: 'mysql:x',
      HOST: 'here',
      COMMAND_PREFIX: 'KB ',
      CHATBOT_API_KEY: 'the-key!',
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'SLACK_APP_TOKEN',
      'DISCORD_API_URL',
      'HOST',
      'PORT',
      'LOG_LEVEL',
      'STORE_URL',
      'COMMAND_PREFIX',
      'CHATBOT_API_KEY',
    ]);
  });

  it.each([
    [{ PORT: '70000' }, 'PORT'],
    [{ METRICS_PORT: '70000' }, 'METRICS_PORT'],
    [{ METRICS_PORT: '3000' }, 'METRICS_PORT'],
    [{ METRICS_TOKEN: '15-characters..' }, 'METRICS_TOKEN'],
    [{ METRICS_TOKEN: 'a long token with blanks' }, 'METRICS_TOKEN'],
    [{ HOST: '0.0.0.0' }, 'HOST'],
    [{ SLACK_BOT_TOKEN: 'xoxb-1' }, 'SLACK_BOT_TOKEN'],
    [{ SLACK_BOT_TOKEN: 'xoxp-1', SLACK_APP_TOKEN: 'xapp-1' }, 'SLACK_BOT_TOKEN'],
    [{ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xoxb-1' }, 'SLACK_APP_TOKEN'],
    [{ SLACK_APP_TOKEN: 'xapp-1' }, 'SLACK_APP_TOKEN'],
    [{ SLACK_SIGNING_SECRET: 'a-secret' }, 'SLACK_SIGNING_SECRET'],
    [{ SLACK_API_URL: 'https://example.com' }, 'SLACK_API_URL'],
    [{ DISCORD_API_URL: 'https://example.com' }, 'DISCORD_API_URL'],
    [{ DISCORD_TOKEN: discordToken, DISCORD_API_URL: 'ftp://example.com' }, 'DISCORD_API_URL'],
    [{ CHATBOT_API_KEY: 'the-key!' }, 'CHATBOT_API_KEY'],
    [{ CHATBOT_API_URL: 'https://example.com', CHATBOT_UUID: 'u' }, 'CHATBOT_API_KEY'],
    [{ CHATBOT_API_URL: 'https://example.com', CHATBOT_API_KEY: 'the-key!' }, 'CHATBOT_UUID'],
    [
      {
        CHATBOT_API_URL: 'https://me:pw@example.com',
        CHATBOT_API_KEY: 'the-key!',
        CHATBOT_UUID: 'u',
      },
      'CHATBOT_API_URL',
    ],
    [{ ...hosted, CHATBOT_API_URL: 'https://example.com/api?v=1' }, 'CHATBOT_API_URL'],
    [{ ...hosted, CHATBOT_API_URL: 'https://example.com/#api' }, 'CHATBOT_API_URL'],
    [{ ...hosted, CHATBOT_API_KEY: 'two words' }, 'CHATBOT_API_KEY'],
    [{ ...hosted, CHATBOT_API_KEY: 'schlüssel' }, 'CHATBOT_API_KEY'],
    [{ ...hosted, CHATBOT_API_KEY: '"quoted"' }, 'CHATBOT_API_KEY'],
    [{ DISCORD_TOKEN: 'a-client-secret' }, 'DISCORD_TOKEN'],
    ...['0', '-1', '1001', 'all', '0-3', '4-3/16', '0-16/16', '0-3/16/2'].map(
      (shards): [Record<string, string>, string] => [{ DISCORD_SHARDS: shards }, 'DISCORD_SHARDS'],
    ),
    [{ DISCORD_TOKEN: `Bot ${discordToken}` }, 'DISCORD_TOKEN'],
    [{ LOG_FORMAT: 'xml' }, 'LOG_FORMAT'],
    [{ ...hosted, CHATBOT_API_KEY: '7-chars' }, 'CHATBOT_API_KEY'],
    [{ SERVICE_API_KEYS: 'short' }, 'SERVICE_API_KEYS'],
    [{ SERVICE_API_KEYS: 'an-owner-with-a:short-key' }, 'SERVICE_API_KEYS'],
    [{ SERVICE_API_KEYS: ':0123456789abcdef' }, 'SERVICE_API_KEYS'],
    [{ SERVICE_API_KEYS: 'one:two:0123456789abcdef' }, 'SERVICE_API_KEYS'],
    [{ SERVICE_API_KEYS: 'a:0123456789abcdef,b:0123456789abcdef' }, 'SERVICE_API_KEYS'],
    [{ CORS_ORIGINS: 'app.example.com' }, 'CORS_ORIGINS'],
    [{ CORS_ORIGINS: 'https://app.example.com/' }, 'CORS_ORIGINS'],
    [{ CORS_ORIGINS: 'https://app.example.com:443' }, 'CORS_ORIGINS'],
    [{ CORS_ORIGINS: 'null' }, 'CORS_ORIGINS'],
    [{ UPLOAD_MAX_MB: '65' }, 'UPLOAD_MAX_MB'],
    [{ OWNER_MAX_MB: '0' }, 'OWNER_MAX_MB'],
    [{ ALLOW_PRIVATE_ADDRESSES: 'yes' }, 'ALLOW_PRIVATE_ADDRESSES'],
    [
      { LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'm', LLM_API_KEY: 'ollama' },
      'LLM_API_KEY',
    ],
    [{ LLM_BASE_URL: 'http://127.0.0.1:1/v1' }, 'LLM_MODEL'],
    [{ LLM_MODEL: 'm' }, 'LLM_MODEL'],
    [{ LLM_API_KEY: 'the-key!' }, 'LLM_API_KEY'],
    [{ EMBEDDINGS_BASE_URL: 'http://127.0.0.1:1/v1' }, 'EMBEDDINGS_MODEL'],
    [{ EMBEDDINGS_BASE_URL: 'here', EMBEDDINGS_MODEL: 'm' }, 'EMBEDDINGS_BASE_URL'],
    [{ EMBEDDINGS_MODEL: 'm' }, 'EMBEDDINGS_MODEL'],
    [{ EMBEDDINGS_API_KEY: 'the-key!' }, 'EMBEDDINGS_API_KEY'],
    [{ COMMAND_PREFIX: 'KB ' }, 'COMMAND_PREFIX'],
    [{ MANAGERS: 'U012AB3CD, ada' }, 'MANAGERS'],
    [{ REPLY_MAX_CHARACTERS: '10' }, 'REPLY_MAX_CHARACTERS'],
    [{ REPLY_TIMEOUT_SECONDS: 'soon' }, 'REPLY_TIMEOUT_SECONDS'],
    [{ CATCH_UP_HOURS: '169' }, 'CATCH_UP_HOURS'],
    [{ SHUTDOWN_GRACE_SECONDS: '1.5' }, 'SHUTDOWN_GRACE_SECONDS'],
    [{ REPLY_MAX_MINUTES: '0' }, 'REPLY_MAX_MINUTES'],
    [{ REPLY_FIRST_TEXT_SECONDS: '0' }, 'REPLY_FIRST_TEXT_SECONDS'],
    [{ LLM_TEMPERATURE: 'warm' }, 'LLM_TEMPERATURE'],
    [{ LLM_MAX_TOKENS: '1' }, 'LLM_MAX_TOKENS'],
    [{ LLM_CONTEXT_TOKENS: '4k' }, 'LLM_CONTEXT_TOKENS'],
    [{ LLM_VISION: 'on' }, 'LLM_VISION'],
    [{ TRANSCRIPTION_BASE_URL: 'http://127.0.0.1:9/v1' }, 'TRANSCRIPTION_MODEL'],
    [{ TRANSCRIPTION_MODEL: 'whisper-1' }, 'TRANSCRIPTION_MODEL'],
    [{ SLACK_NATIVE_STREAMING: 'yes' }, 'SLACK_NATIVE_STREAMING'],
    [{ SLACK_COMMAND: '/causeway' }, 'SLACK_COMMAND'],
    [{ SLACK_COMMAND: 'source', SLACK_SHORT_COMMANDS: 'on' }, 'SLACK_COMMAND'],
    [
      { SLACK_COMMAND: 'kb-ask', COMMAND_PREFIX: 'kb-', SLACK_SHORT_COMMANDS: 'on' },
      'SLACK_COMMAND',
    ],
    [{ SLACK_SHORT_COMMANDS: 'yes' }, 'SLACK_SHORT_COMMANDS'],
  ])('finds the fault in %j', (env, variable) => {
    expect(faultsOf(env)).toEqual([
      expect.stringMatching(new RegExp(`^${variable} .*\\. .+\\.$`, 's')),
    ]);
  });

  it('reads the names of commands, and refuses names that Slack refuses', () => {
    expect(readConfig({}).commandNames).toEqual(commandNames());
    expect(
      readConfig({ COMMAND_PREFIX: 'kb-', SLACK_COMMAND: 'kb', SLACK_SHORT_COMMANDS: 'on' })
        .commandNames,
    ).toEqual(commandNames({ prefix: 'kb-', slack: 'kb', slackShort: true }));
    for (const name of reservedCommands) {
      expect(faultsOf({ SLACK_COMMAND: name.slice(1) })).toEqual([
        expect.stringContaining('a command of Slack’s own'),
      ]);
    }
  });

  it('reads the servers of the built-in service', () => {
    const { chatbot } = readConfig({
      LLM_BASE_URL: 'http://127.0.0.1:1/v1',
      LLM_MODEL: 'small',
      EMBEDDINGS_BASE_URL: 'http://127.0.0.1:2/v1',
      EMBEDDINGS_API_KEY: 'the-key!',
      EMBEDDINGS_MODEL: 'tiny',
    });
    expect(chatbot).toMatchObject({
      llm: { baseUrl: 'http://127.0.0.1:1/v1', model: 'small' },
      embeddings: { baseUrl: 'http://127.0.0.1:2/v1', apiKey: 'the-key!', model: 'tiny' },
    });
  });

  it('keeps the query of a model server’s address', () => {
    const baseUrl = 'https://example.com/v1?api-version=1';
    const { chatbot } = readConfig({ LLM_BASE_URL: baseUrl, LLM_MODEL: 'small' });
    expect(chatbot).toMatchObject({ llm: { baseUrl } });
  });

  it.each([
    ['SLACK_BOT_TOKE', 'SLACK_BOT_TOKEN'],
    ['SLACK_TOKEN', 'SLACK_APP_TOKEN'],
    ['DISCORD_BOT_TOKEN', 'DISCORD_TOKEN'],
    ['LLM_BASEURL', 'LLM_BASE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['data_dir', 'DATA_DIR'],
  ])('reports %s, and that %s was probably meant', (name, near) => {
    expect(readConfig({ [name]: 'x' }).misspelled).toEqual([{ name, near }]);
  });

  it('does not report the variables of other programs', () => {
    const others = ['HOME', 'HOSTNAME', 'LOGNAME', 'NODE_ENV', 'SLACK_', 'SHELL', 'PATH', 'USER'];
    const env = Object.fromEntries(others.map((name) => [name, 'x']));
    expect(readConfig(env).misspelled).toEqual([]);
    expect(readConfig({ SLACK_BOT_TOKE: '' }).misspelled).toEqual([]);
  });

  it('asks a model only for the parameters that are set', () => {
    const server = { LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'small' };
    const read = (env: Record<string, string>) => readConfig({ ...server, ...env }).chatbot;
    expect(read({})).toMatchObject({
      llm: {
        temperature: undefined,
        maxTokens: undefined,
        contextTokens: undefined,
        vision: false,
      },
    });
    const set = {
      LLM_TEMPERATURE: '0',
      LLM_MAX_TOKENS: '500',
      LLM_CONTEXT_TOKENS: '8192',
      LLM_VISION: 'on',
    };
    expect(read(set)).toMatchObject({
      llm: { temperature: 0, maxTokens: 500, contextTokens: 8192, vision: true },
    });
  });

  it.each([
    [{}, 120_000, 60_000],
    [{ REPLY_TIMEOUT_SECONDS: '300' }, 600_000, 300_000],
    [{ REPLY_FIRST_TEXT_SECONDS: '90' }, 90_000, 60_000],
    [{ REPLY_FIRST_TEXT_SECONDS: '5', REPLY_TIMEOUT_SECONDS: '10' }, 5000, 10_000],
  ])('reads the limits of a reply’s silence from %j', (env, firstTextMs, timeoutMs) => {
    expect(readConfig(env as Record<string, string>).reply).toMatchObject({
      firstTextMs,
      timeoutMs,
    });
  });

  it('reads the keys of the service with their owners', () => {
    const env = { SERVICE_API_KEYS: '0123456789abcdef, ada@acme.example:fedcba9876543210' };
    expect(readConfig(env).chatbot).toMatchObject({
      apiKeys: [
        { key: '0123456789abcdef', owner: undefined },
        { key: 'fedcba9876543210', owner: 'ada@acme.example' },
      ],
    });
  });

  it('lets the service listen on all interfaces when it runs alone', () => {
    expect(readConfig({ HOST: '0.0.0.0' }, 'service').host).toBe('0.0.0.0');
  });

  it('closes the metrics of a process that other machines reach, unless they have a token or port', () => {
    const metricsOf = (env: Record<string, string>) =>
      readConfig({ DISCORD_TOKEN: discordToken, ...env }).metrics;
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost', '']) {
      expect(metricsOf({ HOST: host })).toEqual({ isClosed: false });
    }
    for (const host of ['0.0.0.0', '::', '192.168.1.7', '::ffff:127.0.0.1']) {
      expect(metricsOf({ HOST: host })).toEqual({ isClosed: true });
    }
    const token = 'sixteen-letters!';
    expect(metricsOf({ HOST: '::', METRICS_TOKEN: token })).toEqual({
      token,
      isClosed: false,
    });
    expect(metricsOf({ HOST: '::', METRICS_PORT: '9464' })).toEqual({
      port: 9464,
      isClosed: false,
    });
    expect(metricsOf({ PORT: '0', METRICS_PORT: '0' })).toEqual({ port: 0, isClosed: false });
  });

  it('repeats no secret in its faults', () => {
    const env = {
      METRICS_TOKEN: 'hunter2',
      SLACK_BOT_TOKEN: 'hunter2-token',
      SERVICE_API_KEYS: 'hunter2',
      LLM_API_KEY: 'hunter2',
      CHATBOT_API_URL: 'ada:hunter2@example.com',
    };
    const faults = faultsOf(env).join('\n');
    expect(faults).toContain('CHATBOT_API_URL');
    expect(faults).not.toContain('hunter2');
  });
});

it('knows the names of all commands', () => {
  expect(shortCommands).toEqual(commands.map(({ name }) => name).toSorted());
});

describe('the documented configuration', () => {
  // Which variables are read depends on the service.
  const read = [...readFrom({}), ...readFrom(hosted)];
  // Proxies are read in small letters too.
  const variables = [...new Set(read.map((name) => name.toUpperCase()))].toSorted();

  it('has every variable in .env.example', () => {
    const example = readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_]+)=/gm);
    expect([...example].map((match) => match[1] ?? '').toSorted()).toEqual(variables);
  });

  it('has every variable in the table of docs/configuration.md', () => {
    const table = readFileSync('docs/configuration.md', 'utf8').matchAll(/^\| `([A-Z_]+)`/gm);
    expect([...table].map((match) => match[1] ?? '').toSorted()).toEqual(variables);
  });

  it('equals that of an unchanged .env.example', () => {
    const lines = readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm);
    const env = Object.fromEntries([...lines].map(([, name = '', value]) => [name, value]));
    expect(readConfig(env)).toEqual(readConfig({}));
  });
});
