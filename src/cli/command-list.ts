import { resolve } from 'node:path';
import { openLog } from '../app/log.ts';
import type { KeyManager } from '../app/manage-keys.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import type { Logger } from 'pino';
import { type Variable, explainMisspelled } from '../config/variables.ts';
import type { Command, CommandGroup, Input, Option } from './command-line.ts';
import { copyCommand } from './copy-command.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { openDataDir } from '../app/upstream.ts';

const address: Record<string, Option> = {
  port: { summary: 'where to listen, instead of PORT', value: 'number', variable: 'PORT' },
  host: { summary: 'where to listen, instead of HOST', value: 'address', variable: 'HOST' },
};

const given = (variable: Variable, value: string): Option => ({
  summary: `instead of ${variable} in the environment`,
  value,
  variable,
});

/** The process list and npm show a secret given as an option; the environment hides it. */
const token = (variable: Variable): Option => ({
  summary: `instead of ${variable} in the environment, where other users can’t see it`,
  value: 'token',
  variable,
});

const connectOptions: Record<string, Option> = {
  'slack-url': {
    summary: 'where Slack reaches this process, for events over HTTP',
    value: 'https://your-host',
  },
  many: { summary: 'for a Slack app that many workspaces install' },
  'socket-mode': { summary: 'with --many: events come over Socket Mode' },
  'no-agent-view': { summary: 'for a Slack workspace without agents, or with guests who ask' },
  'slack-bot-token': token('SLACK_BOT_TOKEN'),
  'slack-client-id': given('SLACK_CLIENT_ID', 'id'),
  'slack-client-secret': token('SLACK_CLIENT_SECRET'),
  'slack-app-token': token('SLACK_APP_TOKEN'),
  'slack-signing-secret': token('SLACK_SIGNING_SECRET'),
  'discord-token': token('DISCORD_TOKEN'),
  'chatbot-url': given('CHATBOT_API_URL', 'address'),
  'chatbot-key': token('CHATBOT_API_KEY'),
  'chatbot-uuid': given('CHATBOT_UUID', 'uuid'),
  'slack-hello': { summary: 'post a hello there', value: 'channel' },
  'discord-hello': { summary: 'post a hello there', value: 'channel' },
  yes: { summary: 'ask nothing: take these options and what the environment has' },
};

/** Manages the keys of the built-in service. */
const keyCommands: CommandGroup = {
  summary: 'Add, list and revoke keys of the built-in service, also while it runs.',
  actions: {
    add: {
      summary: 'Create a key and print it, once.',
      options: {
        owner: {
          summary: 'whose data it is for, created if missing; local by default',
          value: 'name',
        },
        name: { summary: 'what the key is for, as the list shows it', value: 'text' },
      },
      run: ({ env, options }) =>
        useKeys(env, (keys) => keys.add(toText(options['owner']), toText(options['name']))),
    },
    list: {
      summary: 'List the keys: where each begins, its owner and its last use.',
      options: {},
      run: ({ env }) => useKeys(env, (keys) => keys.list()),
    },
    revoke: {
      summary: 'Revoke a key, which is refused at once.',
      argument: '<prefix>',
      options: {},
      run: ({ env, argument = '' }) => useKeys(env, (keys) => keys.revoke(argument)),
    },
  },
};

/** Each command imports only the code it needs: the service alone loads no platform library. */
export const commands: Record<string, Command | CommandGroup> = {
  start: {
    summary:
      'Run the bridge, with the built-in service and the sandbox unless others are configured.',
    options: address,
    run: start,
  },
  serve: { summary: 'Run only the chatbot service.', options: address, run: serve },
  connect: {
    summary:
      'Connect Slack, Discord and a chatbot service step by step: asks for tokens, checks them, and writes .env.',
    options: connectOptions,
    run: connect,
  },
  doctor: {
    summary:
      'Check the configuration, the platforms and the chatbot service, and say how to fix what is wrong; changes nothing.',
    options: { json: { summary: 'print the findings as JSON' } },
    run: doctor,
  },
  register: {
    summary: 'Register Discord’s commands, for all servers or for one.',
    options: {
      guild: { summary: 'the id of a server, for that one alone', value: 'id' },
      remove: { summary: 'remove the commands of that server instead' },
    },
    run: register,
  },
  keys: keyCommands,
  manifest: {
    summary: 'Print the Slack app manifest, for Socket Mode or for events over HTTP.',
    argument: '[https://your-host]',
    options: {
      'no-agent-view': { summary: 'for a workspace without agents, or with guests who ask' },
      many: { summary: 'for an app that many workspaces install' },
      'socket-mode': { summary: 'with an address: events come over Socket Mode all the same' },
    },
    run: manifest,
  },
  backup: {
    summary: 'Copy all data into a new folder, also while Causeway runs.',
    argument: '<folder>',
    options: {},
    run: backup,
  },
  restore: {
    summary: 'Put the data of a backup in its place, while Causeway is stopped.',
    argument: '<folder>',
    options: {
      replace: { summary: 'delete the data that is there' },
      'answer-missed': {
        summary: 'answer what was asked since the backup, even if it was answered then',
      },
    },
    run: restore,
  },
  copy: copyCommand,
};

async function backup({ env, argument = '' }: Input): Promise<void> {
  const { createBackup } = await import('../app/backup.ts');
  const { databases } = await createBackup(readConfig(env, 'service'), resolve(argument));
  process.stdout.write(`Backed up ${databases.join(', ')} to ${argument}.\n`);
}

async function restore({ env, argument = '', options }: Input): Promise<void> {
  const { restoreBackup } = await import('../app/restore.ts');
  const config = readConfig(env, 'service');
  const replace = options['replace'] === true;
  const answerMissed = options['answer-missed'] === true;
  const { databases } = await restoreBackup(config, resolve(argument), {
    replace,
    answerMissed,
  });
  process.stdout.write(
    `Restored ${databases.join(', ')} to ${config.dataDir}. Start Causeway now.\n`,
  );
}

async function start({ env }: Input): Promise<void> {
  const config = readConfig(env);
  const log = await openProcess(config);
  await runUntilStopped(config, log, async (signal) => {
    const { createApp } = await import('../app/app.ts');
    const { summarize } = await import('../app/summary.ts');
    const app = await createApp(config, log, { signal, say });
    say(summarize(config, app));
    return app;
  });
}

async function serve({ env }: Input): Promise<void> {
  const config = readConfig(env, 'service');
  const log = await openProcess(config);
  await runUntilStopped(config, log, async (signal) => {
    const { startService } = await import('../app/serve.ts');
    const service = await startService(config, log, { signal, say });
    const key = service.firstKey;
    say(
      `The chatbot service is running at ${service.origin}/api/v1${key ? `\nIts key, shown only once: ${key}` : ''}`,
    );
    return service;
  });
}

async function connect({ env, options }: Input): Promise<void> {
  const { connect } = await import('./setup/connect.ts');
  const { createPrompter } = await import('./setup/prompter.ts');
  const text = (name: string) => toText(options[name]);
  const given = Object.entries(connectOptions).flatMap(([name, { variable }]) =>
    variable && text(name) !== undefined ? [variable] : [],
  );
  const { stdin: input, stdout: output } = process;
  using prompter = options['yes'] ? undefined : createPrompter({ input, output });
  const isDone = await connect({
    env,
    given,
    path: '.env',
    prompter,
    say: (line) => void output.write(`${line}\n`),
    slackUrl: text('slack-url'),
    many: options['many'] === true ? true : undefined,
    socket: options['socket-mode'] === true ? true : undefined,
    agentView: !options['no-agent-view'],
    slackHello: text('slack-hello'),
    discordHello: text('discord-hello'),
  });
  // As in doctor.
  output.write('', () => process.exit(isDone ? 0 : 1));
}

async function doctor({ env, options }: Input): Promise<void> {
  const { examine, isHealthy, renderJson, renderReport } = await import('./setup/doctor.ts');
  const lines = await examine(env);
  const report = options['json'] ? renderJson(lines) : renderReport(lines);
  // A check that was cut off may still keep a connection open.
  process.stdout.write(report, () => process.exit(isHealthy(lines) ? 0 : 1));
}

async function register({ env, options }: Input): Promise<void> {
  const { register } = await import('./setup/register.ts');
  const guild = toText(options['guild']);
  const done = await register(readConfig(env), { guild, remove: options['remove'] === true });
  process.stdout.write(`${done}\n`);
}

async function useKeys(
  env: Input['env'],
  use: (keys: KeyManager) => Promise<string>,
): Promise<void> {
  const config = readConfig(env, 'service');
  const { openKeys } = await import('../app/manage-keys.ts');
  await openDataDir(config.dataDir);
  await using keys = await openKeys(config);
  process.stdout.write(`${await use(keys)}\n`);
}

function toText(value: Input['options'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

async function manifest({ env, argument: origin, options }: Input): Promise<void> {
  const config = readConfig(env, 'service');
  if (origin !== undefined && URL.parse(origin)?.protocol !== 'https:') {
    throw new ConfigError([
      `${origin} is not an address that Slack can reach. Use one like https://your-host.`,
    ]);
  }
  const many = options['many'] === true;
  if (many && origin === undefined) {
    throw new ConfigError([
      '--many needs the address to which Slack sends people back who install the app, such as https://your-host.',
    ]);
  }
  const { createManifest } = await import('../app/manifest.ts');
  const given = {
    origin,
    many,
    socket: options['socket-mode'] === true,
    ...config.slackApp,
    ...(options['no-agent-view'] === true && { agentView: false }),
  };
  process.stdout.write(createManifest(config.commandNames, given));
}

/** Prints something for the person who started the process, set off from the log. */
function say(text: string): void {
  process.stdout.write(`\n${text}\n\n`);
}

/** What each long-running command does first. */
async function openProcess(config: Config): Promise<Logger> {
  const log = await openLog(config);
  for (const variable of config.misspelled) {
    log.warn({ variable: variable.name }, explainMisspelled(variable));
  }
  await openDataDir(config.dataDir);
  return log;
}
