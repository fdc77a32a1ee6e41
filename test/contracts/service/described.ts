import { z } from 'zod';
import type { JsonSchema } from '../../../src/service/http/schemas.ts';
import type { OpenApi, OpenApiOperation } from '../../../src/service/http/openapi.ts';

type Answering = (request: Request) => Promise<Response>;

/** Compares what a service answers with its own description. */
export interface DescriptionCheck {
  /** The service, whose every answer is compared. */
  fetch: Answering;
  /** In what way answers were not as described. */
  faults: string[];
  /** What answers of 200 held, as `Agent` operations' `meta.model`: by operation. */
  seen: Map<string, Set<string>>;
}

/** Making them takes long, and many services share a description. */
const readers = new WeakMap<JsonSchema, { zod: z.ZodType; fields: Set<string> }>();

/** Answers of paths and methods that are no operation are let pass. */
export function createDescriptionCheck(openApi: OpenApi, answer: Answering): DescriptionCheck {
  const faults: string[] = [];
  const seen = new Map<string, Set<string>>();

  const toReader = (schema: JsonSchema) => {
    const reader = readers.get(schema) ?? {
      zod: toZod(schema, openApi),
      fields: listDescribed(schema, openApi),
    };
    readers.set(schema, reader);
    return reader;
  };

  const compare = async (operation: OpenApiOperation, response: Response) => {
    const { operationId, responses } = operation;
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const schema = responses[response.status]?.content[type]?.schema;
    if (schema === undefined)
      return [`${operationId}: ${response.status} ${type} is not described`];
    if (type !== 'application/json') return [];
    const body: unknown = await response.clone().json();
    const given = listGiven(body);
    const { zod, fields } = toReader(schema);
    if (response.ok) seen.set(operationId, (seen.get(operationId) ?? new Set()).union(given));
    const wrong = zod.safeParse(body).error?.issues ?? [];
    return [
      ...wrong.map(({ path, message }) => `${operationId}: ${path.join('.')}: ${message}`),
      ...[...given]
        .filter((field) => !isAmong(fields, field))
        .map(
          (field) => `${operationId}: ${response.status} holds ${field}, which is not described`,
        ),
    ];
  };

  return {
    faults,
    seen,
    async fetch(request) {
      const { method, url } = request;
      const operation = findOperation(openApi, method, new URL(url).pathname);
      const response = await answer(request);
      const isOther = operation === undefined || response.status === 405;
      if (!isOther) faults.push(...(await compare(operation, response)));
      return response;
    },
  };
}

/** The fields that a schema tells of, as `meta.model`, `variables[].name`, and `x.*` for any in x. */
export function listDescribed(schema: JsonSchema, openApi: OpenApi, at = ''): Set<string> {
  const { $ref, anyOf = [], allOf = [], items, properties = {}, additionalProperties } = schema;
  const named = $ref && openApi.components.schemas[$ref.split('/').at(-1) ?? ''];
  const inner = [...(named ? [named] : []), ...anyOf, ...allOf];
  const fields = new Set(inner.flatMap((each) => [...listDescribed(each, openApi, at)]));
  const isRecord = additionalProperties && Object.keys(properties).length === 0;
  if (isRecord && schema.type === 'object') fields.add(`${at}.*`);
  for (const [name, property] of Object.entries(properties)) {
    fields.add(`${at}.${name}`);
    for (const field of listDescribed(property, openApi, `${at}.${name}`)) fields.add(field);
  }
  return items ? fields.union(listDescribed(items, openApi, `${at}[]`)) : fields;
}

function listGiven(value: unknown, at = ''): Set<string> {
  if (Array.isArray(value)) {
    return new Set(value.flatMap((item) => [...listGiven(item, `${at}[]`)]));
  }
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(
    Object.entries(value).flatMap(([name, inner]) => {
      // The keys of a record may have dots: models are called gpt-4.1-8k.
      const field = `${at}.${name.replaceAll('.', '_')}`;
      return [field, ...listGiven(inner, field)];
    }),
  );
}

function isAmong(fields: ReadonlySet<string>, field: string): boolean {
  return fields.has(field) || fields.has(field.replace(/\.[^.]+$/u, '.*'));
}

function toZod(schema: JsonSchema, { components }: OpenApi): z.ZodType {
  const whole = { ...schema, $defs: components.schemas };
  return z.fromJSONSchema(
    JSON.parse(
      JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/'),
    ) as z.core.JSONSchema.JSONSchema,
  );
}

function findOperation({ paths }: OpenApi, method: string, path: string) {
  const patterns = Object.keys(paths)
    .toSorted((one, other) => one.split('{').length - other.split('{').length)
    .map((each) => ({ each, pattern: each.replaceAll(/\{\w+\}/gu, '[^/]+') }));
  const found = patterns.find(({ pattern }) =>
    new RegExp(`^${pattern}$`, 'u').test(path.replace('/source-tags/create', '/source-tag/create')),
  );
  return found && paths[found.each]?.[method.toLowerCase()];
}
