import { setTimeout as delay } from 'node:timers/promises';
import { App } from '@slack/bolt';
import type { CommandTable } from '../commands/invocation.ts';
import type { IncomingMessage, Log, Platform, Thread } from '../conversation/ports.ts';
import { createQueue } from '../conversation/queue.ts';
import { createBoltLogger } from './bolt-logger.ts';
import { clientOptions, createClients } from './clients.ts';
import { registerCommands } from './commands.ts';
import type { Connection } from './connection.ts';
import { parseMessageEvent, toIncomingMessage } from './events.ts';
import { createFileReader } from './files.ts';
import { createHttpConnection } from './http-connection.ts';
import { type Identity, readIdentity } from './identity.ts';
import { createPeople } from './people.ts';
import type { Sleep } from './show-texts.ts';
import { createSocketConnection } from './socket-connection.ts';
import { createThread } from './thread.ts';
import { createWorkingStatus } from './working-status.ts';

export interface SlackOptions {
  botToken: string;
  /** Events come over Socket Mode. */
  appToken?: string;
  /** Events come by HTTP, to `requestListener`; without an app token only. */
  signingSecret?: string;
  /** The base of Slack's Web API, where it is not Slack's own. */
  apiUrl?: string;
  /** Origins besides Slack's that files are read from and answers to commands sent to; by default that of `apiUrl`. */
  trustedOrigins?: readonly string[];
  /** Most bytes read of a file; 25 MB by default. */
  maxFileBytes?: number;
  commands: CommandTable;
  log: Log;
  /** Milliseconds since the epoch. */
  now?: () => number;
  sleep?: Sleep;
}

/** Slack as a platform; with a signing secret, its owner mounts `requestListener` at /slack/events. */
export interface SlackPlatform extends Platform, Pick<Connection, 'requestListener'> {}

const slackApi = 'https://slack.com/api/';

/** How long commands under way may take to say how they ended. */
const graceMs = 5_000;

/**
 * A Slack workspace, heard through Bolt. `start` rejects with PlatformError where Slack refuses a
 * token, naming its variable. Throws where neither an app token nor a signing secret is given.
 */
export function createSlackPlatform(options: SlackOptions): SlackPlatform {
  const { botToken, apiUrl = slackApi, log, now = Date.now, sleep = sleepFor } = options;
  const { trustedOrigins = originOf(apiUrl), maxFileBytes: maxBytes = 25 * 1024 * 1024 } = options;
  const logger = createBoltLogger(log);
  const clients = createClients({ botToken, apiUrl, logger });
  const connection = createConnection({ ...options, apiUrl }, logger);
  const people = createPeople({ client: clients.calls, log, now });
  const status = createWorkingStatus(clients.writes, log);
  const order = createQueue();
  const closing = new AbortController();
  let identity: Identity | undefined;
  let receive: ((message: IncomingMessage) => Promise<void>) | undefined;

  const app = new App({
    receiver: connection.receiver,
    logger,
    convoStore: false,
    clientOptions: clientOptions(apiUrl, 2),
    // Given a token instead, Bolt asks who it is on its own, and a refusal would go unhandled.
    async authorize() {
      const { teamId, botId, userId } = known(identity);
      return { botToken, teamId, botId, botUserId: userId };
    },
  });
  app.error(async (error) => log.error({ err: error }, 'an event from Slack failed'));
  app.event('app_mention', ({ event }) => hear(event));
  app.event('message', ({ event }) => hear(event));

  function openThread(channel: string, thread: string): Thread {
    const address = { platform: 'slack', workspace: known(identity).teamId, channel, thread };
    return createThread({ address, client: clients.writes, status });
  }

  async function hear(event: unknown): Promise<void> {
    const written = parseMessageEvent(event, known(identity));
    if (!written) return;
    let message: IncomingMessage | undefined;
    // Looking up names takes longer for some messages than for others: they stay in order.
    await order.run(written.channel, async () => {
      message = await toIncomingMessage(written, { identity: known(identity), people, openThread });
    });
    if (message) await receive?.(message);
  }

  const commands = registerCommands(app, {
    table: options.commands,
    clients,
    people,
    files: createFileReader({ client: clients.calls, botToken, trustedOrigins, maxBytes }),
    workspace: () => known(identity).teamId,
    openThread,
    receive: async (message) => receive?.(message),
    trustedOrigins,
    log,
    sleep,
    signal: closing.signal,
  });

  return {
    name: 'slack',
    ...(connection.requestListener && { requestListener: connection.requestListener }),
    async start(receiver) {
      receive = receiver;
      identity = await readIdentity(clients.calls);
      await connection.open();
      log.info({ team: identity.teamId }, 'connected to Slack');
    },
    thread: (address) => createThread({ address, client: clients.writes, status }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await connection.close();
      await Promise.race([commands.idle(), delay(graceMs, undefined, { ref: false })]);
    },
  };
}

function createConnection(
  options: SlackOptions & { apiUrl: string },
  logger: ReturnType<typeof createBoltLogger>,
): Connection {
  const { appToken, signingSecret, apiUrl, log } = options;
  if (appToken) return createSocketConnection({ appToken, apiUrl, logger, log });
  if (signingSecret) return createHttpConnection({ signingSecret, logger, log });
  throw new Error('Slack needs SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP).');
}

function known(identity: Identity | undefined): Identity {
  if (!identity) throw new Error('Slack was used before it was started.');
  return identity;
}

function originOf(apiUrl: string): string[] {
  const { origin } = new URL(apiUrl);
  return origin === new URL(slackApi).origin ? [] : [origin];
}

const sleepFor: Sleep = (ms, signal) => delay(ms, undefined, { signal });
