import { type Logger, webApi } from '@slack/bolt';
import { sendRequest, type WholeResponse } from '../../shared/primitives/send-request.ts';
import { SingleCallClient } from './single-calls.ts';

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
  botToken: string;
  apiUrl: string;
  logger: Logger;
}): Clients {
  const { botToken, apiUrl, logger } = options;
  return {
    calls: new webApi.WebClient(botToken, { ...clientOptions(apiUrl, 2), logger }),
    writes: new SingleCallClient({ botToken, apiUrl, timeoutMs }),
  };
}

const timeoutMs = 10_000;

/** Slack's own Web API. */
export const slackApi = 'https://slack.com/api/';

/** Options shared by all Web API clients. */
export function clientOptions(apiUrl: string, retries: number): webApi.WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    allowAbsoluteUrls: false,
    retryConfig: { retries, minTimeout: 300, maxTimeout: 3_000 },
    fetch: createApiFetch(timeoutMs),
    rejectRateLimitedCalls: true,
  };
}

type Fetch = NonNullable<webApi.WebClientOptions['fetch']>;

/**
 * The part of `fetch` that Slack's client uses: web streams cost more time than the rest of a call,
 * and a timeout signal keeps its memory until the timeout, however soon the response arrives.
 *
 * @param timeoutMs for the first byte, and between two pieces of a response
 */
export function createApiFetch(timeoutMs: number): Fetch {
  return async (url, { headers = {}, body } = {}) => {
    if (typeof body !== 'string') throw new TypeError('Only forms are sent to Slack’s Web API.');
    const answer = await sendRequest(url, { method: 'POST', headers, body, timeoutMs });
    return toResponse(String(url), answer);
  };
}

type FetchResponse = Awaited<ReturnType<Fetch>>;

function toResponse(url: string, answer: WholeResponse): FetchResponse {
  const { status, statusText, headers, body } = answer;
  return {
    url,
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: {
      get: (name) => headers.get(name.toLowerCase()) ?? null,
      entries: () => headers.entries(),
    },
    text: async () => body.toString(),
    json: async () => JSON.parse(body.toString()) as unknown,
    arrayBuffer: async () => Uint8Array.from(body).buffer,
  };
}
