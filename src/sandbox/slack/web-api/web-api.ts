import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { dropConnection } from '../../drop-connection.ts';
import type { Fault, Faults } from '../../faults.ts';
import type { Sleep } from '../../../primitives/sleep.ts';
import { createTokenBuckets } from '../../token-bucket.ts';
import type { Directory } from '../directory.ts';
import { publishSent } from '../sent.ts';
import { SlackError } from '../slack-error.ts';
import type { ApiMethod, RateLimit } from './api-method.ts';
import { readArguments } from './read-arguments.ts';
import { neededScopes } from './scopes.ts';
import type { Tokens } from '../tokens.ts';

interface WebApiOptions {
  directory: Directory;
  methods: Record<string, ApiMethod>;
  tokens: Tokens;
  faults: Faults;
  now: () => number;
  sleep: Sleep;
}

const maxBytes = 2 * 1024 * 1024;

/** Slack's Web API: authenticates calls, applies rate limits, latency and faults, and runs them. */
export function createWebApi(options: WebApiOptions): Hono {
  const { directory, methods, tokens, faults, now, sleep } = options;
  const buckets = createTokenBuckets(now);
  const api = new Hono();

  /** Slack names the scopes of a token in each answer: docs.slack.dev/reference/scopes. */
  function authenticate(context: Context, token: string | undefined, method: ApiMethod): void {
    const kind = tokens.check(token);
    context.header('x-oauth-scopes', tokens.scopes(kind).join(','));
    if (kind !== method.token) throw new SlackError('not_allowed_token_type');
  }

  /** What Slack refuses a call with whose token lacks a scope: docs.slack.dev/reference/scopes. */
  function lacking(name: string, args: Record<string, unknown>): object | undefined {
    const granted = tokens.scopes('bot');
    const missing = neededScopes(directory, name, args).filter((scope) => !granted.includes(scope));
    if (missing.length === 0) return undefined;
    const about = { needed: missing.join(','), provided: granted.join(',') };
    return { ok: false, error: 'missing_scope', ...about };
  }

  /** Seconds until the method can be called again; 0 if it can be called now. */
  function waitFor(name: string, limit: RateLimit, args: Record<string, unknown>): number {
    if (!faults.rateLimits) return 0;
    const each = limit.each ? String(args[limit.each]) : '';
    const draw = buckets.take(`${name} ${each}`, limit);
    if (!draw.taken) return Math.ceil(draw.wait / 1000);
    return limit.within ? waitFor(name, limit.within, args) : 0;
  }

  api.use(bodyLimit({ maxSize: maxBytes, onError: (context) => context.text('', 413) }));
  api.on(['GET', 'POST'], '/:method', async (context) => {
    const name = context.req.param('method');
    try {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (!method) throw new SlackError('unknown_method');
      const args = await readArguments(context.req.raw);
      authenticate(context, readToken(context, args), method);
      const refused = lacking(name, args);
      if (refused) return respond(context, name, refused);
      const wait = waitFor(name, method.limit, args);
      if (wait > 0) return ratelimited(context, name, wait);

      const fault = faults.take(name);
      const { latency } = faults;
      if (latency > 0) await sleep(latency / 2);
      if (fault && !fault.afterEffect) return fail(context, name, fault);
      const answer = await method.call(args);
      if (latency > 0) await sleep(latency / 2);
      if (fault) return fail(context, name, fault);
      return respond(context, name, { ok: true, ...answer });
    } catch (error) {
      if (error instanceof SlackError) return refuse(context, name, error);
      throw error;
    }
  });
  return api;
}

function readToken(context: Context, args: Record<string, unknown>): string | undefined {
  const header = context.req.header('authorization');
  if (header) return /^Bearer (.+)$/i.exec(header)?.[1] ?? 'malformed';
  return typeof args['token'] === 'string' ? args['token'] : undefined;
}

function refuse(context: Context, method: string, { code, messages }: SlackError): Response {
  const metadata = messages.length > 0 && { response_metadata: { messages } };
  return respond(context, method, { ok: false, error: code, ...metadata });
}

function ratelimited(context: Context, method: string, seconds: number): Response {
  context.header('retry-after', String(seconds));
  return respond(context, method, { ok: false, error: 'ratelimited' }, 429);
}

function fail(context: Context, method: string, fault: Fault): Response {
  if (fault.drop) return dropConnection(context);
  const status = fault.status ?? (fault.retryAfter === undefined ? 200 : 429);
  const error = fault.error ?? (status === 429 ? 'ratelimited' : 'internal_error');
  if (fault.retryAfter !== undefined) context.header('retry-after', String(fault.retryAfter));
  if (fault.html !== undefined) return context.html(fault.html, status as ContentfulStatusCode);
  return respond(context, method, { ok: false, error }, status);
}

function respond(context: Context, method: string, body: object, status = 200): Response {
  publishSent({ kind: 'response', method, body });
  return context.json(body, status as ContentfulStatusCode);
}
