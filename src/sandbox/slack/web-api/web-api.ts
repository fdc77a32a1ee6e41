import { type Context, Hono, type HonoRequest } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { monotonicMs, type Sleep } from '../../../shared/primitives/time.ts';
import { dropConnection } from '../../connections.ts';
import type { FaultKind } from '../../faults.ts';
import type { RecordCall } from '../../inspector/api-calls.ts';
import { createTokenBuckets } from '../../token-bucket.ts';
import { publishSent } from '../delivery.ts';
import type { AppParts, Parts } from '../parts.ts';
import { type Caller, isOrganisation } from '../installations.ts';
import { SlackError } from '../slack-error.ts';
import { neededScopes } from '../tokens.ts';
import type { ApiMethod, RateLimit } from './api-method.ts';
import { createMethods } from './methods.ts';

interface WebApiOptions {
  record: RecordCall;
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
export function createWebApi(app: AppParts, { record, sleep }: WebApiOptions): Hono {
  const { faults, now, switches, tokens, workspaces } = app;
  const methodsOf = new WeakMap<Parts, Record<string, ApiMethod>>();
  const buckets = createTokenBuckets(now);
  const api = new Hono();

  /**
   * A workspace's method.
   * @throws {SlackError} `unknown_method`
   */
  function find(parts: Parts, name: string): ApiMethod {
    const methods = methodsOf.get(parts) ?? createMethods(parts);
    methodsOf.set(parts, methods);
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method) throw new SlackError('unknown_method');
    return method;
  }

  /** Slack names the scopes of a token in each answer: docs.slack.dev/reference/scopes. */
  function authenticate(context: Context, token: string | undefined, method: ApiMethod) {
    if (method.token === 'none') return undefined;
    const caller = tokens.check(token);
    context.header('x-oauth-scopes', tokens.scopes(caller).join(','));
    if (caller.kind !== method.token) throw new SlackError('not_allowed_token_type');
    return caller;
  }

  /** The refusal of a call whose token lacks a scope: docs.slack.dev/reference/scopes. */
  function lacking(
    { directory }: Parts,
    caller: Caller | undefined,
    method: ApiMethod,
    args: Record<string, unknown>,
  ): object | undefined {
    if (caller?.kind !== 'bot') return undefined;
    const granted = tokens.scopes(caller);
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
    const waitMs = buckets.take(`${name} ${each}`, limit);
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    return limit.within ? waitFor(name, limit.within, args) : 0;
  }

  async function run(
    context: Context,
    name: string,
    read: () => Promise<Record<string, unknown>>,
  ): Promise<Answer> {
    try {
      const all = workspaces();
      const [first] = all;
      if (!first) throw new TypeError('There is no workspace.');
      const args = await read();
      const caller = authenticate(context, readToken(context, args), find(first, name));
      const parts = caller?.kind === 'bot' ? reachWorkspace(all, caller, args) : first;
      const method = find(parts, name);
      if (method.ofTeam) assertTeam(caller, args);
      const refused = lacking(parts, caller, method, args);
      if (refused) return { body: refused };
      const bucket = caller?.kind === 'bot' ? `${caller.installation.id} ${name}` : name;
      const limitedTo = switches.limitsHistory ? method.limitedTo : undefined;
      const wait = limitedTo
        ? waitFor(`limited ${bucket}`, limitedTo, args)
        : waitFor(bucket, method.limit, args);
      if (wait > 0) return limited(wait);

      const fault = faults.take(name) ?? faults.every;
      const { latency } = faults;
      if (latency > 0) await sleep(latency / 2);
      if (fault && !fault.afterEffect) return toAnswer(fault);
      const answer = await method.call(args, caller);
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
    const answer = await run(context, name, async () => (args = await readArguments(context.req)));
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

/**
 * The workspace that a call is for: the token's, or, with an organisation's token, the one that the
 * call names or whose things it names.
 * @throws {SlackError} `team_access_not_granted`
 */
function reachWorkspace(
  all: Parts[],
  { installation }: Caller & { kind: 'bot' },
  args: Record<string, unknown>,
): Parts {
  const granted = all.filter(({ directory }) => installation.teams.includes(directory.team.id));
  const named = isOrganisation(installation) ? args['team_id'] : undefined;
  const ids = Object.values(args).filter((value) => typeof value === 'string');
  const found =
    named === undefined
      ? (granted.find((parts) => ids.some((id) => isOf(parts, id))) ?? granted[0])
      : granted.find(({ directory }) => directory.team.id === named);
  if (!found) throw new SlackError('team_access_not_granted');
  return found;
}

/** Whether an id belongs to a workspace. */
function isOf({ directory, files, triggers, views }: Parts, id: string): boolean {
  return (
    Boolean(directory.channel(id) ?? directory.user(id) ?? files.find(id) ?? views.find(id)) ||
    triggers.has(id)
  );
}

/** @throws {SlackError} `missing_argument`: docs.slack.dev/enterprise/organization-ready-apps */
function assertTeam(caller: Caller | undefined, args: Record<string, unknown>): void {
  if (caller?.kind !== 'bot' || !isOrganisation(caller.installation) || args['team_id']) return;
  throw new SlackError('missing_argument');
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
async function readArguments(request: HonoRequest): Promise<Record<string, unknown>> {
  const query = { ...request.query(), ...readClient(request) };
  if (request.method === 'GET') return query;
  return { ...query, ...(await readBody(request)) };
}

/** The app's id and secret, which may come as RFC 7617 has it: docs.slack.dev/reference/methods/oauth.v2.access. */
function readClient(request: HonoRequest): object {
  const [, encoded] = /^Basic (.+)$/i.exec(request.header('authorization') ?? '') ?? [];
  if (!encoded) return {};
  const [client_id, client_secret] = Buffer.from(encoded, 'base64').toString().split(':');
  return { client_id, client_secret };
}

const formTypes = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

async function readBody(request: HonoRequest): Promise<Record<string, unknown>> {
  const type = (request.header('content-type') ?? '').replace(/;.*/, '').trim().toLowerCase();
  if (type === '') return {};
  if (type === 'application/json') return parseObject(await request.text());
  if (!formTypes.has(type)) throw new SlackError('invalid_post_type');
  try {
    return await request.parseBody();
  } catch {
    throw new SlackError('invalid_form_data');
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
