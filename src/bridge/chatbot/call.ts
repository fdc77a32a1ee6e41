import type { z } from 'zod';
import {
  operations,
  type Operation,
  type OperationName,
  type PathParameter,
} from '../../shared/api/operations.ts';
import { ChatbotError } from '../conversation/errors.ts';
import type { Transport, TransportRequest } from './transport.ts';

type Operations = typeof operations;

/** The operations that send JSON or nothing, and whose response is read whole. */
export type CallName = {
  [Name in OperationName]: Operations[Name] extends { upload: true } ? never : Name;
}[Exclude<OperationName, 'streamMessage'>];

/** The arguments of an operation. */
export type CallOptions<Name extends OperationName> = ParamsOf<Operations[Name]> &
  QueryOf<Operations[Name]> &
  BodyOf<Operations[Name]> & { signal?: AbortSignal };

type ParamsOf<Op extends Operation> = [PathParameter<Op['path']>] extends [never]
  ? unknown
  : { params: Record<PathParameter<Op['path']>, string> };

type QueryOf<Op> = Op extends { query: infer Query extends z.ZodType }
  ? { query?: z.input<Query> }
  : unknown;

type BodyOf<Op> = Op extends { upload: true }
  ? unknown
  : Op extends { body: infer Body extends z.ZodType; bodyOptional: true }
    ? { body?: z.input<Body> }
    : Op extends { body: infer Body extends z.ZodType }
      ? { body: z.input<Body> }
      : unknown;

/** The response of an operation: its resource, or text. */
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'] extends z.ZodType
  ? z.output<Operations[Name]['answer']>
  : string;

interface LooseOptions {
  params?: Record<string, string>;
  query?: Record<string, string | undefined>;
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * Builds the request of an operation. The body is not validated: the service reports what is wrong.
 */
export function toRequest<Name extends OperationName>(
  name: Name,
  options: CallOptions<Name>,
): TransportRequest {
  const { method, path, answer }: Operation = operations[name];
  const { params, query, body, signal }: LooseOptions = options;
  const request: TransportRequest = {
    method,
    path: renderPath(path, params, query),
    accept:
      answer === 'text' ? 'text/plain, text/event-stream;q=0.5, */*;q=0.1' : 'application/json',
    signal,
  };
  if (body === undefined) return request;
  return {
    ...request,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/**
 * Calls an operation. Only reads are retried after a failure: a repeated
 * deletion would report that the resource doesn't exist.
 * @throws {ChatbotError}
 */
export async function call<Name extends CallName>(
  transport: Transport,
  name: Name,
  options: CallOptions<Name>,
): Promise<AnswerOf<Name>> {
  const request = toRequest(name, options);
  const { text } = await transport.ask(request, request.method === 'GET' ? 'safe' : 'unsent');
  return parseAnswer(name, text);
}

type DeletionName = {
  [Name in CallName]: Name extends `delete${string}`
    ? CallOptions<Name> extends { params: { uuid: string } }
      ? Name
      : never
    : never;
}[CallName];

/**
 * Deletes one resource.
 * @throws {ChatbotError} also when the service answers that it didn't
 */
export async function deletion(
  transport: Transport,
  name: DeletionName,
  uuid: string,
  signal?: AbortSignal,
): Promise<void> {
  const { success } = await call(transport, name, { params: { uuid }, signal });
  if (!success) throw new ChatbotError('invalid', `The service did not do what ${name} asks`);
}

/**
 * Parses the response of an operation.
 * @throws {ChatbotError} `protocol` when it doesn't match the interface
 */
export function parseAnswer<Name extends OperationName>(name: Name, text: string): AnswerOf<Name> {
  const { answer }: Operation = operations[name];
  // AnswerOf derives its type from the same `answer` in the table.
  if (answer === 'text') return text as AnswerOf<Name>;
  return checkAnswer(name, answer, parseJson(name, text)) as AnswerOf<Name>;
}

/**
 * Checks a part of the response of an operation.
 * @throws {ChatbotError} `protocol` when it doesn't match the schema
 */
export function checkAnswer<Schema extends z.ZodType>(
  name: OperationName,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') || 'the whole';
  const message = `The answer to ${name} is wrong at ${place}: ${issue?.message}`;
  throw new ChatbotError('protocol', message, { cause: parsed.error });
}

/** @throws {ChatbotError} `protocol` */
export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No cause: its message quotes the text.
    throw new ChatbotError('protocol', `The answer to ${name} is not JSON`);
  }
}

/**
 * The path and query of a request. Identifiers can come from people, so each is encoded into a
 * single path segment.
 * @throws {ChatbotError} `not_found` when an identifier can't be one
 */
function renderPath(
  template: string,
  params: Record<string, string> = {},
  query: Record<string, string | undefined> = {},
): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => renderSegment(params[name]));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, value);
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

function renderSegment(id = ''): string {
  // URL parsers drop these segments, even when encoded.
  if (/^\.{0,2}$/.test(id) || !id.isWellFormed()) {
    throw new ChatbotError('not_found', `“${id.toWellFormed()}” is not an identifier`);
  }
  return encodeURIComponent(id);
}
