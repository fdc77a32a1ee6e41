import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Hono } from 'hono';
import type { Sleep } from '../../shared/primitives/time.ts';
import { type Changes, createChanges } from '../changes.ts';
import { refuseConnection } from '../connections.ts';
import { createFaults, type Faults } from '../faults.ts';
import type { RecordCall } from '../inspector/api-calls.ts';
import type { Records } from '../records.ts';
import { sleep as sleepFor } from '../sleep.ts';
import { createAgentSessions } from './agent-sessions.ts';
import { type AppLink, createAppLink } from './app-link.ts';
import { createDelivery, recordDeliveries, type DeliveryChange } from './delivery.ts';
import { createDirectory, type Directory } from './directory.ts';
import { connectEvents, createEventSender } from './events.ts';
import { createFileRoutes, type SlackSwitches } from './file-routes.ts';
import { createFiles, createUploads, type SlackFile } from './files.ts';
import { createTimestamps } from './identifiers.ts';
import { createInteractionPayloads, createTriggers } from './interaction-payloads.ts';
import { createInteractions, type Interactions } from './interactions.ts';
import { type AppManifest, createAppManifest } from './manifest.ts';
import { createEphemerals, createMessages } from './message-store.ts';
import { createModals, type Modals } from './modals.ts';
import type { SlackChange, SlackMessage, SlackTeam } from './model.ts';
import type { Parts } from './parts.ts';
import { createPeople, type People } from './people.ts';
import { createReading, type Reading } from './reading.ts';
import { createResponseUrls } from './response-urls.ts';
import { createSlashCommands, type SlashCommands } from './slash-commands.ts';
import { createSocketMode } from './socket-mode.ts';
import { createStreams } from './streams.ts';
import { createSuggestions, type Suggestions } from './suggestions.ts';
import { createTokens } from './tokens.ts';
import { createViews } from './views.ts';
import { createWebApi } from './web-api/web-api.ts';
import { createWire } from './wire.ts';

/** The credentials and URL that an app needs. */
interface SlackCredentials {
  botToken: string;
  appToken: string;
  signingSecret: string;
  /** Reads the app's configuration. */
  configToken: string;
  /** The app token of another app. */
  otherAppToken: string;
  /** The base URL of the Web API, with a trailing slash; read it once the sandbox listens. */
  readonly apiUrl: string;
}

/** A Slack workspace with an installed app: what people see and do in it, and injected faults. */
export interface SlackWorkspace
  extends
    Reading,
    People,
    Pick<Directory, 'userGroups' | 'saveUserGroup'>,
    SlashCommands,
    Interactions,
    Modals,
    Pick<Suggestions, 'suggest'>,
    AppManifest,
    AppLink,
    AsyncDisposable {
  /** Mounted at /sandbox/slack. */
  routes: Hono;
  /**
   * Handles a Socket Mode upgrade and returns true, or returns false and leaves the socket alone.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  credentials: SlackCredentials;
  team: SlackTeam;
  /** The app's ids: its bot user, its bot, and itself. */
  bot: { user: string; bot: string; app: string };
  faults: Faults;
  switches: SlackSwitches;
  /** What becomes of the events that the workspace sends to the app. */
  deliveries: Changes<DeliveryChange>;
  /** Sends an event once more, as Slack does where it missed the acknowledgement. */
  redeliver(payload: object): void;
  /** How many messages and files `empty` would delete. */
  contents(): { messages: number; files: number };
  /**
   * Deletes all messages and files, and closes all modals, without telling the app. People and
   * channels stay.
   */
  empty(): void;
}

/** The parameters of a workspace. */
export interface SlackWorkspaceOptions {
  records: Records;
  /** The sandbox's origin, such as `http://127.0.0.1:3000`; called once the server listens. */
  origin: () => string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Waits for acknowledgements, retries and latency. */
  sleep?: Sleep;
  /** Told of every call of the Web API and of every response to a response_url. */
  record?: RecordCall;
}

const basePath = '/sandbox/slack';

/** The workspace stored in the records, created if they are empty. */
export function createSlackWorkspace(options: SlackWorkspaceOptions): SlackWorkspace {
  const { records, origin, now, sleep = sleepFor, record = () => {} } = options;
  const baseUrl = () => origin() + basePath;
  const changes = createChanges<SlackChange>();
  const faults = createFaults();
  const switches: SlackSwitches = { fileHost: 'direct' };
  const directory = createDirectory(records, changes, now);
  const { app, team, userGroups, saveUserGroup } = directory;

  const newest = records.list<SlackMessage>('slack.message').at(-1);
  const timestamps = createTimestamps(now, newest?.ts);
  const messages = createMessages(records, changes, timestamps);
  const ephemerals = createEphemerals(records, changes, timestamps);
  const files = createFiles(records, baseUrl, now);
  const views = createViews(team, app, changes);
  const sessions = createAgentSessions(changes, now);
  const manifest = createAppManifest();
  const tokens = createTokens(app, manifest, now);
  const wire = createWire(directory, files);

  const socketMode = createSocketMode(app.id, changes, now, sleep);
  const { signingSecret } = app;
  const { link, transport } = createAppLink(socketMode, { signingSecret, now, sleep });
  const deliveries = createChanges<DeliveryChange>();
  const delivery = createDelivery(recordDeliveries(transport, record), faults, deliveries, sleep);
  const sendEvent = createEventSender(delivery, directory, manifest, now);
  connectEvents({ changes, directory, sendEvent, timestamps, wire });

  const triggers = createTriggers(now);
  const parts: Parts = {
    directory,
    messages,
    ephemerals,
    files,
    uploads: createUploads(now),
    streams: createStreams(messages, now),
    views,
    sessions,
    timestamps,
    manifest,
    tokens,
    wire,
    socketMode,
    link,
    delivery,
    sendEvent,
    triggers,
    payloads: createInteractionPayloads(directory, triggers),
    responseUrls: createResponseUrls({ app, messages, ephemerals, record, baseUrl, now }),
    baseUrl,
  };
  const suggestions = createSuggestions(parts);

  const routes = new Hono();
  routes.route('/api', createWebApi(parts, { faults, record, now, sleep }));
  routes.route('/files', createFileRoutes(parts, switches));
  routes.route('/respond', parts.responseUrls.routes);
  routes.get('/archives/:channel/:message', (context) => {
    const { channel, message } = context.req.param();
    const ts = message.replace(/^p(\d+)(\d{6})$/, '$1.$2');
    return context.redirect(`/sandbox/#slack/${channel}/${ts}`);
  });

  return {
    ...createReading(parts, changes),
    ...createPeople(parts),
    userGroups,
    saveUserGroup,
    ...createSlashCommands(parts),
    ...createInteractions(parts),
    ...createModals(parts, suggestions),
    suggest: suggestions.suggest,
    ...manifest,
    ...link,
    routes,
    upgrade(request, socket, head) {
      if (!request.url?.startsWith(`${basePath}/link?`)) return false;
      if (faults.offline) refuseConnection(socket);
      else socketMode.upgrade(request, socket, head);
      return true;
    },
    credentials: {
      botToken: app.botToken,
      appToken: app.appToken,
      signingSecret,
      configToken: tokens.configToken,
      otherAppToken: tokens.otherAppToken,
      get apiUrl() {
        return `${baseUrl()}/api/`;
      },
    },
    team,
    bot: { user: app.botUser, bot: app.botId, app: app.id },
    faults,
    switches,
    deliveries,
    redeliver: (payload) => delivery.deliverEvent(payload),
    contents: () => ({
      messages: records.count('slack.message') + records.count('slack.ephemeral'),
      files: records.count('slack.file'),
    }),
    empty() {
      for (const { id } of records.list<SlackFile>('slack.file')) {
        records.contents.delete(`slack:${id}`);
      }
      for (const kind of ['slack.message', 'slack.revision', 'slack.ephemeral', 'slack.file']) {
        records.trim(kind, 0);
      }
      for (const { id } of directory.users()) views.clear(id);
      changes.announce({ kind: 'emptied' });
    },
    async [Symbol.asyncDispose]() {
      delivery.close();
      socketMode.close();
    },
  };
}
