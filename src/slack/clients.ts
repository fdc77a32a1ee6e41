import { type Logger, webApi } from '@slack/bolt';
import { createApiFetch } from './api-fetch.ts';

/** The ways to call Slack's Web API. */
export interface Clients {
  /** For what may be repeated: tried again when Slack has trouble. */
  calls: webApi.WebClient;
  /**
   * For what must not be repeated behind our back: a post whose answer got lost may have been
   * written, and an edit that is sent again late would undo a newer one.
   */
  writes: webApi.WebClient;
}

/**
 * Clients that fail within about ten seconds rather than never, and at once when Slack says "too
 * fast": by default they would hold back every call of the workspace meanwhile.
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

/** What every client of Slack's Web API here has in common. */
export function clientOptions(apiUrl: string, retries: number): webApi.WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    allowAbsoluteUrls: false,
    retryConfig: { retries, minTimeout: 300, maxTimeout: 3_000 },
    fetch: createApiFetch(10_000),
    rejectRateLimitedCalls: true,
  };
}
