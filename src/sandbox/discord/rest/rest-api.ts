import { Hono, type Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { dropConnection } from '../../drop-connection.ts';
import type { Fault, Faults } from '../../faults.ts';
import type { Sleep } from '../../../primitives/sleep.ts';
import {
  renderLimited,
  renderLimitHeaders,
  type Allowance,
  type RateLimits,
} from '../rate-limits.ts';
import { DiscordRefusal, refusal, renderRefusal } from '../refusals.ts';
import type { Endpoint } from './endpoint.ts';
import { readCall } from './read-call.ts';

export interface RestApiOptions {
  endpoints: Endpoint[];
  isToken: (token: string) => boolean;
  limits: RateLimits;
  faults: Faults;
  now: () => number;
  sleep: Sleep;
}

/** Discord publishes no limit for most routes, so this one is generous. */
const ordinaryLimit = { requests: 50, per: 1_000 };

/** The endpoints as routes, with authentication, rate limits, latency and faults. */
export function createRestApi(options: RestApiOptions): Hono {
  const { faults, now, sleep, limits } = options;
  const api = new Hono();

  function authenticate(context: Context): void {
    const [scheme, token] = (context.req.header('authorization') ?? '').split(' ');
    if (scheme !== 'Bot' || !token || !options.isToken(token)) throw refusal(0);
  }

  function takeAllowance(context: Context, endpoint: Endpoint, route: string): Allowance {
    const { limit = ordinaryLimit, tokenInPath } = endpoint;
    return limits.take({ route, major: majorOf(context), limit, counted: !tokenInPath });
  }

  async function run(context: Context, endpoint: Endpoint, fault: Fault | undefined) {
    const call = await readCall(context);
    const half = faults.latency / 2;
    if (half > 0) await sleep(half);
    if (fault && !fault.afterEffect) return answerFault(context, fault, now());
    const body = await endpoint.handle(call);
    if (half > 0) await sleep(half);
    if (fault) return answerFault(context, fault, now());
    if (!body) return new Response(null, { status: 204 });
    return Response.json(body, { status: endpoint.status ?? 200 });
  }

  async function answer(context: Context, endpoint: Endpoint): Promise<Response> {
    const route = `${endpoint.method} ${endpoint.path}`;
    if (!endpoint.tokenInPath) authenticate(context);
    const allowance = takeAllowance(context, endpoint, route);
    const enforced = faults.rateLimits ? allowance : { ...allowance, allowed: true };
    const headers = renderLimitHeaders(route, enforced, now());
    if (!enforced.allowed) {
      return Response.json(renderLimited(enforced, now()), { status: 429, headers });
    }
    const response = await refuse(() => run(context, endpoint, faults.take(route)));
    for (const [name, value] of Object.entries(faults.rateLimits ? headers : {})) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    return response;
  }

  for (const endpoint of options.endpoints) {
    api.on(endpoint.method, endpoint.path, (context) => refuse(() => answer(context, endpoint)));
  }
  api.all('*', () => Response.json({ message: '404: Not Found', code: 0 }, { status: 404 }));
  return api;
}

async function refuse(attempt: () => Promise<Response>): Promise<Response> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof DiscordRefusal)) throw error;
    return Response.json(renderRefusal(error), { status: error.status });
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

function answerFault(context: Context, fault: Fault, now: number): Response {
  if (fault.drop) return dropConnection(context);
  if (fault.retryAfter !== undefined) return answerLimited(fault.retryAfter, now);
  const status = fault.status ?? 500;
  if (fault.html !== undefined) return context.html(fault.html, status as ContentfulStatusCode);
  const code = typeof fault.error === 'number' ? fault.error : 0;
  const message = typeof fault.error === 'string' ? fault.error : `${status}: Injected fault`;
  return Response.json({ message, code }, { status });
}

function answerLimited(seconds: number, now: number): Response {
  const limited = {
    allowed: false,
    global: false,
    limit: 1,
    remaining: 0,
    resetAt: now + seconds * 1000,
  };
  const headers = { 'retry-after': String(seconds), 'x-ratelimit-scope': 'shared' };
  return Response.json(renderLimited(limited, now), { status: 429, headers });
}
