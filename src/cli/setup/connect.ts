import { inviteUrl } from '../../bridge/discord/permissions.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { examine, isHealthy, renderReport } from './doctor.ts';
import { readVariables, writeVariables } from './env-file.ts';
import { InputEnded, type Prompter } from './prompter.ts';
import { type SlackApp, chooseApp, foreignTo, prepareApp, usesSocket } from './slack-app.ts';
import {
  type AskedVariable,
  type WrittenVariable,
  created,
  examineVariable,
  written,
} from './variables.ts';
import { type APIChannel, Routes } from 'discord.js';
import { PlatformError } from '../../bridge/conversation/errors.ts';
import { createRest } from '../../bridge/discord/connection.ts';
import { toPlatformError as toDiscordError } from '../../bridge/discord/errors.ts';
import { createBoltLogger, createClients, slackApi } from '../../bridge/slack/clients.ts';
import { toPlatformError as toSlackError } from '../../bridge/slack/errors.ts';
import { askDiscord } from './ask-discord.ts';
import { askSlack, silent } from './ask-slack.ts';
import { Trouble } from './check.ts';

type Variables = Record<string, string | undefined>;

/** What `npm run connect` is given. */
export interface ConnectOptions extends HelloOptions, SlackApp {
  /** The environment, with what options set in it. */
  env: Variables;
  /** The variables set by options, which are not asked for. */
  given?: readonly string[];
  /** The file to write. */
  path: string;
  /** Without one, nothing is asked, and the environment is used as it is. */
  prompter?: Prompter;
  /** Whether the Slack app is an agent; it is by default. */
  agentView?: boolean;
}

/**
 * Connects the platforms and a chatbot service step by step: says where to create the apps, asks for
 * their tokens, checks each and writes it, then checks the whole installation, and posts a hello if
 * asked to. Where nothing is asked, nothing is written while a value is refused.
 * @returns whether everything works
 */
export async function connect(options: ConnectOptions): Promise<boolean> {
  const { path, say, prompter, agentView = true } = options;
  const env = { ...options.env };
  const before = readVariables(path);
  if (agentView) say(freePlan);
  try {
    if (prompter) await askAll(env, options, prompter);
    else
      prepareApp(
        env,
        { ...options, many: options.many ?? Boolean(env['SLACK_CLIENT_ID']) },
        options,
      );
    const lines = await examine(env);
    say(renderReport(lines));
    const refused = lines.find(({ state, variable }) => state === 'fault' && variable)?.variable;
    if (refused && !prompter) {
      say(`Nothing was written, because ${refused} is refused.`);
      return false;
    }
    if (!prompter) writeChanges(env, path, written);
    say(describeChanges(path, before));
    const greeted = refused !== undefined || (await greet(readConfig(env), options));
    const healthy = isHealthy(lines) && greeted;
    say(healthy ? 'Run npm start.' : 'Fix what has a ✗, then run npm run doctor.');
    return healthy;
  } catch (error) {
    if (!(error instanceof InputEnded)) throw error;
    say(`\nStopped. ${describeChanges(path, before)} To go on, run npm run connect again.`);
    return false;
  }
}

const freePlan = `
Is your Slack workspace on the free plan, or are guests to ask questions there? Then use
npm run connect -- --no-agent-view instead: agents need a paid plan, and guests can’t use them.`;

const introduction = `
What you enter is checked at once and kept, so you can stop with Ctrl+C and go on later. Press Enter
to leave out what you don’t need.
`;

/** Asks for each variable, and writes it once it is accepted. */
async function askAll(env: Variables, options: ConnectOptions, prompter: Prompter): Promise<void> {
  const { say, given = [], path } = options;

  /** Resolves with whether the variable is set. */
  async function ask(name: AskedVariable, text: string): Promise<boolean> {
    const before = env[name];
    const isSecret = !/_(?:URL|UUID|ID)$/.test(name);
    const enter = async (words: string) => {
      env[name] = (await prompter.ask(`${words}:`, { isSecret })) || before;
      return env[name] !== before;
    };
    const kept = before ? 'Enter keeps the one that is set' : 'Enter leaves it out';
    if (!given.includes(name)) await enter(`${text} (${kept})`);
    while (env[name]) {
      const line = await examineVariable(name, env);
      if (line) say(renderReport([line]).trimEnd());
      if (line?.state !== 'fault' || !line.variable) {
        writeChanges(env, path, [name]);
        break;
      }
      if (!(await enter(`${text}, again (${kept})`))) break;
    }
    return Boolean(env[name]);
  }

  say(introduction);
  const app = await chooseApp(env, options, prompter);
  prepareApp(env, app, options);
  const isConnected = app.many
    ? (await ask('SLACK_CLIENT_ID', 'Client ID')) &&
      (await ask('SLACK_CLIENT_SECRET', 'Client Secret'))
    : await ask('SLACK_BOT_TOKEN', 'Bot User OAuth Token, xoxb-…');
  if (isConnected) {
    if (usesSocket(app)) await ask('SLACK_APP_TOKEN', 'App-Level Token, xapp-…');
    else await ask('SLACK_SIGNING_SECRET', 'Signing Secret');
    writeChanges(env, path, ['SLACK_AGENT_VIEW', ...foreignTo(app), ...(app.many ? created : [])]);
  }
  say(discordSteps);
  if (await ask('DISCORD_TOKEN', 'Discord bot token')) {
    const [part = ''] = env['DISCORD_TOKEN']?.split('.') ?? [];
    const id = Buffer.from(part, 'base64').toString();
    // A refused token may contain anything.
    if (/^\d+$/.test(id)) say(`Add the bot to a server:\n${inviteUrl(id)}\n`);
  }
  if (await ask('CHATBOT_API_URL', 'Address of a hosted chatbot service, not the built-in one')) {
    await ask('CHATBOT_API_KEY', 'Its key');
    await ask('CHATBOT_UUID', 'The uuid of the chatbot that answers');
  }
}

const discordSteps = `
Create an application at https://discord.com/developers/applications. Under “Bot”, switch on
“Message Content Intent”, then reset and copy the token.
`;

/** Writes those of the variables whose values differ from the file's. */
function writeChanges(env: Variables, path: string, names: readonly WrittenVariable[]): void {
  const known = readVariables(path);
  const changed = names.filter((name) => (env[name] ?? '') !== (known[name] ?? ''));
  if (changed.length === 0) return;
  writeVariables(path, Object.fromEntries(changed.map((name) => [name, env[name] ?? ''])));
}

/** @param before the file's variables before anything was written */
function describeChanges(path: string, before: Variables): string {
  const after = readVariables(path);
  const names = written.filter((name) => after[name] !== before[name]);
  return names.length > 0
    ? `Wrote ${names.join(', ')} to ${path}, which only this user can read.`
    : `There is nothing new to write to ${path}.`;
}

/** Where to post a hello; without a channel, it is asked for. */
interface HelloOptions {
  prompter?: Prompter;
  say(text: string): void;
  slackHello?: string;
  discordHello?: string;
}

/**
 * Posts a hello on each connected platform, in the given channel or in one that it asks for.
 * @returns whether every hello that was asked for was posted
 */
async function greet(config: Config, options: HelloOptions): Promise<boolean> {
  const { prompter, say } = options;
  const platforms = [
    {
      name: 'Slack',
      given: options.slackHello,
      isConnected: config.slack?.botToken,
      send: greetSlack,
    },
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
  if (!slack?.botToken) return;
  const { botToken, apiUrl = slackApi } = slack;
  const known = (await askSlack(slack).channels()).find(({ name }) => name === bare(channel));
  const client = createClients({
    token: async () => botToken,
    apiUrl,
    logger: createBoltLogger(silent),
  }).writes;
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
