import { isIP } from 'node:net';
import { join, resolve } from 'node:path';

/** Everything the process is told by its environment, checked. */
export interface Config {
  host: string;
  port: number;
  logLevel: LogLevel;
  dataDir: string;
  storeUrl: string;
  commandPrefix: string;
  /** Ids of people who manage besides those whom their platform says so of. */
  managers: readonly string[];
  reply: ReplyConfig;
  chatbot: HostedChatbot | EmbeddedChatbot;
  slack?: SlackConfig;
  discord?: DiscordConfig;
}

export interface ReplyConfig {
  /** Most characters shown of one reply; the whole of a longer one is attached. Default: any number. */
  maxCharacters?: number;
  /** A reply of which nothing came for so long has failed. */
  timeoutMs: number;
}

/** A hosted service and the chatbot that answers. */
export interface HostedChatbot {
  kind: 'hosted';
  url: string;
  apiKey: string;
  uuid: string;
}

/** The built-in service; without a uuid a chatbot is created at the first start. */
export interface EmbeddedChatbot {
  kind: 'embedded';
  uuid?: string;
  apiKeys: string[];
  llm?: ModelServerConfig;
  embeddings?: ModelServerConfig;
}

/** A model behind an OpenAI-compatible server. */
interface ModelServerConfig {
  baseUrl: string;
  apiKey?: string;
  model: string;
}

export interface SlackConfig {
  botToken: string;
  /** Socket Mode with an app token, or events over HTTP with a signing secret. */
  delivery: { kind: 'socket'; appToken: string } | { kind: 'http'; signingSecret: string };
  apiUrl?: string;
  /** Replies in direct messages grow by Slack's own streaming. */
  nativeStreaming: boolean;
}

export interface DiscordConfig {
  token: string;
  apiUrl?: string;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The environment can't be used as it is. The message lists every fault, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:
${faults.map((fault) => `- ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/**
 * Reads the environment. An empty variable counts as one that is not set.
 *
 * @param use what runs on it: the bridge, or the service alone
 * @throws {ConfigError} naming every variable at fault, what is wrong and how to mend it
 */
export function readConfig(
  env: Record<string, string | undefined>,
  use: 'bridge' | 'service' = 'bridge',
): Config {
  const faults: string[] = [];
  const read = (name: string) => env[name]?.trim() || undefined;
  const fault = (name: string, problem: string) => void faults.push(`${name} ${problem}`);

  const dataDir = resolve(read('DATA_DIR') ?? 'data');
  const slack = readSlack();
  const discord = readDiscord();
  const host = readHost(use === 'bridge' && !slack && !discord);
  const config: Config = {
    host,
    port: readPort(),
    logLevel: readLogLevel(),
    dataDir,
    storeUrl: readStoreUrl(),
    commandPrefix: readCommandPrefix(),
    managers: readManagers(),
    reply: readReply(),
    chatbot: readChatbot(),
    ...(slack && { slack }),
    ...(discord && { discord }),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return config;

  function readHost(hasSandbox: boolean): string {
    const value = read('HOST') ?? '127.0.0.1';
    const loopback = value === 'localhost' || value === '::1' || value.startsWith('127.');
    if (value !== 'localhost' && isIP(value) === 0) {
      fault('HOST', `is "${value}", which is no IP address. Use 127.0.0.1, or 0.0.0.0 for all.`);
    } else if (hasSandbox && !loopback) {
      fault(
        'HOST',
        `is ${value}, but without SLACK_BOT_TOKEN or DISCORD_TOKEN the sandbox starts, which is for this machine only. Set a token, or HOST=127.0.0.1.`,
      );
    }
    return value;
  }

  function readPort(): number {
    const value = read('PORT') ?? '3000';
    const port = Number(value);
    if (/^\d+$/.test(value) && port <= 65_535) return port;
    fault('PORT', `is "${value}". Use a number from 0 (any free port) to 65535.`);
    return 3000;
  }

  function readLogLevel(): LogLevel {
    const value = read('LOG_LEVEL') ?? 'info';
    const level = logLevels.find((each) => each === value);
    if (!level) fault('LOG_LEVEL', `is "${value}". Use one of ${logLevels.join(', ')}.`);
    return level ?? 'info';
  }

  function readStoreUrl(): string {
    const value = read('STORE_URL') ?? `sqlite:${join(dataDir, 'causeway.sqlite')}`;
    if (!/^sqlite:.+/.test(value)) {
      fault(
        'STORE_URL',
        'is not of a known kind. Use sqlite:path/to/file.sqlite, or leave it out.',
      );
    }
    return value;
  }

  function readCommandPrefix(): string {
    const value = read('COMMAND_PREFIX') ?? '';
    if (!/^[a-z0-9_-]{0,16}$/.test(value)) {
      fault(
        'COMMAND_PREFIX',
        `is "${value}". Use at most 16 lower-case letters, digits, - and _, such as kb-.`,
      );
    }
    return value;
  }

  function readManagers(): string[] {
    const ids = (read('MANAGERS') ?? '').split(',').map((id) => id.trim());
    const given = ids.filter((id) => id !== '');
    const wrong = given.find((id) => !/^(?:[UW][A-Z0-9]{2,}|\d{5,20})$/.test(id));
    if (wrong !== undefined) {
      fault(
        'MANAGERS',
        `has "${wrong}", which is no user's id. Use Slack's, such as U012AB3CD, and Discord's, such as 80351110224678912, separated by commas.`,
      );
    }
    return given;
  }

  function readReply(): ReplyConfig {
    const maxCharacters = readWhole('REPLY_MAX_CHARACTERS', 1000, 1_000_000);
    const timeoutSeconds = readWhole('REPLY_TIMEOUT_SECONDS', 1, 3600) ?? 60;
    return { timeoutMs: timeoutSeconds * 1000, ...(maxCharacters && { maxCharacters }) };
  }

  function readWhole(name: string, least: number, most: number): number | undefined {
    const value = read(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return number;
    fault(name, `is "${value}". Use a whole number from ${least} to ${most}.`);
    return undefined;
  }

  function readSwitch(name: string): boolean {
    const value = read(name) ?? 'on';
    if (value !== 'on' && value !== 'off') fault(name, `is "${value}". Use on or off.`);
    return value === 'on';
  }

  function readChatbot(): HostedChatbot | EmbeddedChatbot {
    const url = readUrl('CHATBOT_API_URL');
    const uuid = read('CHATBOT_UUID');
    const apiKey = read('CHATBOT_API_KEY');
    if (!read('CHATBOT_API_URL')) {
      if (apiKey) {
        fault('CHATBOT_API_KEY', 'is set without CHATBOT_API_URL. Set both, or neither.');
      }
      const llm = readLlm();
      const embeddings = readEmbeddings();
      return {
        kind: 'embedded',
        apiKeys: readServiceKeys(),
        ...(uuid && { uuid }),
        ...(llm && { llm }),
        ...(embeddings && { embeddings }),
      };
    }
    if (!apiKey)
      fault('CHATBOT_API_KEY', 'is missing. The service at CHATBOT_API_URL needs a key.');
    if (!uuid) fault('CHATBOT_UUID', 'is missing. Name the chatbot that answers by its uuid.');
    return { kind: 'hosted', url: url ?? '', apiKey: apiKey ?? '', uuid: uuid ?? '' };
  }

  function readServiceKeys(): string[] {
    const keys = (read('SERVICE_API_KEYS') ?? '').split(',').map((key) => key.trim());
    const given = keys.filter((key) => key !== '');
    if (given.some((key) => key.length < 16 || /\s/.test(key))) {
      fault(
        'SERVICE_API_KEYS',
        'has a key that is shorter than 16 characters or holds a space. Use long random keys, separated by commas.',
      );
    }
    return given;
  }

  function readLlm(): ModelServerConfig | undefined {
    return toModelServer('LLM', {
      baseUrl: readUrl('LLM_BASE_URL') ?? '',
      apiKey: read('LLM_API_KEY'),
      model: read('LLM_MODEL'),
    });
  }

  function readEmbeddings(): ModelServerConfig | undefined {
    return toModelServer('EMBEDDINGS', {
      baseUrl: readUrl('EMBEDDINGS_BASE_URL') ?? '',
      apiKey: read('EMBEDDINGS_API_KEY'),
      model: read('EMBEDDINGS_MODEL'),
    });
  }

  function toModelServer(
    prefix: 'LLM' | 'EMBEDDINGS',
    given: { baseUrl: string; apiKey: string | undefined; model: string | undefined },
  ): ModelServerConfig | undefined {
    const { baseUrl, apiKey, model } = given;
    if (baseUrl === '') {
      const problem = `is set without ${prefix}_BASE_URL. Set both, or neither.`;
      if (model) fault(`${prefix}_MODEL`, problem);
      if (apiKey) fault(`${prefix}_API_KEY`, problem);
      return undefined;
    }
    if (!model) {
      fault(`${prefix}_MODEL`, `is missing. Name the model to use at ${prefix}_BASE_URL.`);
    }
    return { baseUrl, model: model ?? '', ...(apiKey && { apiKey }) };
  }

  function readSlack(): SlackConfig | undefined {
    const botToken = read('SLACK_BOT_TOKEN');
    const appToken = read('SLACK_APP_TOKEN');
    const signingSecret = read('SLACK_SIGNING_SECRET');
    const apiUrl = readUrl('SLACK_API_URL');
    const nativeStreaming = readSwitch('SLACK_NATIVE_STREAMING');
    if (!botToken) {
      for (const name of ['SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'SLACK_API_URL']) {
        if (read(name)) fault(name, 'is set without SLACK_BOT_TOKEN. Set that too, or neither.');
      }
      return undefined;
    }
    if (!botToken.startsWith('xoxb-')) {
      fault(
        'SLACK_BOT_TOKEN',
        'does not start with xoxb-. Take the Bot User OAuth Token of the app.',
      );
    }
    if (appToken && !appToken.startsWith('xapp-')) {
      fault('SLACK_APP_TOKEN', 'does not start with xapp-. Take an App-Level Token of the app.');
    }
    if (!appToken && !signingSecret) {
      fault(
        'SLACK_BOT_TOKEN',
        'is set alone. Add SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (events over HTTP).',
      );
    }
    return {
      botToken,
      nativeStreaming,
      delivery: appToken
        ? { kind: 'socket', appToken }
        : { kind: 'http', signingSecret: signingSecret ?? '' },
      ...(apiUrl && { apiUrl }),
    };
  }

  function readDiscord(): DiscordConfig | undefined {
    const token = read('DISCORD_TOKEN');
    const apiUrl = readUrl('DISCORD_API_URL');
    if (token) return { token, ...(apiUrl && { apiUrl }) };
    if (read('DISCORD_API_URL')) {
      fault('DISCORD_API_URL', 'is set without DISCORD_TOKEN. Set that too, or neither.');
    }
    return undefined;
  }

  function readUrl(name: string): string | undefined {
    const value = read(name);
    if (value === undefined) return undefined;
    const url = URL.parse(value);
    if (!url || !['http:', 'https:'].includes(url.protocol)) {
      fault(name, `is "${value}", which is no address. Use one that starts with https://.`);
    } else if (url.username || url.password) {
      fault(
        name,
        'holds a user name or password. Leave them out; keys have variables of their own.',
      );
    }
    return value;
  }
}
