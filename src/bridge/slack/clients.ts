import { type Logger, LogLevel, webApi } from '@slack/bolt';
import { fetch, getGlobalDispatcher, Headers, Response } from 'undici';
import type { Log } from '../../shared/primitives/log.ts';
import { PlatformError } from '../conversation/errors.ts';
import { underLease } from '../conversation/leases.ts';
import { refusesToken, slackErrorCode, toPlatformError } from './errors.ts';

/** Clients for Slack's Web API. */
export interface Clients {
  /** For calls that are safe to repeat: retried when Slack has trouble. */
  calls: webApi.WebClient;
  /**
   * For calls that must not be retried automatically: a post whose response was lost may have been
   * written, and a late retry of an edit would undo a newer one.
   */
  writes: webApi.WebClient;
}

/**
 * Creates clients that fail after about ten seconds, and at once on a rate limit: by default they
 * would hold back every call of the workspace until the limit has passed.
 */
export function createClients(options: {
  token: Token;
  apiUrl: string;
  logger: Logger;
  /** The workspace that calls are about, if the token may be that of its organisation. */
  teamId?: string;
  /** Called with each answer of Slack's: with its error code if it refuses the token. */
  onAnswer?(refusal?: string): void;
}): Clients {
  const { token, apiUrl, logger, teamId, onAnswer = () => {} } = options;

  class Client extends webApi.WebClient {
    override async apiCall(...call: Parameters<webApi.WebClient['apiCall']>) {
      try {
        const answer = await super.apiCall(...call);
        onAnswer();
        return answer;
      } catch (error) {
        if (refusesToken(error)) onAnswer(slackErrorCode(error));
        throw error;
      }
    }
  }

  const clientFor = (retries: number, others?: webApi.WebClientOptions) =>
    new Client(undefined, { ...clientOptions(apiUrl, retries, token), ...others, teamId, logger });
  return {
    calls: clientFor(2),
    // Writes must not wait for each other: a text that waits is soon out of date.
    writes: clientFor(0, { maxRequestConcurrency: Infinity }),
  };
}

/**
 * The token for the next request: none is kept, because it may be replaced every few hours. Undefined
 * if the app is no longer installed; rejects if that can't be told now.
 */
export type Token = () => Promise<string | undefined>;

/** For the first byte of a response, and between two pieces of it. */
const timeoutMs = 10_000;

/** Slack's own Web API. */
export const slackApi = 'https://slack.com/api/';

/** Options shared by all Web API clients. With `token`, each request gets its own. */
export function clientOptions(
  apiUrl: string,
  retries: number,
  token?: Token,
): webApi.WebClientOptions {
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const dispatcher = getGlobalDispatcher().compose(
    (dispatch) => (request, handler) => dispatch({ ...request, ...limits }, handler),
  );
  return {
    slackApiUrl: apiUrl,
    allowAbsoluteUrls: false,
    retryConfig: { retries, minTimeout: 300, maxTimeout: 3_000 },
    // The client's own limit is shorter than that of a proxy, whose error says what is wrong.
    async fetch(url, init) {
      const headers = new Headers(init?.headers);
      if (token) {
        const value = await token();
        // As Slack answers for an app that was removed.
        if (value === undefined) return Response.json({ ok: false, error: 'account_inactive' });
        headers.set('authorization', `Bearer ${value}`);
      }
      const signal = underLease(init?.signal);
      return fetch(url, { ...init, signal, headers, dispatcher });
    },
    rejectRateLimitedCalls: true,
  };
}

/** Tokens of every kind, and URLs and ids that grant as much as a token. */
const secrets =
  /\bx(?:ox[a-z]|app)[.-][\w.-]+|(?<="(?:token|trigger_id|response_?url)\\*":\\*")[^"\\]+|(?<=\bticket=)[^&\s"']+/gi;

const maxLength = 2_000;

/**
 * Writes Bolt's log lines to our log at the same level, cut at 2,000 characters and without
 * secrets. Its debug lines quote whole requests and events, with the words of people and models: each
 * line is cut where the data begins.
 */
export function createBoltLogger(log: Log): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => {
    return (...parts: unknown[]) => {
      // Each Web API call logs seven debug lines, most with the whole request or response.
      if (log.isLevelEnabled?.(level) === false) return;
      const text = renderParts(parts);
      log[level]({ from: 'bolt' }, level === 'debug' ? withoutData(text) : text);
    };
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    // Our log decides which levels are written.
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}

function renderParts(parts: unknown[]): string {
  return parts.map(renderPart).join(' ').slice(0, maxLength).replace(secrets, '[secret]');
}

function withoutData(text: string): string {
  const start = text.search(/[{[](?!secret\])/);
  return start === -1 ? text : `${text.slice(0, start)}…`;
}

function renderPart(part: unknown): string {
  if (typeof part === 'string') return part;
  if (part instanceof Error) return `${part.name}: ${part.message}`;
  try {
    return JSON.stringify(part) ?? String(part);
  } catch {
    return String(part);
  }
}

/** Who the bot is, in which workspace, and whether Slack knows the app as an agent. */
export interface Identity {
  teamId: string;
  botId: string;
  userId: string;
  isAgent: boolean;
}

/**
 * Asks Slack whose token it is.
 * @throws {PlatformError} `forbidden` naming SLACK_BOT_TOKEN when Slack refuses it
 */
export async function readIdentity(client: webApi.WebClient): Promise<Identity> {
  const answer = await client.auth.test().catch((error: unknown) => {
    throw toPlatformError(error);
  });
  const { team_id: teamId, bot_id: botId, user_id: userId } = answer;
  // Only agents have this scope. An app whose scopes Slack does not list counts as an agent.
  const isAgent = answer.response_metadata?.scopes?.includes('assistant:write') ?? true;
  if (teamId && botId && userId) return { teamId, botId, userId, isAgent };
  throw new PlatformError('forbidden', 'slack_token_not_bot');
}
