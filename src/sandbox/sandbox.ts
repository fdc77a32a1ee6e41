import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Hono } from 'hono';
import { hostOf, isFromElsewhere, isLoopback, refuseConnection } from './connections.ts';
import { type DiscordServer, createDiscordServer } from './discord/discord-server.ts';
import { type RecordCall, createApiCalls } from './inspector/api-calls.ts';
import { type Replies, createReplies } from './inspector/replies.ts';
import { type ServiceGate, createServiceGate } from './inspector/service-gate.ts';
import { createPageFiles } from './page-files.ts';
import { createRecords } from './records.ts';
import { openDatabase } from './schema.ts';
import { type Sleep, sleepUnref } from '../shared/primitives/time.ts';
import { type Slack, createSlack } from './slack/slack.ts';
import { ContentTooLarge } from './contents.ts';
import { DiscordRefusal, type FieldError, type FormErrors } from './discord/refusals.ts';
import { createDiscordControl } from './control/discord/discord-control.ts';
import { createEventStreams } from './control/events.ts';
import {
  type Inspected,
  type Stored,
  createFaultsRoutes,
  createInspectorRoutes,
} from './control/inspector.ts';
import { ControlError } from './control/request-body.ts';
import { createWorkspacesControl } from './control/slack/workspaces.ts';

/** Slack and Discord on loopback: the routes to mount, and what tests and the page use. */
export interface Sandbox extends AsyncDisposable {
  /** Where the tour's sample documents are: a URL that ends with a slash. */
  readonly samples: string;
  slack: Slack;
  discord: DiscordServer;
  /** The bridge reports its replies here. */
  replies: Pick<Replies, 'began' | 'took' | 'received' | 'ended'>;
  /** Stands before the chatbot service, so that it can die or hang. */
  service: Pick<ServiceGate, 'guard'>;
  /** From now on, what the bot has stored is emptied with the platforms. */
  attach(stored: Stored): void;
  /**
   * Handles every request under /sandbox. The second argument is the server's view of the
   * connection (`@hono/node-server` passes it), so that a fault can close it.
   */
  fetch(request: Request, connection?: object): Response | Promise<Response>;
  /**
   * Handles an upgrade for the sandbox and returns true, or returns false and leaves the socket
   * alone.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

/** The parameters of a sandbox. */
export interface SandboxOptions {
  /** The path of a database file, or `:memory:`. */
  database: string;
  /** The sandbox's origin, such as `http://127.0.0.1:3000`; called once the server listens. */
  origin: () => string;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Waits for acknowledgements, retries and latency. */
  sleep?: Sleep;
}

/**
 * A Slack workspace and a Discord server on loopback, to be mounted in an HTTP server. Their state
 * is stored in the database, where the next sandbox finds it.
 */
export function createSandbox({
  database,
  origin,
  now = Date.now,
  sleep = sleepUnref,
}: SandboxOptions): Sandbox {
  const connection = openDatabase(database);
  const records = createRecords(connection);
  const calls = createApiCalls(now);
  const replies = createReplies(now);
  const record: RecordCall = (call) => {
    calls.record(call);
    replies.called(call);
  };
  const slack = createSlack({ records, origin, now, sleep, record });
  const discord = createDiscordServer({ records, origin, now, sleep, record });
  slack.eachWorkspace(({ changes }) => changes.subscribe(replies.sawOnSlack));
  discord.changes.subscribe(replies.sawOnDiscord);
  const service = createServiceGate();
  const inspected: Inspected = { slack, discord, calls, replies, service };
  const control = createControl(inspected, origin, sleep);

  const routes = new Hono().basePath('/sandbox');
  routes.use(async (context, next) => {
    if (!isLoopback(hostOf(context))) return context.text(refusedText, 403);
    return next();
  });
  routes.route('/slack', slack.routes);
  routes.route('/discord', discord.routes);
  routes.route('/control', control.routes);
  routes.route('/', createPageFiles());

  return {
    get samples() {
      return `${origin()}/sandbox/samples/`;
    },
    slack,
    discord,
    replies,
    service,
    attach(stored) {
      inspected.stored = stored;
    },
    fetch: (request, connection) => routes.fetch(request, connection),
    upgrade(request, socket, head) {
      if (!request.url?.startsWith('/sandbox/')) return false;
      const { host = '' } = request.headers;
      if (!isLoopback(host) || isFromElsewhere(request.headers, host)) {
        refuseConnection(socket, '403 Forbidden');
        return true;
      }
      return slack.upgrade(request, socket, head) || discord.upgrade(request, socket, head);
    },
    async [Symbol.asyncDispose]() {
      control.close();
      await slack[Symbol.asyncDispose]();
      await discord.close();
      connection.close();
    },
  };
}

const refusedText = 'The sandbox answers only requests to 127.0.0.1, localhost and [::1].\n';

/**
 * The control API: what people do and see on both platforms, for the page and tests. JSON in and out,
 * with `{ "error": … }` as a sentence when it rejects a request. It accepts only its own origin, so
 * that no other site can act in it through the user's browser.
 *
 * Of several Slack workspaces, `/slack/…` is the first; `/slack/workspaces/:id/…` is any of them, and
 * `?slack=:id` chooses the one that `/overview` and `/events` tell of.
 *
 * @param origin the sandbox's base URL
 * @param sleep waits between the heartbeats of event streams
 */
function createControl(inspected: Inspected, origin: () => string, sleep: Sleep) {
  const { slack, discord } = inspected;
  const routes = new Hono();
  routes.use(async (context, next) => {
    if (isFromElsewhere(context.req.header(), hostOf(context))) {
      return context.json({ error: 'Only the sandbox’s own page can use the control API.' }, 403);
    }
    await next();
    context.header('cache-control', 'no-store');
    context.header('x-content-type-options', 'nosniff');
  });
  routes.onError((error, context) => {
    const refused = toControlError(error);
    if (!refused) throw error;
    return context.json({ error: refused.message }, refused.status);
  });

  const workspaces = createWorkspacesControl(slack);
  const discordControl = createDiscordControl(discord);
  const events = createEventStreams(sleep);
  routes.get('/overview', (context) =>
    context.json({
      origin: origin(),
      slack: workspaces.of(context.req.query('slack')).overview(),
      discord: discordControl.overview(),
      workspaces: workspaces.list(),
    }),
  );
  routes.get('/events', (context) => {
    const { subscribe } = workspaces.of(context.req.query('slack'));
    return events.open(context, { slack: subscribe, discord: discordControl.subscribe });
  });
  routes.route('/slack/faults', createFaultsRoutes(slack.faults, slack.sever));
  routes.route(
    '/discord/faults',
    createFaultsRoutes(discord.faults, () => discord.gateway.disconnect()),
  );
  routes.route('/inspector', createInspectorRoutes(inspected));
  routes.route('/slack/workspaces', workspaces.routes);
  routes.route('/slack', workspaces.of(undefined).routes);
  routes.route('/discord', discordControl.routes);
  routes.all('*', (context) => context.json({ error: 'Unknown operation.' }, 404));

  return {
    /** Mounted at /sandbox/control. */
    routes,
    /** Ends the event streams. */
    close: events.close,
  };
}

/**
 * Converts an error into the control API's response to it; undefined for a bug in the sandbox.
 * Something that people can't do is a plain Error on Slack and a DiscordRefusal on Discord.
 */
function toControlError(error: unknown): ControlError | undefined {
  if (error instanceof ControlError) return error;
  if (error instanceof ContentTooLarge) return new ControlError(413, error.message);
  if (error instanceof DiscordRefusal) {
    const faults = error.errors ? listFaults(error.errors) : [];
    return new ControlError(400, [error.message, ...faults].join(': '));
  }
  const isPlain = error instanceof Error && error.name === 'Error' && !('code' in error);
  return isPlain ? new ControlError(400, error.message) : undefined;
}

function listFaults(errors: FormErrors, path = ''): string[] {
  return Object.entries(errors).flatMap(([field, below]) => {
    if (Array.isArray(below)) return below.map(({ message }: FieldError) => `${path}${message}`);
    return below ? listFaults(below, `${field} `) : [];
  });
}
