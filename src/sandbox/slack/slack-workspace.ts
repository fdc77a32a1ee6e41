import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Hono } from 'hono';
import { type Changes, createChanges } from '../changes.ts';
import { createFaults, type Faults } from '../faults.ts';
import type { RecordCall } from '../inspector/api-calls.ts';
import type { Records } from '../records.ts';
import { refuseConnection } from '../connections.ts';
import type { Sleep } from '../../shared/primitives/sleep.ts';
import { sleep as sleepFor } from '../sleep.ts';
import { createAppLink, type AppLink } from './app-link.ts';
import { createBuiltInCommands } from './built-in-commands.ts';
import { createCommands, type Commands } from './commands.ts';
import { createDelivery, type DeliveryChange } from './delivery.ts';
import { createDirectory } from './directory.ts';
import { createEmptying, type Emptying } from './emptying.ts';
import { createEphemerals } from './ephemerals.ts';
import { createEventSender } from './event-sender.ts';
import { connectEvents } from './events.ts';
import { createFileRoutes } from './file-routes.ts';
import { createFiles } from './files.ts';
import { createInteractionPayloads } from './interaction-payloads.ts';
import { createAppManifest, type AppManifest } from './manifest.ts';
import type { SlackMessage } from './message.ts';
import { createMessages } from './messages.ts';
import { createModals, type Modals } from './modals.ts';
import { createPeople, type People } from './people.ts';
import { createPresses, type Presses } from './presses.ts';
import { createReading, type Reading } from './reading.ts';
import { createReplies } from './replies.ts';
import { createResponseUrls } from './response-urls.ts';
import { createSessions } from './sessions.ts';
import { createShortcuts, type Shortcuts } from './shortcuts.ts';
import type { SlackChange } from './slack-changes.ts';
import { createSocketMode } from './socket-mode.ts';
import { createStatuses } from './statuses.ts';
import { createStops, type Stops } from './stops.ts';
import { createStreams } from './streams.ts';
import { createSwitches, type SlackSwitches } from './switches.ts';
import { createSuggestions, type Suggestions } from './suggestions.ts';
import { createTimestamps } from './timestamps.ts';
import { createTokens } from './tokens.ts';
import { createTriggers } from './triggers.ts';
import { createUploads } from './uploads.ts';
import { createUsages, type Usages } from './usages.ts';
import { createUserGroups, type UserGroups } from './user-groups.ts';
import { createViews } from './views.ts';
import { createMethods } from './web-api/methods.ts';
import { createWebApi } from './web-api/web-api.ts';
import { createWire } from './wire.ts';
import type { SlackTeam } from './workspace.ts';

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
    UserGroups,
    Commands,
    Presses,
    Shortcuts,
    Stops,
    Modals,
    Pick<Suggestions, 'suggest'>,
    AppManifest,
    Usages,
    AppLink,
    Emptying,
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
  const switches = createSwitches();
  const directory = createDirectory(records, changes, now);
  const { app, team } = directory;
  const groups = createUserGroups(records);

  const newest = records.list<SlackMessage>('slack.message').at(-1);
  const timestamps = createTimestamps(now, newest?.ts);
  const messages = createMessages({ records, changes, timestamps });
  const ephemerals = createEphemerals({ records, changes, timestamps });
  const files = createFiles(records, baseUrl, now);
  const uploads = createUploads(now);
  const views = createViews({ team, app, changes });
  const statuses = createStatuses(changes, now);
  const sessions = createSessions(changes, now);
  const streams = createStreams(messages, now);
  const wire = createWire(directory, files);

  const socketMode = createSocketMode({ appId: app.id, changes, now, sleep });
  const { signingSecret } = app;
  const { link, transport } = createAppLink({ socketMode, signingSecret, now, sleep });
  const deliveries = createChanges<DeliveryChange>();
  const delivery = createDelivery({ transport, faults, changes: deliveries, sleep });
  const manifest = createAppManifest();
  const sendEvent = createEventSender({ delivery, directory, manifest, now });
  connectEvents({ changes, directory, sendEvent, timestamps, wire });

  const triggers = createTriggers(now);
  const payloads = createInteractionPayloads({ directory, triggers });
  const replies = createReplies({ app, messages, ephemerals });
  const responseUrls = createResponseUrls({ replies, record, baseUrl, now });
  const said = { messages, ephemerals, files, uploads, streams };
  const parts = { ...said, directory, groups, views, statuses, sessions, triggers, timestamps };
  const suggestions = createSuggestions({ delivery, payloads, views, link, manifest });
  const deliver = { delivery, payloads, replies, responseUrls, wire };
  const builtIn = createBuiltInCommands({ directory, groups, messages, ephemerals });
  const interactive = { ...parts, ...deliver, suggestions, manifest, builtIn };
  const methods = createMethods({ ...parts, wire, socketMode, manifest, baseUrl });
  const tokens = createTokens({ app, manifest, now });

  const routes = new Hono();
  routes.route('/api', createWebApi({ directory, methods, tokens, faults, record, now, sleep }));
  routes.route('/files', createFileRoutes({ directory, tokens, files, uploads, switches }));
  routes.route('/respond', responseUrls.routes);
  routes.get('/archives/:channel/:message', (context) => {
    const { channel, message } = context.req.param();
    const ts = message.replace(/^p(\d+)(\d{6})$/, '$1.$2');
    return context.redirect(`/sandbox/#slack/${channel}/${ts}`);
  });

  return {
    ...createReading({ ...parts, changes }),
    ...createPeople({ directory, files, manifest, messages, timestamps }),
    ...groups,
    ...createCommands(interactive),
    ...createPresses(interactive),
    ...createShortcuts(interactive),
    suggest: suggestions.suggest,
    ...manifest,
    ...createUsages(),
    ...createStops({ ...parts, sendEvent }),
    ...createModals(interactive),
    ...link,
    ...createEmptying({ records, changes, views, users: directory.users }),
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
    async [Symbol.asyncDispose]() {
      delivery.close();
      socketMode.close();
    },
  };
}
