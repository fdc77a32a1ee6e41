import { setTimeout as delay } from 'node:timers/promises';
import { App } from '@slack/bolt';
import type { CommandRunner } from '../commands/invocation.ts';
import type { IncomingMessage, Platform, Receiver } from '../conversation/platform.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { ThreadAddress } from '../conversation/address.ts';
import { createMessageHandlers, handleBeforeAck } from './message-handlers.ts';
import {
  clientOptions,
  type Clients,
  createBoltLogger,
  createClients,
  type Identity,
  readIdentity,
  slackApi,
} from './clients.ts';
import { handleButtons, handleCommandButtons, handleStops } from './button-handlers.ts';
import { handleCommands } from './slash-commands.ts';
import type { Connection } from './connection.ts';
import { createFileReader } from './files.ts';
import { createModals } from './modal-handlers.ts';
import { createHttpConnection } from './http-connection.ts';
import { sendNotice } from './send-message.ts';
import { createNames, createPeople } from './people.ts';
import { createUserGroups } from './user-groups.ts';
import { withoutRepetitions } from './repeated-interactions.ts';
import { createRooms } from './rooms.ts';
import { monotonicMs, type Sleep, sleep as sleepFor } from '../../shared/primitives/time.ts';
import { createRunningCommands } from '../commands/adapters/show-results.ts';
import { createMentionCommands } from './mention-commands.ts';
import { handleShortcuts } from './shortcuts.ts';
import { createSocketConnection } from './socket-connection.ts';
import { createStreams } from './streams.ts';
import { createThread, type ThreadTools } from './thread.ts';
import { createWorkingStatus } from './agent-status.ts';
import { createFeedbackStyles } from './buttons.ts';

export interface SlackOptions {
  botToken: string;
  /** Events come over Socket Mode. */
  appToken?: string;
  /** Events come by HTTP, to `requestListener`; only without an app token. */
  signingSecret?: string;
  /** Called at the first request that Slack has signed with the secret. */
  onSigned?: () => void;
  /** The base URL of the Web API; by default Slack's own. */
  apiUrl?: string;
  /**
   * Origins, in addition to Slack's, that files are read from and command answers are sent to; by
   * default that of `apiUrl`.
   */
  trustedOrigins?: readonly string[];
  /** Max bytes read of a file; 25 MB by default. */
  maxFileBytes?: number;
  /** Whether replies in direct messages use Slack's own streaming messages; on by default. */
  nativeStreaming?: boolean;
  commands: CommandRunner;
  log: Log;
  /** Milliseconds since the epoch. */
  now?: () => number;
  sleep?: Sleep;
}

/**
 * Slack as a platform. With a signing secret, the server mounts `requestListener` at /slack/events.
 */
export interface SlackPlatform extends Platform, Pick<Connection, 'requestListener'> {}

/** How long running commands have at shutdown to show how they ended. */
const graceMs = 5_000;

/**
 * Connects to a Slack workspace with Bolt. `start` rejects with a PlatformError if Slack refuses a
 * token, naming its variable.
 * @throws {Error} when neither an app token nor a signing secret is given
 */
export function createSlackPlatform(options: SlackOptions): SlackPlatform {
  const { botToken, apiUrl = slackApi, log, now = monotonicMs, sleep = sleepFor } = options;
  const { trustedOrigins = originOf(apiUrl), maxFileBytes: maxBytes = 25 * 1024 * 1024 } = options;
  const { nativeStreaming = true } = options;
  const logger = createBoltLogger(log);
  const clients = createClients({ botToken, apiUrl, logger });
  const connection = createConnection({ ...options, apiUrl }, logger);
  const groups = createUserGroups({ client: clients.calls, log, now });
  const workspace = () => known(identity).teamId;
  const people = createPeople({ client: clients.calls, workspace, groups, log, now });
  const names = createNames({ client: clients.calls, people, groups, log, now });
  let identity: Identity | undefined;
  const botId = () => known(identity).botId;
  const streaming = () => nativeStreaming && identity?.isAgent !== false;
  const tools = createThreadTools(clients, { log, streaming, now, botId });
  const closing = new AbortController();
  let receiver: Receiver | undefined;

  const onceEach = withoutRepetitions(connection.receiver);
  const events = handleBeforeAck(onceEach, (body) => messages.handle(body), log);
  const app = new App({
    receiver: events,
    logger,
    convoStore: false,
    clientOptions: clientOptions(apiUrl, 2),
    // Given a token instead, Bolt calls auth.test itself, and a refusal would go unhandled.
    async authorize() {
      const { teamId, botId, userId } = known(identity);
      return { botToken, teamId, botId, botUserId: userId };
    },
  });
  app.error(async (error) => log.error({ err: error }, 'an event from Slack failed'));

  const addressOf = (channel: string, thread: string): ThreadAddress => ({
    platform: 'slack',
    workspace: known(identity).teamId,
    channel,
    thread,
  });
  const openThread = (channel: string, thread: string) =>
    createThread(addressOf(channel, thread), tools);
  const running = createRunningCommands(log, 'Slack');
  const commandTools = {
    runner: options.commands,
    clients,
    people,
    names,
    workspace,
    openThread,
    receive: async (message: IncomingMessage) => receiver?.message(message),
    trustedOrigins,
    files: createFileReader({ client: clients.calls, botToken, trustedOrigins, maxBytes }),
    running,
    log,
    sleep,
    signal: closing.signal,
  };
  const heard = { client: clients.writes, people, addressOf, receiver: () => receiver, log, sleep };
  const readSaid = createMentionCommands(commandTools);
  const messages = createMessageHandlers({
    ...heard,
    identity: () => known(identity),
    openThread,
    readSaid,
  });
  handleButtons(app, heard);
  handleStops(app, heard);
  const modals = createModals(app, commandTools);
  handleCommands(app, modals, commandTools);
  handleShortcuts(app, modals, commandTools);
  handleCommandButtons(app, commandTools);

  return {
    name: 'slack',
    host: new URL(apiUrl).host,
    get isConnected() {
      return connection.isConnected;
    },
    get fatalError() {
      return connection.fatalError;
    },
    get warning() {
      return connection.warning;
    },
    ...(connection.requestListener && { requestListener: connection.requestListener }),
    async start(told) {
      const found = await readIdentity(clients.calls);
      await told.joined('slack', [found.teamId], false);
      // Without them, Slack's requests are refused, and come again.
      receiver = told;
      identity = found;
      await connection.open();
      log.info({ team: identity.teamId }, 'connected to Slack');
    },
    rooms: createRooms({ client: clients.calls, log }),
    thread: (address) => createThread(address, tools),
    read: messages.read,
    notify: (notice, signal) => sendNotice(clients.writes, notice, signal),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await connection.close();
      await events.idle();
      await Promise.race([running.idle(), delay(graceMs, undefined, { ref: false })]);
    },
  };
}

function createThreadTools(
  clients: Clients,
  options: Pick<ThreadTools, 'botId' | 'log'> & { streaming: () => boolean; now: () => number },
): ThreadTools {
  const { botId, log, streaming, now } = options;
  const client = clients.writes;
  const feedback = createFeedbackStyles(log);
  return {
    clients,
    botId,
    log,
    status: createWorkingStatus(client, log),
    feedback,
    streams: createStreams({ client, feedback, log, now, enabled: streaming }),
  };
}

function createConnection(
  options: SlackOptions & { apiUrl: string },
  logger: ReturnType<typeof createBoltLogger>,
): Connection {
  const { appToken, signingSecret, onSigned, apiUrl, log } = options;
  if (appToken) return createSocketConnection({ appToken, apiUrl, logger, log });
  if (signingSecret) return createHttpConnection({ signingSecret, onSigned, logger, log });
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
