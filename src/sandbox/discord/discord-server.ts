import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Hono } from 'hono';
import { monotonicMs, type Sleep, sleepUnref } from '../../shared/primitives/time.ts';
import { type Changes, createChanges } from '../changes.ts';
import { refuseConnection } from '../connections.ts';
import { type Faults, createFaults } from '../faults.ts';
import type { RecordCall } from '../inspector/api-calls.ts';
import type { Records } from '../records.ts';
import { createCommandRegistry } from './application-commands/command-registry.ts';
import { createAttachments, isSame } from './attachments.ts';
import type { DiscordChange } from './changes.ts';
import { type Documents, createDocuments, createSnowflakes } from './documents.ts';
import { type Gateway, createGateway } from './gateway/gateway.ts';
import { guildsOf, renderAvailability, renderMembers, renderReady } from './gateway/greeting.ts';
import { readIdentity } from './guilds.ts';
import { createInteractions } from './interactions/interactions.ts';
import {
  type PeopleInteractions,
  createPeopleInteractions,
} from './interactions/people-interactions.ts';
import { type Overview, createOverview } from './overview.ts';
import { type People, createPeople } from './people.ts';
import { botEndpoints } from './rest/bot-endpoints.ts';
import { channelEndpoints } from './rest/channel-endpoints.ts';
import { messageEndpoints } from './rest/message-endpoints.ts';
import { createRestApi } from './rest/rest-api.ts';
import { type DiscordState, type Rules, createTyping, firstRules, firstSettings } from './state.ts';
import { type Allowance, createRateLimits } from './rate-limits.ts';
import type { Shard } from './gateway/session.ts';
import { interactionEndpoints } from './rest/interaction-endpoints.ts';

export interface DiscordServerOptions {
  records: Records;
  /** The sandbox's origin, such as `http://127.0.0.1:3000`; called once the server listens. */
  origin: () => string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Waits for latency and the deadlines of interactions. */
  sleep?: Sleep;
  /** Told of every call of the REST API. */
  record?: RecordCall;
}

/** What a bot needs to log in. */
interface DiscordCredentials {
  token: string;
  /** For discord.js's `rest.api`. */
  apiUrl: string;
  applicationId: string;
}

/** A Discord server with a few people and a bot in it. */
export interface DiscordServer extends People, PeopleInteractions, Overview {
  /** Mounted at /sandbox/discord. */
  routes: Hono;
  /** Handles a gateway upgrade and returns true, or returns false and leaves the socket alone. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Read it once the sandbox listens. */
  readonly credentials: DiscordCredentials;
  readonly guildId: string;
  faults: Faults;
  rules: Rules;
  changes: Changes<DiscordChange>;
  /** Failures between the bot and the gateway. */
  gateway: Pick<
    Gateway,
    'connections' | 'send' | 'reconnect' | 'invalidate' | 'disconnect' | 'drop' | 'setAvailable'
  >;
  close(): Promise<void>;
}

const basePath = '/sandbox/discord';

/**
 * Discord's REST API and gateway, version 10, for one server and one bot, with Discord's documented
 * limits. The server is created once in `records`; later starts find it there.
 */
export function createDiscordServer(options: DiscordServerOptions): DiscordServer {
  const { records, origin, now, sleep = sleepUnref, record = () => {} } = options;
  const documents = createDocuments(records);
  const nextId = createSnowflakes(now, newestId(documents));
  const identity = readIdentity(records, documents, nextId, now);
  const faults = createFaults();
  const changes = createChanges<DiscordChange>();
  const url = () => `${origin()}${basePath}`;
  const gatewayUrl = () => `${url().replace(/^http/, 'ws')}/gateway`;
  const isToken = (token: string) => isSame(token, identity.token);

  const rules = { ...firstRules };
  const starts = createSessionStarts(rules, now);

  const gateway = createGateway({
    now,
    isToken,
    mayBegin(shard) {
      const may = starts.begin(shard);
      if (!may) changes.announce({ kind: 'refused' });
      return may;
    },
    isTooLarge: (shard) => guildsOf(state, shard).length > rules.guildsPerShard,
    mayRead: () => state.settings.messageContent,
    renderReady: (session) => renderReady(state, session, gatewayUrl()),
    renderAvailability: (session, isAvailable) => renderAvailability(state, session, isAvailable),
    renderMembers: (request) => renderMembers(state, request),
    announce: (event, session) => changes.announce({ kind: 'gateway', event, session }),
    sent: (name, data) =>
      record({
        platform: 'discord',
        method: `event ${name}`,
        beganMs: monotonicMs(),
        arguments: data,
        status: 200,
        response: undefined,
        isInjected: false,
      }),
  });
  const attachments = createAttachments({
    documents: documents.attachments,
    contents: records.contents,
    url: () => `${url()}/cdn`,
    secret: identity.secret,
    now,
    nextId,
  });
  const state: DiscordState = {
    documents,
    attachments,
    typing: createTyping(now),
    rules,
    changes,
    dispatch: (event) => gateway.dispatch(event),
    now,
    nextId,
    guild: identity.guild,
    settings: { ...firstSettings },
    self: { application: identity.bot, user: identity.bot },
  };
  const commands = createCommandRegistry({
    records,
    application: identity.bot,
    nextId,
    replaced: () => changes.announce({ kind: 'commands' }),
  });
  const interactions = createInteractions({ now, sleep, nextId });
  const endpoints = {
    ...botEndpoints(state, commands, () => ({
      url: gatewayUrl(),
      shards: rules.shards,
      session_start_limit: starts.render(),
    })),
    ...channelEndpoints(state),
    ...messageEndpoints(state),
    ...interactionEndpoints(state, interactions),
  };
  const routes = new Hono();
  routes.route('/api/v10', createRestApi({ endpoints, isToken, faults, record, now, sleep }));
  routes.route('/cdn', attachments.routes);

  return {
    ...createPeople(state),
    ...createPeopleInteractions(state, interactions, commands),
    ...createOverview(state, commands),
    routes,
    guildId: identity.guild,
    get credentials() {
      return { token: identity.token, apiUrl: `${url()}/api`, applicationId: identity.bot };
    },
    faults,
    rules,
    changes,
    gateway,
    upgrade(request, socket, head) {
      if (request.url?.split('?')[0] !== `${basePath}/gateway`) return false;
      if (faults.offline) refuseConnection(socket);
      else gateway.upgrade(request, socket, head);
      return true;
    },
    async close() {
      interactions.close();
      await gateway.close();
    },
  };
}

/** The newest id that is in use, so that new ones sort behind it whatever the clock says. */
function newestId(documents: Documents): bigint {
  const ids = documents.channels.list().flatMap(({ id, lastMessage }) => [id, lastMessage ?? '0']);
  return ids.map(BigInt).reduce((newest, id) => (id > newest ? id : newest), 0n);
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Counts the sessions that the bot begins. Discord resets the token of a bot that begins more in a day
 * than it may; the sandbox only says that none remain.
 */
interface SessionStarts {
  /** Begins a session of a shard; false if another one with the same rate limit key began just before. */
  begin(shard: Shard): boolean;
  /** https://docs.discord.com/developers/events/gateway#session-start-limit-object */
  render(): object;
}

function createSessionStarts(rules: Rules, now: () => number): SessionStarts {
  const limits = createRateLimits(now);
  let today: Allowance | undefined;

  return {
    begin([shard]) {
      const key = `identify ${shard % rules.maxConcurrency}`;
      const { allowed } = limits.take(key, { requests: 1, per: rules.identifyMs });
      const perDay = { requests: rules.sessionsPerDay, per: dayMs };
      if (allowed) today = limits.take('session', perDay);
      return allowed;
    },
    render() {
      const counted = today && today.resetAt > now() ? today : undefined;
      return {
        total: rules.sessionsPerDay,
        remaining: counted?.remaining ?? rules.sessionsPerDay,
        reset_after: counted ? counted.resetAt - now() : 0,
        max_concurrency: rules.maxConcurrency,
      };
    },
  };
}
