import type { IncomingMessage } from 'node:http';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { HttpError } from '../http-error.ts';
import { createUuid } from '../identifiers.ts';
import type { Keys } from '../keys.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { createOpenApi } from './openapi.ts';

/** What the server and the middleware pass to the handlers. */
export interface AppEnv {
  Bindings: {
    /** Node's request; absent if the request came over no socket. */
    incoming?: IncomingMessage;
  };
  Variables: {
    owner: string;
    /** Headers of the response, whatever its status. */
    answerHeaders: Record<string, string>;
  };
}

/** Max requests of an owner in a time. */
export interface RequestLimit {
  requests: number;
  seconds: number;
}

interface AppParts {
  keys: Keys;
  corsOrigins: readonly string[];
  requestLimit: RequestLimit;
  /** @throws {HttpError} when the service is stopping */
  checkOpen: () => void;
  /** @throws {Error} when the service can't answer */
  checkReady: () => Promise<void>;
  log: Log;
  now: () => number;
}

/**
 * What all requests share: request ids, keys, limits, JSON errors, health, and the description of
 * the API. Routes are added to it.
 */
export function createHttpApp({
  keys,
  corsOrigins,
  requestLimit,
  checkOpen,
  checkReady,
  log,
  now,
}: AppParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false });
  const allowance = createAllowance(requestLimit, now);

  app.use(async (context, next) => {
    const startedMs = now();
    const requestId = toRequestId(context.req.header('x-request-id'));
    const headers = {
      'x-request-id': requestId,
      'cache-control': 'no-store',
      // Keeps browsers from showing a transcript or an error as a page.
      'x-content-type-options': 'nosniff',
      'accept-idempotency-key': 'true',
    };
    context.set('answerHeaders', headers);
    await next();
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value);
    const { method, path } = context.req;
    const { status } = context.res;
    const fields = { requestId, method, path, status, ms: now() - startedMs };
    log[status >= 500 ? 'warn' : 'debug'](fields, 'a request was answered');
  });

  if (corsOrigins.length > 0) app.use('/api/*', allowOrigins(corsOrigins));

  app.get('/healthz', () => Response.json({ status: 'ok' }));
  app.get('/readyz', async () => {
    await checkReady();
    return Response.json({ status: 'ready' });
  });
  // Created when it is first requested.
  let openApi: string | undefined;
  app.get('/api/v1/openapi.json', () => {
    openApi ??= JSON.stringify(createOpenApi());
    return new Response(openApi, { headers: { 'content-type': 'application/json' } });
  });
  for (const { path } of app.routes.filter(({ method }) => method === 'GET')) {
    app.all(path, () => {
      throw toMethodError(['GET']);
    });
  }

  app.use('/api/*', async (context, next) => {
    checkOpen();
    const owner = await keys.findOwner(context.req.header('authorization'));
    if (owner === undefined) {
      throw new HttpError(401, 'api_key_unknown', { headers: { 'www-authenticate': 'Bearer' } });
    }
    const { isAllowed, remaining, seconds } = allowance.take(owner);
    Object.assign(context.get('answerHeaders'), {
      'ratelimit-limit': String(requestLimit.requests),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(seconds),
    });
    if (!isAllowed) {
      const headers = { 'retry-after': String(seconds) };
      throw new HttpError(429, { code: 'api_key_busy', params: { seconds } }, { headers });
    }
    context.set('owner', owner);
    await next();
  });

  app.notFound((context) => {
    const { method, path } = context.req;
    const params = { method, path: path.slice(0, 200) };
    return toErrorResponse(new HttpError(404, { code: 'path_unknown', params }));
  });

  app.onError((error, context) => {
    if (error instanceof HttpError) return toErrorResponse(error);
    const requestId = context.get('answerHeaders')['x-request-id'];
    log.error({ err: error, requestId }, 'a request failed');
    const params = { request: requestId ?? '' };
    return toErrorResponse(new HttpError(500, { code: 'service_failed', params }));
  });

  return app;
}

/**
 * A token bucket per owner: it holds `requests` and refills within `seconds`. Owners are as few as
 * keys, so buckets are never removed. It protects this process: each process has its own, as asking the
 * database at every request would cost more than it saves.
 */
function createAllowance({ requests, seconds }: RequestLimit, now: () => number) {
  const buckets = new Map<string, { left: number; atMs: number }>();
  const perMs = requests / (seconds * 1000);

  return {
    /**
     * Counts a request. `seconds` until the next one is allowed if this one is refused, otherwise
     * until all are.
     */
    take(owner: string) {
      const atMs = now();
      const bucket = buckets.get(owner) ?? { left: requests, atMs };
      // The clock may have been set back.
      const passedMs = Math.max(0, atMs - bucket.atMs);
      const held = Math.min(requests, bucket.left + passedMs * perMs);
      const isAllowed = held >= 1;
      const left = isAllowed ? held - 1 : held;
      buckets.set(owner, { left, atMs });
      const missing = isAllowed ? requests - left : 1 - left;
      return {
        isAllowed,
        remaining: Math.floor(left),
        seconds: Math.ceil(missing / perMs / 1000),
      };
    },
  };
}

/** The error for every method but these. Where GET is allowed, so is HEAD. */
export function toMethodError(methods: readonly string[]): HttpError {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const headers = { allow: allowed.join(', ') };
  return new HttpError(405, { code: 'method_not_allowed', params: { allowed } }, { headers });
}

/** Browsers ask without a key whether a page may send a request: that is answered here. */
function allowOrigins(origins: readonly string[]) {
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowHeaders: [
      'authorization',
      'content-type',
      'content-encoding',
      'idempotency-key',
      'x-request-id',
    ],
    exposeHeaders: [
      'x-request-id',
      'retry-after',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
    ],
    maxAge: 600,
  });
}

function toErrorResponse({ status, message, problem, body, headers }: HttpError): Response {
  return Response.json({ ...body, error: message, ...problem }, { status, headers });
}

/** A proxy's request id is kept if it is safe to log. */
function toRequestId(given: string | undefined): string {
  return given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : createUuid();
}
