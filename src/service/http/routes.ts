import type { Context, Hono } from 'hono';
import { ZodArray } from 'zod';
import { type Operation, type OperationName, operations } from '../../shared/api/operations.ts';
import { IdempotencyKey } from '../../shared/api/session.ts';
import { HttpError } from '../http-error.ts';
import type { Handlers } from './handlers.ts';
import { type AppEnv, toMethodError } from './http-app.ts';
import { parse } from './parse.ts';
import { readJsonBody } from './request-body.ts';
import { acceptsEvents, toEvents, toJsonList, toText } from './streamed-response.ts';
import { receiveUpload } from './upload.ts';
import type { TemporaryFiles } from '../../shared/primitives/private-files.ts';

interface RouteParts {
  handlers: Handlers;
  files: TemporaryFiles;
  maxUploadBytes: number;
  /** Whether there is a model that reads pictures. */
  takesPictures: boolean;
  bodyTimeoutMs: number;
  /** How long an event stream may be silent before a comment shows that it goes on. */
  aliveEveryMs: number;
}

/** `Handlers` has exact types per name; the loop over all names needs this common one. */
type AnyHandler = (request: object) => unknown;

/** Adds a route for every operation of the contract, and 405 for other methods on its path. */
export function addRoutes(app: Hono<AppEnv>, parts: RouteParts): void {
  const byPath = Map.groupBy(listRoutes(), ({ path }) => path);
  for (const [path, routes] of byPath) {
    for (const { name, operation } of routes) {
      app.on(operation.method, toPattern(path), (context) => handle(context, name, parts));
    }
    app.all(toPattern(path), () => {
      throw toMethodError(routes.map(({ operation }) => operation.method));
    });
  }
}

/** Fixed paths come first: `/agent/models` is not an agent's uuid. */
function listRoutes() {
  return Object.entries<Operation>(operations)
    .flatMap(([name, operation]) =>
      [operation.path, ...(operation.aliases ?? [])].map((path) => ({
        name: name as OperationName,
        operation,
        path,
      })),
    )
    .toSorted((one, other) => countParameters(one.path) - countParameters(other.path));
}

function countParameters(path: string): number {
  return path.split('{').length;
}

function toPattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

async function handle(
  context: Context<AppEnv>,
  name: OperationName,
  parts: RouteParts,
): Promise<Response> {
  const operation: Operation = operations[name];
  const handler = parts.handlers[name] as AnyHandler;
  const path = operation.upload ? parts.files.createPath() : undefined;
  try {
    const answer = await handler({
      owner: context.get('owner'),
      params: context.req.param(),
      query: operation.query && parse(operation.query, withoutEmpty(context.req.query()), 'query'),
      body: path
        ? () => readUpload(context, operation, path, parts)
        : await readBody(context, operation, parts),
      key: operation.takesKey && readKey(context),
      signal: context.req.raw.signal,
    });
    if (operation.answer instanceof ZodArray) return toJsonList(answer as AsyncIterable<unknown>);
    if (operation.answer !== 'text') return Response.json(answer);
    if (!(answer instanceof ReadableStream)) return toText(answer as AsyncIterable<string>);
    const isEvents = operation.events && acceptsEvents(context.req.header('accept') ?? '');
    return isEvents ? toEvents(answer, parts.aliveEveryMs) : toText(answer);
  } finally {
    if (path) await parts.files.remove(path);
  }
}

/**
 * The key that makes a repeated request safe
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/). The response names it.
 * @throws {HttpError} 400 when it can't be one
 */
function readKey(context: Context<AppEnv>): string | undefined {
  const given = context.req.header('idempotency-key');
  if (given === undefined) return undefined;
  const { success, data: key } = IdempotencyKey.safeParse(given);
  if (!success) throw new HttpError(400, 'idempotency_key_invalid');
  context.get('answerHeaders')['idempotency-key'] = key;
  return key;
}

/** Clients send an empty parameter where they have none. */
function withoutEmpty(query: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

/** More than any body of the contract has. */
const maxDepth = 5;

/** Clients send null where they have none. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  const given = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(given.map(([name, field]) => [name, withoutNulls(field, depth + 1)]));
}

async function readBody(
  context: Context<AppEnv>,
  operation: Operation,
  { bodyTimeoutMs: timeoutMs }: RouteParts,
): Promise<unknown> {
  if (operation.body === undefined) return undefined;
  const body = await readJsonBody(context.req.raw, { timeoutMs, incoming: incomingOf(context) });
  if (body === undefined && operation.bodyOptional) return undefined;
  return parse(operation.body, body === undefined ? {} : withoutNulls(body), 'The body');
}

async function readUpload(
  context: Context<AppEnv>,
  operation: Operation,
  path: string,
  { maxUploadBytes: maxBytes, takesPictures, bodyTimeoutMs: timeoutMs }: RouteParts,
): Promise<object> {
  const { file, fields } = await receiveUpload(context.req.raw, {
    path,
    maxBytes,
    takesPictures: takesPictures && operation.pictures === true,
    timeoutMs,
    incoming: incomingOf(context),
  });
  return { file, fields: operation.body && parse(operation.body, fields, 'The form') };
}

function incomingOf({ env }: Context<AppEnv>) {
  // Without a server there is no environment.
  return (env as AppEnv['Bindings'] | undefined)?.incoming;
}
