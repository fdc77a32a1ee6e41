import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { monotonicMs, type Sleep } from '../../../shared/primitives/time.ts';
import { dropConnection } from '../../connections.ts';
import type { FaultKind, Faults } from '../../faults.ts';
import type { RecordCall } from '../../inspector/api-calls.ts';
import { createTokenBuckets } from '../../token-bucket.ts';
import { publishSent } from '../delivery.ts';
import type { Parts } from '../parts.ts';
import { SlackError } from '../slack-error.ts';
import { neededScopes } from '../tokens.ts';
import type { ApiMethod, RateLimit } from './api-method.ts';
import { createMethods } from './methods.ts';

interface WebApiOptions {
  faults: Faults;
  record: RecordCall;
  now: () => number;
  sleep: Sleep;
}

interface Answer {
  status?: number;
  body?: object;
  retryAfter?: number;
  /** Comes from a proxy instead. */
  html?: string;
  /** Closes the connection instead. */
  drop?: boolean;
  isInjected?: boolean;
}

const maxBytes = 2 * 1024 * 1024;

/** Slack's Web API: authenticates calls, applies rate limits, latency and faults, and runs them. */
export function createWebApi(parts: Parts, { faults, record, now, sleep }: WebApiOptions): Hono {
  const { directory, tokens } = parts;
  const methods = createMethods(parts);
  const buckets = createTokenBuckets(now);
  const api = new Hono();

  /** Slack names the scopes of a token in each answer: docs.slack.dev/reference/scopes. */
  function authenticate(context: Context, token: string | undefined, method: ApiMethod): void {
    const kind = tokens.check(token);
    context.header('x-oauth-scopes', tokens.scopes(kind).join(','));
    if (kind !== method.token) throw new SlackError('not_allowed_token_type');
  }

  /** The refusal of a call whose token lacks a scope: docs.slack.dev/reference/scopes. */
  function lacking(method: ApiMethod, args: Record<string, unknown>): object | undefined {
    const granted = tokens.scopes('bot');
    const needed = neededScopes(directory, method, args);
    const missing = needed.filter((scope) => !granted.includes(scope));
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

  async function run(
    context: Context,
    name: string,
    read: () => Promise<Record<string, unknown>>,
  ): Promise<Answer> {
    try {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (!method) throw new SlackError('unknown_method');
      const args = await read();
      authenticate(context, readToken(context, args), method);
      const refused = lacking(method, args);
      if (refused) return { body: refused };
      const wait = waitFor(name, method.limit, args);
      if (wait > 0) return limited(wait);

      const fault = faults.take(name) ?? faults.every;
      const { latency } = faults;
      if (latency > 0) await sleep(latency / 2);
      if (fault && !fault.afterEffect) return toAnswer(fault);
      const answer = await method.call(args);
      if (latency > 0) await sleep(latency / 2);
      return fault ? toAnswer(fault) : { body: { ok: true, ...answer } };
    } catch (error) {
      if (error instanceof SlackError) return { body: toRefusal(error) };
      throw error;
    }
  }

  api.use(bodyLimit({ maxSize: maxBytes, onError: (context) => context.text('', 413) }));
  api.on(['GET', 'POST'], '/:method', async (context) => {
    const name = context.req.param('method');
    const beganMs = monotonicMs();
    let args: Record<string, unknown> = {};
    const answer = await run(
      context,
      name,
      async () => (args = await readArguments(context.req.raw)),
    );
    const { status = 200, body, drop = false, isInjected = false } = answer;
    record({
      platform: 'slack',
      method: name,
      beganMs,
      arguments: args,
      status: drop ? 0 : status,
      response: body ?? answer.html,
      isInjected,
    });
    return respond(context, name, answer);
  });
  return api;
}

function readToken(context: Context, args: Record<string, unknown>): string | undefined {
  const header = context.req.header('authorization');
  if (header) return /^Bearer (.+)$/i.exec(header)?.[1] ?? 'malformed';
  return typeof args['token'] === 'string' ? args['token'] : undefined;
}

function toRefusal({ code, messages }: SlackError): object {
  const metadata = messages.length > 0 && { response_metadata: { messages } };
  return { ok: false, error: code, ...metadata };
}

function limited(retryAfter: number): Answer {
  return { status: 429, retryAfter, body: { ok: false, error: 'ratelimited' } };
}

function toAnswer({ drop, retryAfter, html, ...fault }: FaultKind): Answer {
  const isInjected = true;
  if (drop) return { drop, isInjected };
  const status = fault.status ?? (retryAfter === undefined ? 200 : 429);
  if (html !== undefined) return { status, retryAfter, html, isInjected };
  const error = fault.error ?? (status === 429 ? 'ratelimited' : 'internal_error');
  return { status, retryAfter, body: { ok: false, error }, isInjected };
}

function respond(context: Context, method: string, answer: Answer): Response {
  const { status = 200, body = {}, retryAfter, html, drop } = answer;
  if (drop) return dropConnection(context);
  if (retryAfter !== undefined) context.header('retry-after', String(retryAfter));
  if (html !== undefined) return context.html(html, status as ContentfulStatusCode);
  publishSent({ kind: 'response', method, body });
  return context.json(body, status as ContentfulStatusCode);
}

/**
 * A call's arguments, from its query and its body: a form, or JSON.
 * @throws {SlackError} `invalid_json`, `json_not_object`, `invalid_form_data` or
 * `invalid_post_type`
 */
async function readArguments(request: Request): Promise<Record<string, unknown>> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  if (request.method === 'GET') return query;
  return { ...query, ...(await readBody(request)) };
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  const type = (request.headers.get('content-type') ?? '').replace(/;.*/, '').trim().toLowerCase();
  switch (type) {
    case 'application/json':
      return parseObject(await request.text());
    case 'application/x-www-form-urlencoded':
      return Object.fromEntries(new URLSearchParams(await request.text()));
    case 'multipart/form-data':
      return readForm(request);
    case '':
      return {};
    default:
      throw new SlackError('invalid_post_type');
  }
}

function parseObject(text: string): Record<string, unknown> {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SlackError('invalid_json');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SlackError('json_not_object');
  }
  return value as Record<string, unknown>;
}

async function readForm(request: Request): Promise<Record<string, unknown>> {
  try {
    return Object.fromEntries(await request.formData());
  } catch {
    throw new SlackError('invalid_form_data');
  }
}
