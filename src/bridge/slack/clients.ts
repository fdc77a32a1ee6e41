import { type Logger, webApi } from '@slack/bolt';
import { fetch, getGlobalDispatcher } from 'undici';

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
  const clientFor = (retries: number, others?: webApi.WebClientOptions) =>
    new webApi.WebClient(botToken, { ...clientOptions(apiUrl, retries), ...others, logger });
  return {
    calls: clientFor(2),
    // A text that waits behind others gets old.
    writes: clientFor(0, { maxRequestConcurrency: Infinity }),
  };
}

/** For the first byte of a response, and between two pieces of it. */
const timeoutMs = 10_000;

/** Slack's own Web API. */
export const slackApi = 'https://slack.com/api/';

/** Options shared by all Web API clients. */
export function clientOptions(apiUrl: string, retries: number): webApi.WebClientOptions {
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const dispatcher = getGlobalDispatcher().compose(
    (dispatch) => (request, handler) => dispatch({ ...request, ...limits }, handler),
  );
  return {
    slackApiUrl: apiUrl,
    allowAbsoluteUrls: false,
    retryConfig: { retries, minTimeout: 300, maxTimeout: 3_000 },
    // The client's own limit would end before a proxy is given up, whose error says what is wrong.
    fetch: (url, init) => fetch(url, { ...init, dispatcher }),
    rejectRateLimitedCalls: true,
  };
}
