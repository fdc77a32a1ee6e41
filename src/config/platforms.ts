import { parseSecretsKey } from '../shared/primitives/seal.ts';
import { type Environment, readSecret, readSwitch, readUrl } from './environment.ts';

/** The Slack app, and how its events are delivered. */
export interface SlackConfig {
  /** The token for the one workspace; absent if there is an `install`. */
  botToken?: string;
  /** How workspaces install the app themselves; absent if there is a `botToken`. */
  install?: SlackInstallConfig;
  /** Socket Mode with an app token, or events over HTTP with a signing secret. */
  delivery: { kind: 'socket'; appToken: string } | { kind: 'http'; signingSecret: string };
  apiUrl?: string;
  /** Reads how the app is set up, for `npm run doctor`. */
  configToken?: string;
  /** Whether replies in direct messages use Slack's native streaming. */
  nativeStreaming: boolean;
}

/** The credentials with which any number of workspaces install the app by OAuth. */
interface SlackInstallConfig {
  clientId: string;
  clientSecret: string;
  /** Signs what the browser brings back from Slack. */
  stateSecret: string;
  /** Encrypts the tokens in the store: 32 bytes in hexadecimal digits or base64. */
  secretsKey: string;
  /** Opens what was encrypted before `secretsKey` was changed. */
  previousSecretsKey?: string;
}

/**
 * Reads Slack's variables.
 *
 * @returns undefined if neither SLACK_BOT_TOKEN nor SLACK_CLIENT_ID is set
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
  const install = readInstall(environment, botToken);
  if (!botToken && !install) {
    for (const name of ['SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'SLACK_API_URL'] as const) {
      if (environment.read(name)) {
        environment.fault(
          name,
          'is set without SLACK_BOT_TOKEN or SLACK_CLIENT_ID. Set one of them too, or leave this out.',
        );
      }
    }
    return undefined;
  }
  if (!appToken && !signingSecret) {
    environment.fault(
      botToken ? 'SLACK_BOT_TOKEN' : 'SLACK_CLIENT_ID',
      'is not enough. Also set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (events over HTTP).',
    );
  }
  return {
    ...(install ? { install } : { botToken }),
    nativeStreaming,
    delivery: appToken
      ? { kind: 'socket', appToken }
      : { kind: 'http', signingSecret: signingSecret ?? '' },
    apiUrl,
    configToken,
  };
}

const clientVariables = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;
const installVariables = [...clientVariables, 'SECRETS_KEY'] as const;

/**
 * Reads what lets workspaces install the app: all four variables, or none. Only the key may stay without
 * the others, because what it encrypted would be lost with it.
 */
function readInstall(
  environment: Environment,
  botToken: string | undefined,
): SlackInstallConfig | undefined {
  const clientId = environment.read('SLACK_CLIENT_ID');
  const clientSecret = readSecret(environment, 'SLACK_CLIENT_SECRET');
  const stateSecret = readSecret(environment, 'SLACK_STATE_SECRET', {
    pattern: /^.{16}/,
    problem: 'is shorter than 16 characters. Use a long random one.',
  });
  const secretsKey = readSecretsKey(environment, 'SECRETS_KEY');
  const previousSecretsKey = readSecretsKey(environment, 'SECRETS_KEY_PREVIOUS');
  if (previousSecretsKey !== undefined && secretsKey === undefined) {
    environment.fault('SECRETS_KEY_PREVIOUS', 'is set without SECRETS_KEY. Set both, or neither.');
  }
  const isSet = clientVariables.filter((name) => environment.read(name) !== undefined);
  const [first] = isSet;
  if (first === undefined) return undefined;
  if (botToken !== undefined) {
    environment.fault(
      'SLACK_BOT_TOKEN',
      `is set together with ${first}. Leave out SLACK_BOT_TOKEN if workspaces install the app themselves, or ${isSet.join(', ')} if it serves one workspace.`,
    );
  }
  for (const name of installVariables) {
    if (environment.read(name) === undefined) {
      environment.fault(name, `is missing. ${installVariables.join(', ')} are set together.`);
    }
  }
  return {
    clientId: clientId ?? '',
    clientSecret: clientSecret ?? '',
    stateSecret: stateSecret ?? '',
    secretsKey: secretsKey ?? '',
    previousSecretsKey,
  };
}

function readSecretsKey(
  environment: Environment,
  name: 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS',
): string | undefined {
  const value = environment.read(name);
  if (value !== undefined && !parseSecretsKey(value)) {
    environment.fault(
      name,
      'is not a key of 32 bytes, as 64 hexadecimal digits or base64. openssl rand -hex 32 prints one.',
    );
  }
  return value;
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
interface ShardRange {
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
