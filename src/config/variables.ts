import leven from 'leven';

/** Every variable that only Causeway reads. */
const variables = [
  'ALLOW_PRIVATE_ADDRESSES',
  'CATCH_UP_HOURS',
  'CHATBOT_API_KEY',
  'CHATBOT_API_URL',
  'CHATBOT_UUID',
  'COMMAND_PREFIX',
  'CORS_ORIGINS',
  'DATA_DIR',
  'DISCORD_API_URL',
  'DISCORD_SHARDS',
  'DISCORD_TOKEN',
  'EMBEDDINGS_API_KEY',
  'EMBEDDINGS_BASE_URL',
  'EMBEDDINGS_MODEL',
  'HOST',
  'LEAVE_UNKNOWN_SERVERS',
  'LLM_API_KEY',
  'LLM_BASE_URL',
  'LLM_CONTEXT_TOKENS',
  'LLM_MAX_TOKENS',
  'LLM_MODEL',
  'LLM_TEMPERATURE',
  'LLM_VISION',
  'LOG_FORMAT',
  'LOG_LEVEL',
  'MANAGERS',
  'METRICS_PORT',
  'METRICS_TOKEN',
  'OWNER_MAX_MB',
  'PORT',
  'REPLY_FIRST_TEXT_SECONDS',
  'REPLY_MAX_CHARACTERS',
  'REPLY_MAX_MINUTES',
  'REPLY_TIMEOUT_SECONDS',
  'RETENTION_DAYS',
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
  'SERVICE_API_KEYS',
  'SHUTDOWN_GRACE_SECONDS',
  'SLACK_AGENT_VIEW',
  'SLACK_API_URL',
  'SLACK_APP_TOKEN',
  'SLACK_BOT_TOKEN',
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
  'SLACK_COMMAND',
  'SLACK_CONFIG_TOKEN',
  'SLACK_HISTORY',
  'SLACK_NATIVE_STREAMING',
  'SLACK_SHORT_COMMANDS',
  'SLACK_SIGNING_SECRET',
  'SLACK_STATE_SECRET',
  'STORE_URL',
  'STORE_CONNECTIONS_MAX',
  'TRANSCRIPTION_API_KEY',
  'TRANSCRIPTION_BASE_URL',
  'TRANSCRIPTION_MODEL',
  'TURNS_MAX',
  'UPLOAD_MAX_MB',
  'WORKSPACES',
] as const;

/** Variables of many programs, in upper or lower case. Similar names are not misspellings of ours. */
export type ProxyVariable = 'HTTP_PROXY' | 'HTTPS_PROXY' | 'NO_PROXY' | SmallProxyVariable;
type SmallProxyVariable = 'http_proxy' | 'https_proxy' | 'no_proxy';

/** The name of a variable. */
export type Variable = OwnVariable | ProxyVariable;

type OwnVariable = (typeof variables)[number];

/** A variable that is set and never read, and the one that was probably meant. */
export interface Misspelled {
  name: string;
  near: OwnVariable;
}

/** Shorter names are too similar to those of other programs, such as HOST and HOME. */
const minLength = 6;

/** Finds variables that are named almost like one of ours. */
export function findMisspelled(env: Record<string, string | undefined>): Misspelled[] {
  const known = new Set<string>(variables);
  return Object.keys(env).flatMap((name) => {
    if (known.has(name) || name.length < minLength || !env[name]) return [];
    const near = nearest(name);
    return near ? [{ name, near }] : [];
  });
}

/** The warning about a variable that is never read. */
export function explainMisspelled({ name, near }: Misspelled): string {
  return `${name} is set, but is not a variable of Causeway. Did you mean ${near}?`;
}

function nearest(name: string): OwnVariable | undefined {
  const group = name.split('_', 1)[0] ?? '';
  // If the first word is ours, the rest may differ more: SLACK_TOKEN, DISCORD_BOT_TOKEN.
  const maxDistance = (variable: OwnVariable) => (variable.startsWith(`${group}_`) ? 4 : 2);
  const ranked = variables
    .map((variable) => ({ variable, distance: leven(name.toUpperCase(), variable) }))
    .filter(({ variable, distance }) => distance <= maxDistance(variable))
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.variable;
}
