import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { HttpError } from '../http-error.ts';
import { createUuid } from '../identifiers.ts';
import type { Keys } from '../keys.ts';
import type { Log } from '../log.ts';
import type { RequestLimit } from '../request-limit.ts';
import type { AppEnv } from './app-env.ts';
import { toMethodError } from './method-error.ts';
import { createOpenApi } from './openapi.ts';

interface AppParts {
  keys: Keys;
  corsOrigins: readonly string[];
  requestLimit: RequestLimit;
  /** @throws {Error} when the service can't answer */
  checkReady: () => void;
  log: Log;
  now: () => number;
}

/**
 * The parts that all requests share: request ids, keys, limits, JSON errors, health, the
 * description of the API. Routes are added to it.
 */
export function createHttpApp({
  keys,
  corsOrigins,
  requestLimit,
  checkReady,
  log,
  now,
}: AppParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false });

  app.use(async (context, next) => {
    const startedMs = now();
    const requestId = toRequestId(context.req.header('x-request-id'));
    const headers = {
      'x-request-id': requestId,
      'cache-control': 'no-store',
      // No browser takes a transcript or an error for a page.
      'x-content-type-options': 'nosniff',
    };
    context.set('answerHeaders', headers);
    await next();
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value);
    const { method, path } = context.req;
    const { status } = context.res;
    const fields = { requestId, method, path, status, ms: now() - startedMs };
    log[status >= 500 ? 'warn' : 'debug'](fields, 'Answered a request');
  });

  if (corsOrigins.length > 0) app.use('/api/*', allowOrigins(corsOrigins));

  app.get('/healthz', () => Response.json({ status: 'ok' }));
  app.get('/readyz', () => {
    checkReady();
    return Response.json({ status: 'ready' });
  });
  // Made when it is first asked for.
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
    checkReady();
    const owner = keys.findOwner(context.req.header('authorization'));
    if (owner === undefined) {
      throw new HttpError(401, 'api_key_unknown', { headers: { 'www-authenticate': 'Bearer' } });
    }
    const { isAllowed, limit, remaining, seconds } = requestLimit.take(owner);
    Object.assign(context.get('answerHeaders'), {
      'ratelimit-limit': String(limit),
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

/** Browsers ask without a key whether a page may send a request: that is answered here. */
function allowOrigins(origins: readonly string[]) {
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowHeaders: ['authorization', 'content-type', 'content-encoding', 'x-request-id'],
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
