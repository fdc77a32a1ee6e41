import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';

/** The field names under which libraries log secrets. */
const secretFields = [
  'authorization',
  'token',
  'botToken',
  'appToken',
  'apiKey',
  'signingSecret',
  'clientSecret',
  'refreshToken',
  'secretsKey',
  'cookie',
];

/**
 * The log on stdout: readable lines on a terminal, JSON elsewhere, unless LOG_FORMAT says otherwise.
 */
export async function openLog(config: Config): Promise<Logger> {
  const format = config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json');
  if (format === 'json') return createLog(config);
  const { default: prettify } = await import('pino-pretty');
  const stream = prettify({
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    colorize: process.stdout.isTTY,
    sync: true,
  });
  return createLog(config, stream);
}

/**
 * The process's log: one JSON line per event. Secrets are redacted by field name, and configured
 * secrets wherever they appear whole, because an error message can quote a request.
 */
export function createLog(config: Config, destination?: DestinationStream): Logger {
  const redact = createRedaction(secretsOf(config));
  return pino(
    {
      level: config.logLevel,
      base: null,
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      hooks: { streamWrite: redact },
    },
    ...(destination ? [destination] : []),
  );
}

/** A letter before a value is not part of a word if it ends an escape of JSON or of a URL. */
const wordStart = String.raw`(?:(?<![\p{L}\p{N}])|(?<=\\[bfnrt]|\\u[\da-f]{4}|%[\da-fA-F]{2}))`;
const wordEnd = String.raw`(?![\p{L}\p{N}])`;

/** Redacts only whole values: the letters of a short secret are part of many words. */
function createRedaction(secrets: string[]): (line: string) => string {
  if (secrets.length === 0) return (line) => line;
  const values = secrets
    .toSorted((one, other) => other.length - one.length)
    .map((secret) => {
      const start = /^[\p{L}\p{N}]/u.test(secret) ? wordStart : '';
      const end = /[\p{L}\p{N}]$/u.test(secret) ? wordEnd : '';
      return start + RegExp.escape(secret) + end;
    });
  const pattern = new RegExp(values.join('|'), 'gu');
  return (line) => line.replace(pattern, '[redacted]');
}

/** Every secret of the configuration, escaped as in a JSON string. */
function secretsOf({ chatbot, transcription, slack, discord, proxies, metrics }: Config): string[] {
  const secrets =
    chatbot.kind === 'hosted'
      ? [chatbot.apiKey]
      : [...chatbot.apiKeys.map(({ key }) => key), chatbot.llm?.apiKey, chatbot.embeddings?.apiKey];
  const delivery = slack?.delivery;
  return [
    ...secrets,
    transcription?.apiKey,
    slack?.botToken,
    slack?.install?.clientSecret,
    slack?.install?.stateSecret,
    slack?.install?.secretsKey,
    slack?.install?.previousSecretsKey,
    delivery?.kind === 'socket' ? delivery.appToken : delivery?.signingSecret,
    slack?.configToken,
    discord?.token,
    metrics.token,
    ...[proxies.http, proxies.https].flatMap((proxy) => passwordsOf(proxy)),
  ]
    .filter((secret) => secret !== undefined && secret !== '')
    .map((secret) => JSON.stringify(secret).slice(1, -1));
}

/** A proxy's password, percent-encoded as in its address, and plain. */
function passwordsOf({ password }: Pick<URL, 'password'> = { password: '' }): string[] {
  return [password, decodeURIComponent(password)];
}
