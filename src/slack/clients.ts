import { type Logger, webApi } from '@slack/bolt';
import { request } from 'undici';

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
  const create = (retries: number) =>
    new webApi.WebClient(botToken, { ...clientOptions(apiUrl, retries), logger });
  return { calls: create(2), writes: create(0) };
}

/** Slack's own Web API. */
export const slackApi = 'https://slack.com/api/';

/** Options shared by all Web API clients. */
export function clientOptions(apiUrl: string, retries: number): webApi.WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    allowAbsoluteUrls: false,
    retryConfig: { retries, minTimeout: 300, maxTimeout: 3_000 },
    fetch: createApiFetch(10_000),
    rejectRateLimitedCalls: true,
  };
}

type Fetch = NonNullable<webApi.WebClientOptions['fetch']>;

/**
 * The part of `fetch` that Slack's client uses, built on undici's `request`: web streams cost more
 * time than the rest of a call, and a timeout signal keeps its memory until the timeout, however
 * soon the response arrives. Redirects are not followed, so the token goes nowhere else.
 *
 * @param timeoutMs for the first byte, and between two chunks of a response
 */
export function createApiFetch(timeoutMs: number): Fetch {
  return async (url, { headers = {}, body } = {}) => {
    if (typeof body !== 'string') throw new TypeError('Only forms are sent to Slack’s Web API.');
    const answer = await request(url, {
      method: 'POST',
      headers,
      body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    return toResponse(String(url), answer, await answer.body.text());
  };
}

type FetchResponse = Awaited<ReturnType<Fetch>>;

function toResponse(
  url: string,
  answer: Awaited<ReturnType<typeof request>>,
  text: string,
): FetchResponse {
  const { statusCode: status, statusText } = answer;
  const headers = new Map(
    Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    url,
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: {
      get: (name) => headers.get(name.toLowerCase()) ?? null,
      entries: () => headers.entries(),
    },
    text: async () => text,
    json: async () => JSON.parse(text) as unknown,
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  };
}
