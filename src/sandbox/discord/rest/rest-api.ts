import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { monotonicMs, type Sleep } from '../../../shared/primitives/time.ts';
import { dropConnection } from '../../connections.ts';
import type { FaultKind, Faults } from '../../faults.ts';
import type { RecordCall } from '../../inspector/api-calls.ts';
import { publishSent } from '../changes.ts';
import {
  createRateLimits,
  globalLimit,
  renderLimited,
  renderLimitHeaders,
  renderRetryHeaders,
} from '../rate-limits.ts';
import { DiscordRefusal, refusal, renderRefusal } from '../refusals.ts';
import { type Call, type Endpoint, type Endpoints, readCall } from './endpoint.ts';

export interface RestApiOptions {
  endpoints: Endpoints;
  isToken: (token: string) => boolean;
  faults: Faults;
  record: RecordCall;
  now: () => number;
  sleep: Sleep;
}

interface Answer {
  status: number;
  body?: object;
  headers?: Record<string, string>;
  /** Comes from a proxy instead. */
  html?: string;
  /** Closes the connection instead. */
  drop?: true;
  isInjected?: true;
}

const basePath = '/api/v10';

/** Discord publishes no limit for most routes, so this one is generous. */
const ordinaryLimit = { requests: 50, per: 1_000 };

/** The endpoints as routes, with authentication, rate limits, latency and faults. */
export function createRestApi(options: RestApiOptions): Hono {
  const { faults, record, sleep } = options;
  const limits = createRateLimits(options.now);
  const api = new Hono();

  function authenticate(context: Context): void {
    const [scheme, token] = (context.req.header('authorization') ?? '').split(' ');
    if (scheme !== 'Bot' || !token || !options.isToken(token)) throw refusal(0);
  }

  async function run(
    call: Call,
    endpoint: Endpoint,
    fault: FaultKind | undefined,
  ): Promise<Answer> {
    const half = faults.latency / 2;
    if (half > 0) await sleep(half);
    if (fault && !fault.afterEffect) return answerFault(fault);
    const body = await endpoint.handle(call);
    if (half > 0) await sleep(half);
    if (fault) return answerFault(fault);
    if (!body) return { status: 204 };
    return { status: endpoint.status ?? 200, body };
  }

  async function answer(
    context: Context,
    route: string,
    endpoint: Endpoint,
    call: Call,
  ): Promise<Answer> {
    const { limit = ordinaryLimit, tokenInPath } = endpoint;
    if (!tokenInPath) authenticate(context);
    const attempt = () => run(call, endpoint, faults.take(route) ?? faults.every);
    if (!faults.rateLimits) return refuse(attempt);
    const all = tokenInPath ? undefined : limits.take('', globalLimit);
    if (all?.allowed === false) return answerLimited(all.resetAfter, 'global');
    const own = limits.take(`${route} ${majorOf(context)}`, limit);
    const limited = own.allowed ? undefined : answerLimited(own.resetAfter, 'user');
    const answered = limited ?? (await refuse(attempt));
    return { ...answered, headers: { ...renderLimitHeaders(route, own), ...answered.headers } };
  }

  for (const [route, operation] of Object.entries(options.endpoints)) {
    const endpoint = typeof operation === 'function' ? { handle: operation } : operation;
    const [method = '', path = ''] = route.split(' ');
    api.on(method, path, async (context) => {
      const beganMs = monotonicMs();
      let call: Call | undefined;
      const answered = await refuse(async () => {
        const read = (call = await readCall(context));
        const found = await refuse(() => answer(context, route, endpoint, read));
        publishCall(context, read, found);
        return found;
      });
      const { status, body, html, headers, drop, isInjected = false } = answered;
      record({
        platform: 'discord',
        method: route,
        beganMs,
        arguments: listArguments(context, call),
        status,
        response: body ?? html,
        isInjected,
      });
      if (drop) return dropConnection(context);
      if (html !== undefined) return context.html(html, status as ContentfulStatusCode, headers);
      if (!body) return new Response(null, { status, headers });
      return Response.json(body, { status, headers });
    });
  }
  api.all('*', () => Response.json({ message: '404: Not Found', code: 0 }, { status: 404 }));
  return api;
}

function publishCall(context: Context, { query, body }: Call, answered: Answer): void {
  if (answered.drop || answered.html !== undefined) return;
  const { method, path } = context.req;
  publishSent({
    kind: 'call',
    call: { method, path: path.slice(path.indexOf(basePath) + basePath.length), query, body },
    answer: { status: answered.status, body: answered.body },
  });
}

/** The parameters of a call's path, its query and the fields of its body, in one. */
function listArguments(context: Context, call: Call | undefined): object {
  const { query, body, files = [] } = call ?? {};
  return {
    ...context.req.param(),
    ...Object.fromEntries(query ?? []),
    ...(Array.isArray(body) ? { body } : (body as object | undefined)),
    ...(files.length > 0 && { files: files.map(({ name }) => name) }),
  };
}

async function refuse(attempt: () => Promise<Answer>): Promise<Answer> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof DiscordRefusal)) throw error;
    const { status, retrySeconds } = error;
    const headers = retrySeconds === undefined ? {} : renderRetryHeaders(retrySeconds, 'shared');
    return { status, body: renderRefusal(error), headers };
  }
}

/**
 * Limits apply per channel, server and webhook:
 * https://docs.discord.com/developers/topics/rate-limits
 */
function majorOf(context: Context): string {
  const { channel, guild, token } = context.req.param() as Record<string, string | undefined>;
  return channel ?? guild ?? token ?? '';
}

function answerFault({ drop, retryAfter, status = 500, html, error }: FaultKind): Answer {
  const isInjected = true;
  if (drop) return { status: 0, drop, isInjected };
  if (retryAfter !== undefined) return { ...answerLimited(retryAfter, 'shared'), isInjected };
  if (html !== undefined) return { status, html, isInjected };
  const code = typeof error === 'number' ? error : 0;
  const message = typeof error === 'string' ? error : `${status}: Injected fault`;
  return { status, body: { message, code }, isInjected };
}

function answerLimited(seconds: number, scope: 'user' | 'global' | 'shared'): Answer {
  const body = renderLimited(seconds, scope === 'global');
  return { status: 429, body, headers: renderRetryHeaders(seconds, scope) };
}
