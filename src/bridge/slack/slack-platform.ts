import { App } from '@slack/bolt';
import { createOnceAtATime } from '../../shared/primitives/cache.ts';
import { monotonicMs, type Sleep, sleep as sleepFor } from '../../shared/primitives/time.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { createRunningCommands } from '../commands/adapters/show-results.ts';
import type { CommandRunner } from '../commands/invocation.ts';
import { isRefusal, type PlatformError } from '../conversation/errors.ts';
import type { Platform, Receiver } from '../conversation/platform.ts';
import { handleButtons, handleCommandButtons, handleStops } from './button-handlers.ts';
import {
  clientOptions,
  createBoltLogger,
  type Identity,
  readIdentity,
  slackApi,
} from './clients.ts';
import type { EventConnection } from './event-connection.ts';
import { createSlackWorkspace } from './create-workspace.ts';
import { createHttpConnection } from './http-connection.ts';
import { type Access, createManyWorkspaces, type InstallOptions } from './many-workspaces.ts';
import { createMessageHandlers } from './message-handlers.ts';
import { handleModals } from './modal-handlers.ts';
import { handleBeforeAck, withoutRepetitions } from './receiver.ts';
import { sendNotice } from './send-message.ts';
import { handleShortcuts } from './shortcuts.ts';
import { handleCommands } from './slash-commands.ts';
import { createSocketConnection } from './socket-connection.ts';
import type { AppTools } from './workspace.ts';

export interface SlackOptions {
  /** The token for the one workspace, unless workspaces install the app. */
  botToken?: string;
  install?: InstallOptions;
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
  /** Where it is kept for `npm run doctor` that Slack limits how the app reads. */
  historyLimits?: AppTools['historyLimits'];
  commands: CommandRunner;
  /** How many processes share the store, and so the app; by default this one alone. */
  processes?: () => number;
  log: Log;
  /** Milliseconds since the epoch. */
  now?: () => number;
  sleep?: Sleep;
}

/**
 * Slack as a platform. With a signing secret, the server mounts `requestListener` at /slack/events.
 */
export type SlackPlatform = Platform &
  Pick<EventConnection, 'requestListener'> &
  Pick<Access, 'pages' | 'keepUp' | 'countInstallations'>;

/**
 * Connects to Slack with Bolt: to one workspace, or to all that have installed the app. `start`
 * rejects with a PlatformError if Slack refuses a token, naming its variable.
 * @throws {Error} when neither an app token nor a signing secret is given
 */
export function createSlackPlatform(options: SlackOptions): SlackPlatform {
  const {
    botToken = '',
    install,
    apiUrl = slackApi,
    log,
    now = monotonicMs,
    sleep = sleepFor,
  } = options;
  const { trustedOrigins = originOf(apiUrl), maxFileBytes = 25 * 1024 * 1024 } = options;
  const { nativeStreaming = true, commands } = options;
  const logger = createBoltLogger(log);
  const connection = createConnection({ ...options, apiUrl }, logger);
  const closing = new AbortController();
  const running = createRunningCommands(log, 'Slack');
  let receiver: Receiver | undefined;
  const tools: AppTools = {
    runner: commands,
    receiver: () => receiver,
    running,
    trustedOrigins,
    apiUrl,
    logger,
    maxFileBytes,
    nativeStreaming,
    historyLimits: options.historyLimits,
    log,
    now,
    sleep,
    signal: closing.signal,
  };
  const access = install
    ? createManyWorkspaces(install, tools)
    : createOneWorkspace(botToken, tools, connection.fail);
  const { workspaces } = access;
  const messages = createMessageHandlers(workspaces);

  const app = new App({
    // Events come by the connection.
    receiver: { init() {}, async start() {}, async stop() {} },
    logger,
    convoStore: false,
    clientOptions: clientOptions(apiUrl, 2),
    // Given a token instead, Bolt calls auth.test itself, and a refusal would go unhandled.
    async authorize(_, body) {
      const identity = body && workspaces.of(body)?.identity();
      return { teamId: identity?.teamId, botId: identity?.botId, botUserId: identity?.userId };
    },
  });
  app.error(async (error) => log.error({ err: error }, 'an event from Slack failed'));

  handleButtons(app, workspaces);
  handleStops(app, workspaces);
  handleModals(app, workspaces);
  handleCommands(app, workspaces);
  handleShortcuts(app, commands.commands, workspaces);
  handleCommandButtons(app, workspaces);

  const handle = async (body: object) => {
    await access.note(body);
    return messages.handle(body);
  };
  const early = handleBeforeAck(app, handle, log);
  const events = withoutRepetitions(early.app);

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
    pages: access.pages,
    keepUp: access.keepUp,
    countInstallations: access.countInstallations,
    async start(told) {
      const found = await access.start(told);
      // Without a receiver, Slack's requests are refused, and come again.
      receiver = told;
      await connection.open(events);
      log.info(found, 'connected to Slack');
    },
    rooms: {
      of: (address) => workspaces.at(address.workspace).rooms.of(address),
      has: (address, room, person) =>
        workspaces.at(address.workspace).rooms.has(address, room, person),
    },
    thread: (address) => workspaces.at(address.workspace).thread(address),
    read: messages.read,
    notify: (notice, signal) =>
      sendNotice(workspaces.at(notice.workspace).clients.writes, notice, signal),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await connection.close();
      await early.idle();
      await running.idle();
    },
  };
}

/**
 * Serves the one workspace of a token, whatever its events say.
 *
 * @param onRefused called when Slack refuses the token, also when it is asked again
 */
function createOneWorkspace(
  botToken: string,
  tools: AppTools,
  onRefused: (error: PlatformError) => void,
): Access {
  let identity: Identity | undefined;
  const once = createOnceAtATime<Identity>();
  const identify = () => once('', () => readIdentity(only.clients.calls));
  const only = createSlackWorkspace(
    {
      identity: () => identity,
      token: async () => botToken,
      onAnswer(refusal) {
        if (refusal === undefined) return;
        identify().catch((error: unknown) => {
          if (isRefusal(error, 'forbidden')) onRefused(error);
        });
      },
    },
    tools,
  );
  return {
    workspaces: { of: () => only, at: () => only, answering: async () => only },
    async start(told) {
      const found = await identify();
      await told.joined('slack', [found.teamId], false);
      identity = found;
      return { team: identity.teamId };
    },
    note: async () => {},
  };
}

function createConnection(
  options: SlackOptions & { apiUrl: string },
  logger: ReturnType<typeof createBoltLogger>,
): EventConnection {
  const { appToken, signingSecret, onSigned, apiUrl, processes, log } = options;
  if (appToken) return createSocketConnection({ appToken, apiUrl, logger, processes, log });
  if (signingSecret) return createHttpConnection({ signingSecret, onSigned, logger, log });
  throw new Error('Slack needs SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP).');
}

function originOf(apiUrl: string): string[] {
  const { origin } = new URL(apiUrl);
  return origin === new URL(slackApi).origin ? [] : [origin];
}
