import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { webApi } from '@slack/bolt';
import { Hono } from 'hono';
import { createRecords } from '../../../src/sandbox/records.ts';
import { openDatabase } from '../../../src/sandbox/schema.ts';
import type { Sleep } from '../../../src/shared/primitives/time.ts';
import { createSlack } from '../../../src/sandbox/slack/slack.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';

interface ServeOptions {
  database?: string;
  now?: () => number;
  sleep?: Sleep;
}

/** A Slack workspace on a port of its own, at `/sandbox/slack` as in the sandbox. */
export async function serveWorkspace(options: ServeOptions = {}) {
  const { database = ':memory:', now = Date.now, sleep } = options;
  const connection = openDatabase(database);
  const records = createRecords(connection);
  let origin = '';
  const waiting = sleep ? { sleep } : {};
  const slack = createSlack({ records, origin: () => origin, now, ...waiting });

  const app = new Hono().route('/sandbox/slack', slack.routes);
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void listener(request, response));
  server.on('upgrade', (request, socket, head) => slack.upgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const users = new AsyncDisposableStack();
  return {
    slack,
    client: createClient(slack),
    records,
    ...seeded(slack),
    /** Has a bot stop before the workspace does. */
    use: (bot: AsyncDisposable) => void users.use(bot),
    async [Symbol.asyncDispose]() {
      await users.disposeAsync();
      await slack[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      connection.close();
    },
  };
}

/** The ids of the people and channels every workspace starts with. */
function seeded(slack: SlackWorkspace) {
  const user = (name: string) => slack.users().find((found) => found.name === name)?.id ?? '';
  const channel = (name: string) => slack.channels().find((found) => found.name === name)?.id ?? '';
  return {
    ada: user('ada'),
    grace: user('grace'),
    general: channel('general'),
    help: channel('help'),
    random: channel('random'),
  };
}

/** A logger for calls and connections that fail on purpose. */
export const silentLogger: webApi.Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  setName: () => undefined,
  getLevel: () => webApi.LogLevel.ERROR,
};

/** Slack's own client with the bot's token, which gives up at once. */
export function createClient(slack: SlackWorkspace, token = slack.credentials.botToken) {
  return new webApi.WebClient(token, {
    slackApiUrl: slack.credentials.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silentLogger,
  });
}

/** What a refused call answered. */
export async function refusal(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (error instanceof webApi.WebAPIPlatformError) return error.data;
    throw error;
  }
  throw new Error('The call was not refused.');
}
