import { type Environment, readSecret, readSwitch, readUrl } from './environment.ts';

/** The Slack app, and how its events are delivered. */
export interface SlackConfig {
  botToken: string;
  /** Socket Mode with an app token, or events over HTTP with a signing secret. */
  delivery: { kind: 'socket'; appToken: string } | { kind: 'http'; signingSecret: string };
  apiUrl?: string;
  /** Reads how the app is set up, for `npm run doctor`. */
  configToken?: string;
  /** Whether replies in direct messages use Slack's native streaming. */
  nativeStreaming: boolean;
}

/**
 * Reads Slack's variables.
 *
 * @returns undefined if SLACK_BOT_TOKEN is not set
 */
export function readSlack(environment: Environment): SlackConfig | undefined {
  const botToken = readSecret(environment, 'SLACK_BOT_TOKEN', {
    pattern: /^xoxb-/,
    problem: 'does not start with xoxb-. Use the Bot User OAuth Token of the app.',
  });
  const appToken = readSecret(environment, 'SLACK_APP_TOKEN', {
    pattern: /^xapp-/,
    problem: 'does not start with xapp-. Use an App-Level Token of the app.',
  });
  const signingSecret = readSecret(environment, 'SLACK_SIGNING_SECRET');
  const configToken = environment.read('SLACK_CONFIG_TOKEN');
  const apiUrl = readUrl(environment, 'SLACK_API_URL');
  const nativeStreaming = readSwitch(environment, 'SLACK_NATIVE_STREAMING', 'on');
  if (!botToken) {
    for (const name of ['SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'SLACK_API_URL'] as const) {
      if (environment.read(name)) {
        environment.fault(name, 'is set without SLACK_BOT_TOKEN. Set both, or neither.');
      }
    }
    return undefined;
  }
  if (!appToken && !signingSecret) {
    environment.fault(
      'SLACK_BOT_TOKEN',
      'is not enough. Also set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (events over HTTP).',
    );
  }
  return {
    botToken,
    nativeStreaming,
    delivery: appToken
      ? { kind: 'socket', appToken }
      : { kind: 'http', signingSecret: signingSecret ?? '' },
    apiUrl,
    configToken,
  };
}

/** The Discord app. */
export interface DiscordConfig {
  token: string;
  apiUrl?: string;
  /** Whether the bot leaves servers to which no chatbot belongs. */
  leaveUnknownServers: boolean;
  /** The shards that this process runs; by default as many as Discord recommends. */
  shards?: ShardRange;
}

/** The shards from `first` to `last`, of `count` in all; the first of all is 0. */
export interface ShardRange {
  first: number;
  last: number;
  count: number;
}

/**
 * Reads Discord's variables.
 *
 * @returns undefined if DISCORD_TOKEN is not set
 */
export function readDiscord(environment: Environment): DiscordConfig | undefined {
  const token = readSecret(environment, 'DISCORD_TOKEN', {
    pattern: /^[\w-]{18,}\.[\w-]{6,}\.[\w-]{20,}$/,
    problem:
      'is not a bot token, which has three parts with dots between them. Copy it under Bot > Reset Token in the Discord Developer Portal.',
  });
  const apiUrl = readUrl(environment, 'DISCORD_API_URL');
  const leaveUnknownServers = readSwitch(environment, 'LEAVE_UNKNOWN_SERVERS', 'off');
  const shards = readShards(environment);
  if (token) return { token, apiUrl, leaveUnknownServers, ...(shards && { shards }) };
  if (apiUrl) {
    environment.fault('DISCORD_API_URL', 'is set without DISCORD_TOKEN. Set both, or neither.');
  }
  return undefined;
}

/** Each shard is a connection and a client, and Discord needs one for 2,500 servers. */
const maxShards = 1_000;

/** Reads DISCORD_SHARDS. Undefined if Discord decides how many there are. */
function readShards(environment: Environment): ShardRange | undefined {
  const value = environment.read('DISCORD_SHARDS') ?? 'auto';
  if (value === 'auto') return undefined;
  const [, from, to, of, all] = /^(?:(\d{1,4})-(\d{1,4})\/(\d{1,4})|(\d{1,4}))$/.exec(value) ?? [];
  const count = Number(of ?? all);
  const first = Number(from ?? 0);
  const last = Number(to ?? count - 1);
  if (count >= 1 && count <= maxShards && first <= last && last < count) {
    return { first, last, count };
  }
  environment.fault(
    'DISCORD_SHARDS',
    `is "${value}". Use auto, a number from 1 to ${maxShards} such as 4, or a range such as 0-3/16: the shards 0 to 3 of 16.`,
  );
  return undefined;
}
