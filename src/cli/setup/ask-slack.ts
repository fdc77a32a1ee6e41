import { webApi } from '@slack/bolt';
import type { SlackConfig } from '../../config/platforms.ts';
import {
  clientOptions,
  createBoltLogger,
  createClients,
  slackApi,
} from '../../bridge/slack/clients.ts';
import { slackErrorCode, toPlatformError } from '../../bridge/slack/errors.ts';
import { createAsk, once, Trouble, unreachable } from './check.ts';

export type SlackQuestions = ReturnType<typeof askSlack>;

/** The part of an app's manifest that matters here: docs.slack.dev/reference/app-manifest. */
export interface SlackManifest {
  features?: {
    app_home?: { messages_tab_enabled?: boolean; messages_tab_read_only_enabled?: boolean };
    agent_view?: object;
    slash_commands?: { command: string; url?: string }[];
    shortcuts?: { name: string; callback_id: string }[];
  };
  oauth_config?: { redirect_urls?: string[]; scopes?: { bot?: string[] } };
  settings?: {
    event_subscriptions?: { bot_events?: string[]; request_url?: string };
    interactivity?: {
      is_enabled?: boolean;
      request_url?: string;
      message_menu_options_url?: string;
    };
    socket_mode_enabled?: boolean;
    token_rotation_enabled?: boolean;
  };
}

/** What the clients log does not belong in a report. */
export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Questions to Slack's API. Each is asked once, when its answer is first needed.
 * @param findAppId if the token does not tell the app's id
 */
export function askSlack(slack: SlackConfig, findAppId?: () => Promise<string | undefined>) {
  const { botToken = '', install, delivery, configToken, apiUrl = slackApi } = slack;
  const logger = createBoltLogger(silent);
  const clientFor = (token: string) =>
    createClients({ token: async () => token, apiUrl, logger }).calls;
  const client = clientFor(botToken);

  const bot = once(async () => {
    const answer = await ask(client.auth.test());
    const { user = '', team = '', bot_id: botId, response_metadata: metadata } = answer;
    return { user, team, botId, scopes: metadata?.scopes };
  });
  const appId = once(async () => {
    if (findAppId) return findAppId();
    const { botId } = await bot();
    if (!botId) return undefined;
    return (await ask(client.bots.info({ bot: botId }))).bot?.app_id;
  });

  return {
    slack,
    /** Resolves if Slack accepts the client's id and secret. */
    client: once(async () => {
      const { clientId: client_id = '', clientSecret: client_secret = '' } = install ?? {};
      const client = new webApi.WebClient(undefined, { ...clientOptions(apiUrl, 2), logger });
      try {
        // Slack looks at the code last. This one is nobody's.
        await client.oauth.v2.access({ client_id, client_secret, code: 'doctor' });
      } catch (error) {
        if (slackErrorCode(error) !== 'invalid_code') throw toTrouble(error);
      }
    }),
    /**
     * The bot that the token belongs to, without a `botId` if it is a person's token; `scopes` are undefined
     * if Slack doesn't say.
     */
    bot,
    /** The app's id; undefined if Slack doesn't say. */
    appId,
    /** An address for Socket Mode. Nothing connects to it, because events would then be sent there. */
    socket: once(async () => {
      const appToken = delivery.kind === 'socket' ? delivery.appToken : '';
      const { url = '' } = await ask(clientFor(appToken).apps.connections.open({}));
      return url;
    }),
    /** The channels that the bot is in. */
    channels: once(() => ask(listChannels(client))),
    /** The app's manifest; undefined without a configuration token. */
    manifest: once(async () => {
      const id = await appId();
      if (!configToken || !id) return undefined;
      const answer = await ask(clientFor(configToken).apps.manifest.export({ app_id: id }));
      return (answer.manifest ?? {}) as SlackManifest;
    }),
  };
}

async function listChannels(client: webApi.WebClient) {
  const found: { id: string; name: string }[] = [];
  const types = 'public_channel,private_channel';
  let cursor: string | undefined;
  do {
    const page = await client.users.conversations({
      types,
      exclude_archived: true,
      limit: 200,
      cursor,
    });
    for (const { id = '', name = '' } of page.channels ?? []) found.push({ id, name });
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor);
  return found;
}

const ask = createAsk(toTrouble);

function toTrouble(error: unknown): Trouble {
  const { kind, cause } = toPlatformError(error);
  if (kind === 'rate_limited') return new Trouble('busy', 'Slack limits requests now.');
  const code = slackErrorCode(error);
  if (code === 'missing_scope') {
    const { needed } = (cause as { data: { needed?: string } }).data;
    return new Trouble('refused', `the scope ${needed ?? 'it needs'} is missing.`);
  }
  if (code && kind !== 'failed') return new Trouble('refused', `Slack refuses it (${code}).`);
  return unreachable('Slack', cause);
}
