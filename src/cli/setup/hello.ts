import { type APIChannel, Routes } from 'discord.js';
import { PlatformError } from '../../bridge/conversation/errors.ts';
import { createRest } from '../../bridge/discord/connection.ts';
import { toPlatformError as toDiscordError } from '../../bridge/discord/errors.ts';
import { createBoltLogger, createClients, slackApi } from '../../bridge/slack/clients.ts';
import { toPlatformError as toSlackError } from '../../bridge/slack/errors.ts';
import type { Config } from '../../config/config.ts';
import { askDiscord } from './ask-discord.ts';
import { askSlack, silent } from './ask-slack.ts';
import { Trouble } from './check.ts';
import type { Prompter } from './prompter.ts';

/** Where to post a hello; without a channel, it is asked for. */
export interface HelloOptions {
  prompter?: Prompter;
  say(text: string): void;
  slackHello?: string;
  discordHello?: string;
}

/**
 * Posts a hello on each connected platform, in the given channel or in one that it asks for.
 * @returns whether every hello that was asked for was posted
 */
export async function greet(config: Config, options: HelloOptions): Promise<boolean> {
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
