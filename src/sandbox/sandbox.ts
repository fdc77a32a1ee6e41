import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Hono } from 'hono';
import { isFromElsewhere, isLoopback, refuseConnection } from './connections.ts';
import { createControl } from './control/control.ts';
import { createDiscordServer, type DiscordServer } from './discord/discord-server.ts';
import { createApiCalls, type RecordCall } from './inspector/api-calls.ts';
import { createReplies, type Replies } from './inspector/replies.ts';
import { createServiceGate, type ServiceGate } from './inspector/service-gate.ts';
import { createPageFiles } from './page-files.ts';
import { createRecords } from './records.ts';
import { openDatabase } from './schema.ts';
import type { Sleep } from '../shared/primitives/time.ts';
import { sleep as sleepFor } from './sleep.ts';
import { createSlack, type Slack } from './slack/slack.ts';

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
  sleep = sleepFor,
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
  const control = createControl({ slack, discord, calls, replies, service }, origin, sleep);

  const routes = new Hono().basePath('/sandbox');
  routes.use(async (context, next) => {
    const host = context.req.header('host') ?? new URL(context.req.url).host;
    if (!isLoopback(host)) return context.text(refusedText, 403);
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
