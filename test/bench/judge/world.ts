import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { PlatformName } from './people.ts';
import { type Moment, readCall } from './moments.ts';
import { createScriptedService, nameIn, type ReplyPlan, type ScriptedService } from './service.ts';

/**
 * Everything but the bridge: Slack, Discord and the chatbot service, in this process. It outlives
 * the bridge, and sees each call that the bridge makes.
 */
export interface World extends AsyncDisposable {
  sandbox: Sandbox;
  service: ScriptedService;
  /** The names of the questions whose queries were sent, even if the service never got them. */
  sent: readonly string[];
  /** Whether Slack delivered a question a third time, which comes a minute after the second. */
  wasLate(name: string): boolean;
  /** The environment that connects a bridge to it. */
  env: Record<string, string>;
  /**
   * Told of each moment, until the returned function is called. What the listener returns is what
   * becomes of the call.
   */
  watch(listener: MomentListener): () => void;
  /** Tells the listeners that somebody has changed, deleted or pressed something. */
  noteChange(): void;
  /** Whether the bridge is connected to a platform. */
  hears(platform: PlatformName): boolean;
  /**
   * Whether a platform has surely told the bridge what happened at a time, by `performance.now()`.
   * Slack repeats what was not acknowledged, Discord does not.
   */
  hasTold(platform: PlatformName, at: number): boolean;
  /**
   * Resolves with true once the bridge is connected to both platforms and nothing has happened for
   * `ms`: no call, no message, no event on its way; with false when `signal` aborts first.
   */
  quiet(ms: number, signal: AbortSignal): Promise<boolean>;
  /** Resolves with true once something happens, with false where nothing does for `ms`. */
  stirs(ms: number): Promise<boolean>;
}

/** `hang up` closes the connection; a response takes the place of the call's own. */
export type MomentListener = (moment: Moment) => 'hang up' | Response | undefined;

interface WorldOptions {
  planFor(query: string): ReplyPlan;
}

/** What the bridge got so long before it died, it has stored. */
const storedWithinMs = 2_000;

/** Slack's last retries come after 1 and 5 minutes. Here they come after this time. */
const maxRetryDelayMs = 30_000;

interface Connection {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

export async function createWorld({ planFor }: WorldOptions): Promise<World> {
  const listeners = new Set<MomentListener>();
  const sent: string[] = [];
  const activity = createActivity();
  let origin = '';
  const sandbox = createSandbox({
    database: ':memory:',
    origin: () => origin,
    sleep: (ms, signal) => sleep(Math.min(ms, maxRetryDelayMs), undefined, { ref: false, signal }),
  });
  Object.assign(sandbox.slack.faults, { rateLimits: false });
  Object.assign(sandbox.discord.faults, { rateLimits: false });
  const service = createScriptedService({
    planFor,
    onProgress: (step) => void tell({ step, phase: 'after' }),
  });

  function tell(moment: Moment): ReturnType<MomentListener> {
    activity.note();
    for (const listener of listeners) {
      const outcome = listener(moment);
      if (outcome) return outcome;
    }
    return undefined;
  }

  async function answer(request: Request, connection: Connection): Promise<Response> {
    const read = await readCall(request);
    if (!read) return route(request, connection);
    const call = { ...read, port: connection.incoming.socket.remotePort };
    if (call.step === 'ask') sent.push(nameIn(await request.clone().text()) ?? '');
    const before = tell({ ...call, phase: 'before' });
    if (before) return before === 'hang up' ? hangUp(connection) : before;
    const response = await route(request, connection);
    const instead = tell({ ...call, phase: 'unanswered' });
    if (instead) return instead === 'hang up' ? hangUp(connection) : instead;
    // The response to a query is a stream, whose own moments follow.
    if (call.step !== 'ask') {
      connection.outgoing.once('finish', () => tell({ ...call, phase: 'after' }));
    }
    return response;
  }

  function route(request: Request, connection: Connection): Response | Promise<Response> {
    return new URL(request.url).pathname.startsWith('/sandbox/')
      ? sandbox.fetch(request, connection)
      : service.fetch(request, () => connection.incoming.socket.destroy());
  }

  const listener = getRequestListener(
    (request, connection) => answer(request, connection as unknown as Connection),
    { overrideGlobalObjects: false },
  );
  const server = createServer((request, response) => {
    const done = activity.begin();
    response.once('close', done);
    void listener(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (!sandbox.upgrade(request, socket, head)) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { slack, discord } = sandbox;
  slack.changes.subscribe(activity.note);
  /** Each process on one store has a session. */
  const connected = new Set<string>();
  /** Since when Discord's gateway is open, and when it was before. */
  const gateway = { isOpen: false, since: 0, before: [] as { from: number; to: number }[] };
  discord.changes.subscribe((change) => {
    activity.note();
    if (change.kind !== 'gateway') return;
    if (change.event === 'closed') connected.delete(change.session);
    else connected.add(change.session);
    const isOpen = connected.size > 0;
    const now = performance.now();
    if (gateway.isOpen && !isOpen) gateway.before.push({ from: gateway.since, to: now });
    if (!gateway.isOpen && isOpen) gateway.since = now;
    gateway.isOpen = isOpen;
  });
  const pending = new Map<object, () => void>();
  /** How often each question was delivered to Slack's app in vain. */
  const failures = new Map<string, number>();
  slack.deliveries.subscribe(({ state, payload }) => {
    if (state === 'sent' && !pending.has(payload)) pending.set(payload, activity.begin());
    const isInVain = state === 'failed' && isPersons(payload);
    const name = isInVain ? nameIn(JSON.stringify(payload)) : undefined;
    if (name !== undefined) failures.set(name, (failures.get(name) ?? 0) + 1);
    if (isPersons(payload) && state === 'sent') tell({ step: 'delivery', phase: 'after' });
    if (isPersons(payload) && state === 'acknowledged')
      tell({ step: 'acceptance', phase: 'after' });
    if (state === 'acknowledged' || state === 'lost') pending.get(payload)?.();
  });
  discord.changes.subscribe((change) => {
    if (change.kind !== 'message' || change.event !== 'posted' || change.message.author.bot) return;
    tell({ step: 'delivery', phase: 'after' });
  });

  return {
    sandbox,
    service,
    sent,
    wasLate: (name) => (failures.get(name) ?? 0) >= 2,
    env: toEnv(sandbox, origin),
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    noteChange: () => void tell({ step: 'change', phase: 'after' }),
    hears: (platform) => (platform === 'slack' ? slack.connections() > 0 : gateway.isOpen),
    hasTold(platform, at) {
      if (platform === 'slack' || (gateway.isOpen && at > gateway.since)) return true;
      return gateway.before.some(({ from, to }) => from < at && at < to - storedWithinMs);
    },
    quiet: (ms, signal) =>
      activity.quiet(
        ms,
        signal,
        () => service.busy > 0 || !gateway.isOpen || slack.connections() === 0,
      ),
    stirs: activity.stirs,
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The bot's own messages are events too. */
function isPersons(payload: object): boolean {
  return !JSON.stringify(payload).includes('"bot_id"');
}

function hangUp({ incoming }: Connection): Response {
  incoming.socket.destroy();
  return new Response(null);
}

function toEnv({ slack, discord }: Sandbox, origin: string): Record<string, string> {
  const { botToken, appToken, apiUrl } = slack.credentials;
  return {
    SLACK_BOT_TOKEN: botToken,
    SLACK_APP_TOKEN: appToken,
    SLACK_API_URL: apiUrl,
    DISCORD_TOKEN: discord.credentials.token,
    DISCORD_API_URL: discord.credentials.apiUrl,
    CHATBOT_API_URL: origin,
    CHATBOT_API_KEY: 'the-key-of-the-bench',
    CHATBOT_UUID: 'bot',
  };
}

/** Knows since when nothing has happened. */
function createActivity() {
  let underWay = 0;
  let lastAt = performance.now();
  let stirred = Promise.withResolvers<true>();
  const note = () => {
    lastAt = performance.now();
    stirred.resolve(true);
    stirred = Promise.withResolvers();
  };
  return {
    note,
    /** Something is under way until the returned function is called. */
    begin(): () => void {
      note();
      underWay += 1;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        note();
        underWay -= 1;
      };
    },
    async stirs(ms: number): Promise<boolean> {
      const over = new AbortController();
      const timeout = sleep(ms, false, { signal: over.signal }).catch(() => false);
      const hasStirred = await Promise.race([stirred.promise, timeout]);
      over.abort();
      return hasStirred;
    },
    async quiet(ms: number, signal: AbortSignal, isBusy: () => boolean): Promise<boolean> {
      while (!signal.aborted) {
        if (underWay > 0 || isBusy()) note();
        const left = lastAt + ms - performance.now();
        if (left <= 0) return true;
        await sleep(left, undefined, { signal }).catch(() => {});
      }
      return false;
    },
  };
}
