import { type APIChannel, Routes } from 'discord.js';
import { createManifest } from '../../app/manifest.ts';
import { PlatformError } from '../../bridge/conversation/errors.ts';
import { createRest } from '../../bridge/discord/connection.ts';
import { toPlatformError as toDiscordError } from '../../bridge/discord/errors.ts';
import { inviteUrl } from '../../bridge/discord/permissions.ts';
import { createBoltLogger, createClients, slackApi } from '../../bridge/slack/clients.ts';
import { toPlatformError as toSlackError } from '../../bridge/slack/errors.ts';
import { type Config, ConfigError, readConfig } from '../../config/config.ts';
import { askDiscord } from './ask-discord.ts';
import { askSlack, silent } from './ask-slack.ts';
import { type Line, Trouble } from './check.ts';
import { examine, isHealthy, renderReport } from './doctor.ts';
import { readVariables, writeVariables } from './env-file.ts';
import type { Prompter } from './prompter.ts';

type Variables = Record<string, string | undefined>;

/** What `npm run connect` is given. */
export interface ConnectOptions {
  /** The environment, with what options set in it. */
  env: Variables;
  /** The variables set by options, which are not asked for. */
  given?: readonly string[];
  /** The file to write. */
  path: string;
  /** Without one, nothing is asked, and the environment is used as it is. */
  prompter?: Prompter;
  say(text: string): void;
  /** Where Slack reaches the process, for events over HTTP. */
  slackUrl?: string;
  /** Whether the Slack app is an agent; it is by default. */
  agentView?: boolean;
  /** Channels to post a hello in. */
  slackHello?: string;
  discordHello?: string;
}

/** The variables that it asks for and writes. */
const asked = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'DISCORD_TOKEN',
  'CHATBOT_API_URL',
  'CHATBOT_API_KEY',
  'CHATBOT_UUID',
] as const;

/**
 * Connects the platforms and a chatbot service step by step: says where to create the apps, asks for
 * their tokens, checks the installation, writes the file, and posts a hello if asked to. Nothing is
 * written while a value is refused.
 * @returns whether everything works
 */
export async function connect(options: ConnectOptions): Promise<boolean> {
  const { path, say } = options;
  const env = { ...options.env };
  const { prompter } = options;
  if (prompter) await askAll(env, options, prompter);
  else {
    explainSlack(env, options);
    if (options.slackUrl) leaveSocketMode(env);
  }

  const lines = await examineUntilAccepted(env, options);
  if (!lines) return false;
  const values = changesOf(env, readVariables(path));
  const names = Object.keys(values);
  if (names.length > 0) writeVariables(path, values);
  say(describeChanges(path, names));
  const greeted = await greet(env, options);
  const healthy = isHealthy(lines) && greeted;
  say(healthy ? 'Run npm start.' : 'Fix what has a ✗, then run npm run doctor.');
  return healthy;
}

async function askAll(env: Variables, options: ConnectOptions, prompter: Prompter): Promise<void> {
  const { say, given = [] } = options;
  const ask = async (name: string, text: string) => {
    if (given.includes(name)) return Boolean(env[name]);
    const kept = env[name] ? 'Enter keeps the one that is set' : 'Enter leaves it out';
    const isSecret = !name.endsWith('_URL') && !name.endsWith('_UUID');
    const answer = await prompter.ask(`${text} (${kept}):`, { isSecret });
    if (answer) env[name] = answer;
    return Boolean(env[name]);
  };

  const slackUrl =
    options.slackUrl ??
    (await prompter.ask('Address at which Slack reaches this process (Enter for Socket Mode):'));
  explainSlack(env, { ...options, slackUrl });
  if (await ask('SLACK_BOT_TOKEN', 'Bot User OAuth Token, xoxb-…')) {
    if (slackUrl) {
      await ask('SLACK_SIGNING_SECRET', 'Signing Secret');
      leaveSocketMode(env);
    } else {
      await ask('SLACK_APP_TOKEN', 'App-Level Token, xapp-…');
    }
  }
  say(discordSteps);
  if (await ask('DISCORD_TOKEN', 'Discord bot token')) {
    const [part = ''] = env['DISCORD_TOKEN']?.split('.') ?? [];
    const id = Buffer.from(part, 'base64').toString();
    // An invalid token is refused below.
    if (/^\d+$/.test(id)) say(`Add the bot to a server:\n${inviteUrl(id)}\n`);
  }
  if (await ask('CHATBOT_API_URL', 'Address of a hosted chatbot service, not the built-in one')) {
    await ask('CHATBOT_API_KEY', 'Its key');
    await ask('CHATBOT_UUID', 'The uuid of the chatbot that answers');
  }
}

/** With an app token, events would come over Socket Mode. */
function leaveSocketMode(env: Variables): void {
  if (env['SLACK_APP_TOKEN']) env['SLACK_APP_TOKEN'] = '';
}

function explainSlack(env: Variables, { slackUrl, agentView, say }: ConnectOptions): void {
  const { commandNames } = readConfig({
    SLACK_COMMAND: env['SLACK_COMMAND'],
    SLACK_SHORT_COMMANDS: env['SLACK_SHORT_COMMANDS'],
    COMMAND_PREFIX: env['COMMAND_PREFIX'],
  });
  if (slackUrl && URL.parse(slackUrl)?.protocol !== 'https:') {
    throw new ConfigError([
      `${slackUrl} is not an address that Slack can reach. Use one like https://your-host.`,
    ]);
  }
  const text = createManifest(commandNames, { origin: slackUrl || undefined, agentView });
  const manifest = JSON.stringify(JSON.parse(text));
  const address = `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(manifest)}`;
  const second = slackUrl
    ? 'The signing secret is under “Basic Information”.'
    : 'Then generate a token with the scope connections:write under “Basic Information → App-Level Tokens”.';
  say(`Create the Slack app, with its manifest filled in:\n${address}\n
Install it under “Install App”, where the bot token then is. ${second}\n`);
}

const discordSteps = `
Create an application at https://discord.com/developers/applications. Under “Bot”, switch on
“Message Content Intent”, then reset and copy the token.
`;

/** Asks again for refused values. Undefined if one stays refused. */
async function examineUntilAccepted(
  env: Variables,
  { prompter, say }: ConnectOptions,
): Promise<Line[] | undefined> {
  for (;;) {
    const lines = await examine(env);
    say(renderReport(lines));
    const refused = lines.flatMap(({ state, variable }) =>
      state === 'fault' && variable ? [variable] : [],
    );
    if (refused.length === 0) return lines;
    for (const variable of new Set(refused)) {
      const canAsk = asked.some((name) => name === variable);
      const question = `${variable} again (Enter to stop):`;
      const answer = canAsk && (await prompter?.ask(question, { isSecret: true }));
      if (!answer) {
        say(`Nothing was written, because ${variable} is refused.`);
        return undefined;
      }
      env[variable] = answer;
    }
  }
}

/** The variables whose values differ from those in the file. */
function changesOf(env: Variables, known: Variables): Record<string, string> {
  const changed = asked.filter((name) => (env[name] ?? '') !== (known[name] ?? ''));
  return Object.fromEntries(changed.map((name) => [name, env[name] ?? '']));
}

function describeChanges(path: string, names: readonly string[]): string {
  return names.length > 0
    ? `Wrote ${names.join(', ')} to ${path}, which only this user can read.`
    : `There is nothing new to write to ${path}.`;
}

/** Whether every hello that was asked for was posted. */
async function greet(env: Variables, options: ConnectOptions): Promise<boolean> {
  const { prompter, say } = options;
  const config = readConfig(env);
  const platforms = [
    { name: 'Slack', given: options.slackHello, isConnected: config.slack, send: greetSlack },
    {
      name: 'Discord',
      given: options.discordHello,
      isConnected: config.discord,
      send: greetDiscord,
    },
  ];
  let isGreeted = true;
  for (const { name, given, isConnected, send } of platforms) {
    if (!isConnected) continue;
    const question = `Channel in ${name} for a hello, such as #general (Enter for none):`;
    const channel = given ?? (await prompter?.ask(question));
    if (!channel) continue;
    try {
      await send(config, channel);
      say(`Said hello in ${channel}.`);
    } catch (error) {
      if (!(error instanceof PlatformError || error instanceof Trouble)) throw error;
      say(`✗ No hello in ${channel}: ${error.message}`);
      isGreeted = false;
    }
  }
  return isGreeted;
}

const hello = 'Hello! Mention me with a question, and I answer in a thread.';

/**
 * Posts a hello in a channel of Slack.
 * @param channel its id, or its name such as `#general`
 * @throws {PlatformError} when Slack refuses it
 * @throws {Trouble} when the bot's channels can't be listed
 */
async function greetSlack({ slack }: Config, channel: string): Promise<void> {
  if (!slack) return;
  const { botToken, apiUrl = slackApi } = slack;
  const known = (await askSlack(slack).channels()).find(({ name }) => name === bare(channel));
  const client = createClients({ botToken, apiUrl, logger: createBoltLogger(silent) }).writes;
  try {
    await client.chat.postMessage({ channel: known?.id ?? channel, text: hello });
  } catch (error) {
    throw toSlackError(error);
  }
}

/**
 * Posts a hello in a channel of Discord.
 * @param channel its id, or its name such as `#general`
 * @throws {PlatformError} when Discord refuses it
 * @throws {Trouble} when the bot's servers can't be listed
 */
async function greetDiscord(config: Config, channel: string): Promise<void> {
  if (!config.discord) return;
  using asked = askDiscord(config.discord, config);
  using rest = createRest(config.discord);
  const find = async () => {
    if (/^\d+$/.test(channel)) return channel;
    for (const { id } of await asked.guilds()) {
      const channels = (await rest.get(Routes.guildChannels(id))) as APIChannel[];
      const found = channels.find((each) => 'name' in each && each.name === bare(channel));
      if (found) return found.id;
    }
    return channel;
  };
  try {
    const body = { content: hello, allowed_mentions: { parse: [] } };
    await rest.post(Routes.channelMessages(await find()), { body });
  } catch (error) {
    throw toDiscordError(error);
  }
}

function bare(channel: string): string {
  return channel.replace(/^#/, '');
}
