import { Hono } from 'hono';
import { z } from 'zod';
import type { DiscordServer } from '../discord/discord-server.ts';
import type { Faults } from '../faults.ts';
import type { ApiCalls } from '../inspector/api-calls.ts';
import type { Replies, ReplyCurve } from '../inspector/replies.ts';
import { type ServiceGate, serviceStates } from '../inspector/service-gate.ts';
import type { Slack } from '../slack/slack.ts';
import { parseWith, readBody } from './request-body.ts';
import { toShownWorkspace } from './slack/workspaces.ts';

/** What the inspector shows and changes. */
export interface Inspected {
  slack: Slack;
  discord: DiscordServer;
  calls: ApiCalls;
  replies: Replies;
  service: ServiceGate;
  stored?: Stored;
}

/** What the bot and the chatbot service have stored. */
export interface Stored {
  /** What `empty` leaves, if anything: what the service has, or that and what the bot has. */
  kept(): Promise<'service' | 'all' | undefined>;
  /**
   * Ends what is under way, and deletes what was stored. May be repeated after a failure.
   * @throws {Error} with a sentence
   */
  empty(): Promise<void>;
}

const number = z.coerce.number().int().min(0);
const query = z.strictObject({
  /** The id of the last call that the page knows. */
  after: number.default(0),
  /** The id of the reply whose curve it draws. */
  reply: number.optional(),
});
const serviceChange = z.strictObject({ state: z.enum(serviceStates) });

/**
 * What the bot does. GET reads it, POST /service lets the chatbot service die, hang or work, GET
 * /contents counts what was said, and POST /empty deletes that on both platforms, after what was stored
 * of it.
 */
export function createInspectorRoutes(inspected: Inspected): Hono {
  const { slack, discord, calls, replies, service } = inspected;
  const routes = new Hono();

  routes.get('/', (context) => {
    const { after, reply } = parseWith(query, context.req.query());
    const listed = replies.list();
    const inspection = {
      /** The calls after the last known one, in the order of their answers. */
      calls: calls.after(after),
      /** The id of the last call. It starts at 0 with each sandbox. */
      lastCall: calls.lastId,
      /** Oldest first. */
      replies: listed.map(toListed),
      curve: listed.find(({ id }) => id === reply),
      slack: {
        ...readFaults(slack.faults),
        connections: slack.connections(),
        limitsHistory: slack.switches.limitsHistory === true,
      },
      discord: { ...readFaults(discord.faults), connections: discord.gateway.connections },
      workspaces: slack.workspaces().map(toShownWorkspace),
      /** Where people begin to install the app; absent if it runs with one token. */
      installUrl: slack.switches.installUrl,
      /** How long the next tokens live, in seconds, if not as the manifest says. */
      tokenLifetime: slack.switches.tokenLifetime,
      /** Absent if the service runs elsewhere: the sandbox cannot make that fail. */
      service: service.isUsed ? { state: service.state } : undefined,
    };
    const shown = hideCredentials(JSON.stringify(inspection), slack, discord);
    return context.body(shown, 200, { 'content-type': 'application/json' });
  });

  routes.post('/service', async (context) => {
    const { body } = await readBody(context, serviceChange);
    service.change(body.state);
    return context.json({ state: service.state });
  });

  routes.get('/contents', async (context) => {
    const { messages, threads, files } = discord.contents();
    const said = slack.workspaces().map((workspace) => workspace.contents());
    return context.json({
      messages: said.reduce((sum, one) => sum + one.messages, messages),
      threads,
      files: said.reduce((sum, one) => sum + one.files, files),
      /** What is not the platforms' and stays: `service`, or `all`. */
      kept: inspected.stored ? await inspected.stored.kept() : 'all',
    });
  });

  routes.post('/empty', async (context) => {
    await readBody(context, z.strictObject({}));
    // One that was made to fail could not be emptied.
    service.change('works');
    await inspected.stored?.empty();
    for (const workspace of slack.workspaces()) workspace.empty();
    discord.empty();
    calls.clear();
    replies.clear();
    return context.json({});
  });

  return routes;
}

function toListed({ id, platform, query, at, outcome, writes }: ReplyCurve) {
  const refused = writes.filter(({ isAccepted }) => !isAccepted).length;
  return { id, platform, query, at, outcome, writes: writes.length, refused };
}

/** Hides credentials in a text: the bot may have put them anywhere. */
function hideCredentials(text: string, slack: Slack, discord: DiscordServer): string {
  const { signingSecret, clientSecret } = slack.credentials;
  const { token } = discord.credentials;
  // Slack's tokens, also those that have ended.
  const shown = text.replaceAll(/\b(?:xoxb|xoxe|xapp)[.-][\w.-]+/g, '(hidden)');
  return [signingSecret, clientSecret, token].reduce(
    (rest, credential) => rest.replaceAll(credential, '(hidden)'),
    shown,
  );
}

/** A month, in seconds: platforms have asked for that much. */
const maxRetryAfter = 31 * 24 * 3_600;

const faultKind = z.strictObject({
  status: z.int().min(200).max(599).optional(),
  retryAfter: z.number().min(0).max(maxRetryAfter).optional(),
  error: z.union([z.string().min(1).max(100), z.int()]).optional(),
  html: z.string().max(10_000).optional(),
  afterEffect: z.boolean().optional(),
  drop: z.boolean().optional(),
});
const fault = faultKind.extend({
  method: z.string().min(1).max(200),
  times: z.int().min(1).max(1_000),
});

const faultsChange = z.strictObject({
  faults: z.array(fault).max(100).optional(),
  /** Milliseconds. */
  latency: z.number().min(0).max(60_000).optional(),
  rateLimits: z.boolean().optional(),
  /** Null ends it. */
  every: faultKind.nullable().optional(),
  /** Cuts all connections for events, and refuses new ones. */
  offline: z.boolean().optional(),
});

/**
 * The faults of a platform. GET reads what is switched on, POST adds faults and switches, and DELETE
 * resets everything. `cut` cuts the bot's connections for events.
 */
export function createFaultsRoutes(faults: Faults, cut: () => void): Hono {
  const routes = new Hono();
  const read = () => readFaults(faults);
  routes.get('/', (context) => context.json(read()));
  routes.post('/', async (context) => {
    const { body } = await readBody(context, faultsChange);
    if (body.latency !== undefined) faults.latency = body.latency;
    if (body.rateLimits !== undefined) faults.rateLimits = body.rateLimits;
    if (body.every !== undefined) faults.every = body.every ?? undefined;
    if (body.offline !== undefined) faults.offline = body.offline;
    if (body.offline) cut();
    for (const one of body.faults ?? []) faults.inject(one);
    return context.json(read());
  });
  routes.delete('/', (context) => {
    faults.clear();
    return context.json(read());
  });
  return routes;
}

/** What is switched on; JSON omits what isn't. */
function readFaults({ latency, rateLimits, every, offline }: Faults) {
  return { latency, rateLimits, every, offline: offline || undefined };
}
