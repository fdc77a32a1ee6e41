import type { LanguageModelOptions, ModelServer } from '../shared/primitives/model-server.ts';
import {
  type Environment,
  readList,
  readSecret,
  readSwitch,
  readUrl,
  readWhole,
} from './environment.ts';

/** Shorter keys can be guessed. */
const minServiceKeyLength = 16;

/** The chatbot service that the bridge talks to. */
export type ChatbotConfig = HostedChatbot | EmbeddedChatbot;

/** A hosted service, and the chatbot that answers. */
interface HostedChatbot {
  kind: 'hosted';
  url: string;
  apiKey: string;
  uuid: string;
  /** Max size of a file that is passed on to the service. */
  maxUploadBytes: number;
}

/** The built-in service. Without a uuid, the first start creates a chatbot. */
export interface EmbeddedChatbot {
  kind: 'embedded';
  uuid?: string;
  /** Each with the name of its owner, if one precedes it. */
  apiKeys: { key: string; owner?: string }[];
  /** Origins whose pages may call it from a browser; `*` for all. */
  corsOrigins: string[];
  /** Max size of a file or a fetched page. */
  maxUploadBytes: number;
  /** Max size of all that an owner stores, in bytes. */
  maxOwnerBytes: number;
  /** Whether pages from this machine and private networks may be fetched, for tests. */
  allowPrivateAddresses: boolean;
  llm?: LanguageModelOptions;
  embeddings?: ModelServer;
}

/** The hosted service if CHATBOT_API_URL is set, otherwise the built-in one. */
export function readChatbot(environment: Environment): ChatbotConfig {
  const url = readUrl(environment, 'CHATBOT_API_URL');
  return url === undefined ? readEmbedded(environment) : readHosted(environment, url);
}

function readHosted(environment: Environment, url: string): HostedChatbot {
  const maxUploadBytes = readMaxUploadBytes(environment);
  const apiKey = readSecret(environment, 'CHATBOT_API_KEY');
  const uuid = environment.read('CHATBOT_UUID');
  if (!apiKey) {
    environment.fault('CHATBOT_API_KEY', 'is missing. The service at CHATBOT_API_URL needs a key.');
  }
  if (!uuid) {
    environment.fault(
      'CHATBOT_UUID',
      'is missing. Set it to the uuid of the chatbot that answers.',
    );
  }
  return { kind: 'hosted', url, apiKey: apiKey ?? '', uuid: uuid ?? '', maxUploadBytes };
}

function readEmbedded(environment: Environment): EmbeddedChatbot {
  const maxUploadBytes = readMaxUploadBytes(environment);
  if (environment.read('CHATBOT_API_KEY')) {
    environment.fault('CHATBOT_API_KEY', 'is set without CHATBOT_API_URL. Set both, or neither.');
  }
  const uuid = environment.read('CHATBOT_UUID');
  const llm = readLanguageModel(environment);
  const embeddings = readModelServer(environment, 'EMBEDDINGS');
  return {
    kind: 'embedded',
    apiKeys: readServiceKeys(environment),
    corsOrigins: readOrigins(environment),
    maxUploadBytes,
    maxOwnerBytes: readMaxOwnerBytes(environment),
    allowPrivateAddresses: readSwitch(environment, 'ALLOW_PRIVATE_ADDRESSES', 'off'),
    uuid,
    llm,
    embeddings,
  };
}

function readMaxOwnerBytes(environment: Environment): number {
  const mebibytes = readWhole(environment, 'OWNER_MAX_MB', { min: 1, max: 1_000_000 }) ?? 4096;
  return mebibytes * 1024 * 1024;
}

function readMaxUploadBytes(environment: Environment): number {
  const mebibytes = readWhole(environment, 'UPLOAD_MAX_MB', { min: 1, max: 64 }) ?? 25;
  return mebibytes * 1024 * 1024;
}

/** Keys, or `owner:key`: a bearer token contains no colon (RFC 6750, 2.1). */
function readServiceKeys(environment: Environment): EmbeddedChatbot['apiKeys'] {
  const keys = readList(environment, 'SERVICE_API_KEYS').map((item) => {
    const [key = '', owner, ...rest] = item.split(':').toReversed();
    return { key, owner, rest };
  });
  if (keys.some(({ key }) => key.length < minServiceKeyLength || /\s/.test(key))) {
    environment.fault(
      'SERVICE_API_KEYS',
      `has a key that is shorter than ${minServiceKeyLength} characters or contains a space. Use long random keys, separated by commas.`,
    );
  }
  if (
    keys.some(({ owner, rest }) => rest.length > 0 || (owner !== undefined && !isOwnerName(owner)))
  ) {
    environment.fault('SERVICE_API_KEYS', `has an invalid owner before a colon. ${ownerNameRule}`);
  }
  const owners = new Set(keys.map(({ key, owner }) => `${owner}:${key}`));
  if (owners.size > new Set(keys.map(({ key }) => key)).size) {
    environment.fault(
      'SERVICE_API_KEYS',
      'has the same key for two owners. Use a different key for each.',
    );
  }
  return keys.map(({ key, owner }) => ({ key, owner }));
}

/** The form of an owner's name. */
export const ownerNameRule =
  'An owner’s name has up to 64 letters, digits and the characters . _ @ and -.';

/** Whether an owner can have this name. */
export function isOwnerName(name: string): boolean {
  return /^[\w.@-]{1,64}$/.test(name);
}

function readOrigins(environment: Environment): string[] {
  const origins = readList(environment, 'CORS_ORIGINS');
  if (!origins.every((origin) => origin === '*' || isOrigin(origin))) {
    environment.fault(
      'CORS_ORIGINS',
      'names something that is not an origin. Use addresses like https://app.example.com, without a path, separated by commas.',
    );
  }
  return origins;
}

/** Whether it is as browsers write it: in lower case, without a default port or a trailing slash. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

/** Reads LLM_BASE_URL and the other variables of the language model. */
function readLanguageModel(environment: Environment): LanguageModelOptions | undefined {
  const server = readModelServer(environment, 'LLM');
  const temperature = readTemperature(environment);
  const maxTokens = readWhole(environment, 'LLM_MAX_TOKENS', { min: 16, max: 1_000_000 });
  const contextTokens = readWhole(environment, 'LLM_CONTEXT_TOKENS', {
    min: 1024,
    max: 100_000_000,
  });
  const vision = readSwitch(environment, 'LLM_VISION', 'off');
  if (vision && !server)
    environment.fault('LLM_VISION', 'is on without LLM_BASE_URL. Set both, or neither.');
  return server && { ...server, temperature, maxTokens, contextTokens, vision };
}

function readTemperature(environment: Environment): number | undefined {
  const value = environment.read('LLM_TEMPERATURE');
  if (value === undefined) return undefined;
  const temperature = Number(value);
  if (temperature >= 0 && temperature <= 2) return temperature;
  environment.fault('LLM_TEMPERATURE', `is "${value}". Use a number from 0 to 2, such as 0.2.`);
  return undefined;
}

/** Reads LLM_BASE_URL, LLM_API_KEY and LLM_MODEL, or EMBEDDINGS_BASE_URL and so on. */
export function readModelServer(
  environment: Environment,
  prefix: 'LLM' | 'EMBEDDINGS' | 'TRANSCRIPTION',
): ModelServer | undefined {
  const baseUrl = readUrl(environment, `${prefix}_BASE_URL`, { query: true });
  const apiKey = readSecret(environment, `${prefix}_API_KEY`);
  const model = environment.read(`${prefix}_MODEL`);
  if (baseUrl === undefined) {
    const problem = `is set without ${prefix}_BASE_URL. Set both, or neither.`;
    if (model) environment.fault(`${prefix}_MODEL`, problem);
    if (apiKey) environment.fault(`${prefix}_API_KEY`, problem);
    return undefined;
  }
  if (!model) {
    environment.fault(
      `${prefix}_MODEL`,
      `is missing. Name the model to use at ${prefix}_BASE_URL.`,
    );
  }
  return { baseUrl, model: model ?? '', apiKey };
}
