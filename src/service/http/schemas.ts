import { z } from 'zod';
import * as agent from '../../shared/api/agent.ts';
import * as chatbot from '../../shared/api/chatbot.ts';
import * as dataSource from '../../shared/api/data-source.ts';
import * as fields from '../../shared/api/fields.ts';
import { type Operation, operations } from '../../shared/api/operations.ts';
import * as session from '../../shared/api/session.ts';

/** The part of JSON Schema (draft 2020-12) that the contract's schemas need. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: (string | number)[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  contentMediaType?: string;
}

/** A schema has the name that the contract exports it by. */
const names = new Map<unknown, string>(
  Object.entries({ ...agent, ...chatbot, ...dataSource, ...fields, ...session }).map(
    ([name, schema]) => [schema, name],
  ),
);

/** The contract's schemas by name. */
export function createComponents(): Record<string, JsonSchema> {
  const components: Record<string, JsonSchema> = {};
  for (const { body, answer } of Object.values<Operation>(operations)) {
    if (body) components[nameOf(body)] = toJsonSchema(body);
    if (answer === 'text') continue;
    const item = answer instanceof z.ZodArray ? (answer.element as z.ZodType) : answer;
    components[nameOf(item)] = toGiven(toJsonSchema(item));
  }
  return { ...components, Error: toGiven(toJsonSchema(fields.ErrorBody)) };
}

/** A reference to a schema, or to those of a list. */
export function toSchemaReference(schema: z.ZodType): JsonSchema {
  if (schema instanceof z.ZodArray) {
    return { type: 'array', items: toSchemaReference(schema.element as z.ZodType) };
  }
  return { $ref: `#/components/schemas/${nameOf(schema)}` };
}

/** @throws {Error} when the contract does not export the schema */
function nameOf(schema: z.ZodType): string {
  const name = names.get(schema);
  if (name === undefined) throw new Error('An operation has a schema without a name');
  return name;
}

/** The format on the wire, before the contract transforms it. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' });
  return json as JsonSchema;
}

/**
 * The contract accepts several formats from services of this kind; this service gives the first.
 */
function toGiven(schema: JsonSchema): JsonSchema {
  const { type, anyOf, items, properties, ...rest } = schema;
  const [first] = anyOf ?? [];
  if (first && anyOf?.some((each) => each.type === 'null')) return { ...toGiven(first), ...rest };
  return {
    ...rest,
    ...(type !== undefined && { type: Array.isArray(type) ? (type[0] ?? '') : type }),
    ...(anyOf && { anyOf: anyOf.map(toGiven) }),
    ...(items && { items: toGiven(items) }),
    ...(properties && { properties: mapValues(properties, toGiven) }),
  };
}

function mapValues<Value, Result>(
  record: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
