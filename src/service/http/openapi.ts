import type { z } from 'zod';
import { type Operation, operations } from '../../shared/api/operations.ts';
import { IdempotencyKey } from '../../shared/api/session.ts';
import { createComponents, type JsonSchema, toJsonSchema, toSchemaReference } from './schemas.ts';

/** The part of an OpenAPI 3.1 document that this API needs. */
export interface OpenApi {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: { name: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, object> };
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: OpenApiParameter[];
  requestBody?: { required: boolean; content: OpenApiContent };
  responses: Record<string, OpenApiAnswer>;
}

interface OpenApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: JsonSchema;
}

interface OpenApiAnswer {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content: OpenApiContent;
}

type OpenApiContent = Record<string, { schema: JsonSchema }>;

const description = `Chatbots, their agents, sources, tags, sessions and messages.

Send an API key with every request: \`Authorization: Bearer <key>\`. Each key sees what was created with it. Success is status 200; any other status comes with \`{"error": "what is wrong and how to fix it", "code": "its_kind", "params": {}}\`. Times are in UTC. Unknown fields in requests are refused, and unknown query parameters ignored; answers may gain fields. Bodies may be packed with gzip, deflate or br.`;

/** Describes every operation of the contract. */
export function createOpenApi(): OpenApi {
  const described = Object.entries<Operation>(operations);
  const paths: OpenApi['paths'] = {};
  for (const [name, operation] of described) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = describe(name, operation);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Chatbot service', version: '1', description },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: [...new Set(described.map(([, { resource }]) => resource))].map((name) => ({ name })),
    paths,
    components: {
      schemas: createComponents(),
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function describe(name: string, operation: Operation): OpenApiOperation {
  const requestBody = describeBody(operation);
  return {
    operationId: name,
    summary: operation.summary,
    tags: [operation.resource],
    parameters: [
      ...describePath(operation.path),
      ...describeQuery(operation.query),
      ...(operation.takesKey ? [keyParameter] : []),
    ],
    requestBody,
    responses: { 200: describeSuccess(operation), ...describeErrors(operation) },
  };
}

function describePath(path: string): OpenApiParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', description: `Of the ${toNoun(path)}: 32 hex digits.` },
  }));
}

/** The resource that a path's uuid belongs to: the word before it, as in `/source-tag/{uuid}`. */
function toNoun(path: string): string {
  return (/(?<![\w-])[\w-]+(?=\/\{)/.exec(path)?.[0] ?? '').replaceAll('-', ' ');
}

function describeQuery(query: z.ZodObject | undefined): OpenApiParameter[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: toJsonSchema(schema as z.ZodType),
  }));
}

const keyParameter: OpenApiParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: {
    ...toJsonSchema(IdempotencyKey),
    description:
      'A query sent again with its key gives the reply that it has, from its start, and counts once. With a key, a reply goes on when its reader leaves. The response names the key. That queries may have one is said by each response, as `Accept-Idempotency-Key: true`.',
  },
};

function describeBody(operation: Operation): OpenApiOperation['requestBody'] {
  if (operation.upload) {
    const schema = toFormSchema(operation.body);
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  if (operation.body === undefined) return undefined;
  const schema = toSchemaReference(operation.body);
  return {
    required: !operation.bodyOptional,
    content: { 'application/json': { schema } },
  };
}

function toFormSchema(fields: z.ZodType | undefined): JsonSchema {
  const { properties } = fields ? toJsonSchema(fields) : {};
  const file: JsonSchema = {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'The file, under its name.',
  };
  return { type: 'object', properties: { file, ...properties }, required: ['file'] };
}

function describeSuccess({ answer, events }: Operation): OpenApiAnswer {
  if (answer === 'text') {
    const schema: JsonSchema = { type: 'string' };
    const content = {
      'text/plain': { schema },
      ...(events && { 'text/event-stream': { schema } }),
    };
    return { description: 'Text', content };
  }
  return {
    description: 'Success',
    content: { 'application/json': { schema: toSchemaReference(answer) } },
  };
}

const standing: Record<number, string> = {
  401: 'The API key is missing or unknown',
  429: 'Too many requests with this key: Retry-After tells how many seconds to wait',
  500: 'The service failed; its log says why under the answer’s x-request-id',
  503: 'The service is stopping or its database fails: try again shortly',
};

function describeErrors(operation: Operation): Record<string, OpenApiAnswer> {
  const { path, query, body, upload, errors } = operation;
  const texts: Record<number, string> = { ...standing };
  if (query || body || upload) texts[400] = 'A field is missing or wrong: the error names it';
  if (path.includes('{')) texts[404] = 'It does not exist, or belongs to another key';
  if (body || upload) {
    texts[408] = 'The body did not arrive in time';
    texts[413] = upload ? 'The file is too large' : 'The body is larger than 1 MB';
    texts[415] = `The body is ${upload ? 'no multipart form' : 'not JSON'}, or packed in an unknown way`;
  }
  if (upload)
    texts[400] = 'The form is wrong, has several files, or one of a type that is not allowed';
  return Object.fromEntries(
    Object.entries({ ...texts, ...errors }).map(([status, text]) => [
      status,
      toError(status, text, operation),
    ]),
  );
}

/** The body of a 409 is the existing resource plus the error. */
function toError(status: string, text: string, { answer }: Operation): OpenApiAnswer {
  const error: JsonSchema = { $ref: '#/components/schemas/Error' };
  const existing = status === '409' && answer !== 'text' ? toSchemaReference(answer) : undefined;
  const retryAfter = { description: 'Seconds to wait', schema: { type: 'integer' } };
  return {
    description: text,
    ...(status === '429' && { headers: { 'Retry-After': retryAfter } }),
    content: { 'application/json': { schema: existing ? { allOf: [existing, error] } : error } },
  };
}
