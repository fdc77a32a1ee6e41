import { z } from 'zod';
import {
  Agent,
  AgentCreate,
  AgentModelCosts,
  AgentModels,
  AgentUpdate,
} from '../../shared/api/agent.ts';
import { Chatbot, ChatbotCreate, ChatbotUpdate } from '../../shared/api/chatbot.ts';
import {
  DataSource,
  DataSourceUpdate,
  QaSourceCreate,
  RescrapeResult,
  SourceQuestions,
  SourceTag,
  SourceTagCreate,
  SourceTagUpdate,
  UploadFields,
  UrlSourceCreate,
} from '../../shared/api/data-source.ts';
import { ErrorBody, Success, User, UuidList } from '../../shared/api/fields.ts';
import {
  Message,
  MessageAnswer,
  MessageCreate,
  MessageCreateWhole,
  Session,
  SessionCreate,
  SessionDocument,
} from '../../shared/api/session.ts';

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

/** The objects in requests. */
const requests = {
  ChatbotCreate,
  ChatbotUpdate,
  AgentCreate,
  AgentUpdate,
  UploadFields,
  UrlSourceCreate,
  QaSourceCreate,
  DataSourceUpdate,
  SourceTagCreate,
  SourceTagUpdate,
  SessionCreate,
  MessageCreate,
  MessageCreateWhole,
  UuidList,
};

/** The objects in responses. */
const answers = {
  Chatbot,
  Agent,
  AgentModels,
  AgentModelCosts,
  DataSource,
  RescrapeResult,
  SourceQuestions,
  SourceTag,
  Session,
  Message,
  MessageAnswer,
  SessionDocument,
  User,
  Success,
  Error: ErrorBody,
};

const names = new Map<unknown, string>(
  Object.entries({ ...requests, ...answers }).map(([name, schema]) => [schema, name]),
);

/** The contract's schemas by name. */
export function createComponents(): Record<string, JsonSchema> {
  return {
    ...mapValues(requests, toJsonSchema),
    ...mapValues(answers, (schema) => toGiven(toJsonSchema(schema))),
  };
}

/** A reference to a schema if it has a name, otherwise the schema itself. */
export function toSchemaReference(schema: z.ZodType): JsonSchema {
  const name = names.get(schema);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (schema instanceof z.ZodArray) {
    return { type: 'array', items: toSchemaReference(schema.element as z.ZodType) };
  }
  return toJsonSchema(schema);
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
