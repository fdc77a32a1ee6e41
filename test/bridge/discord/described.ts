import { readPlatformData } from '../../fixtures/judges/platform-data.ts';

/** A JSON Schema of Discord's description, as far as it is filled in here. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
}

const description = readPlatformData<{ components: { schemas: Record<string, Schema> } }>(
  'discord/openapi.json',
);

/** Whether Discord's description is at hand. */
export const isDescribed = description !== undefined;

/** The keys that an object of this name may have and need not. */
export function optionalKeys(name: string): string[] {
  const { properties = {}, required = [] } = findSchema(name);
  return Object.keys(properties).filter((key) => !required.includes(key));
}

/** The values that an enum of this name has. */
export function valuesOf(name: string): unknown[] {
  return (findSchema(name).oneOf ?? []).map((choice) => choice.const);
}

/** A value for a key of an object of this name, filled in as the description says. */
export function fillKey(name: string, key: string): unknown {
  return fill(findSchema(name).properties?.[key] ?? {}, 0);
}

function findSchema(name: string): Schema {
  return description?.components.schemas[name] ?? {};
}

const texts: Record<string, string> = {
  snowflake: '1100000000000000000',
  'date-time': '2026-11-22T08:00:00.000000+00:00',
  uri: 'https://example.com/',
};

/** Within an object in an object, only the required keys are filled in: schemas contain themselves. */
function fill(schema: Schema, depth: number): unknown {
  const choices = schema.oneOf ?? schema.anyOf;
  const type = [schema.type].flat()[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.$ref) return fill(findSchema(schema.$ref.split('/').at(-1) ?? ''), depth);
  if (choices) return fill(choices.find((choice) => choice.type !== 'null') ?? {}, depth);
  if (schema.additionalProperties) {
    return { [texts['snowflake'] ?? '']: fill(schema.additionalProperties, depth + 1) };
  }
  if (type === 'object') return fillObject(schema, depth);
  if (type === 'array') return depth > 3 ? [] : [fill(schema.items ?? {}, depth + 1)];
  if (type === 'string') return texts[schema.format ?? ''] ?? '1';
  if (type === 'boolean') return false;
  return type === 'null' ? null : 1;
}

function fillObject({ properties = {}, required = [] }: Schema, depth: number): object {
  const keys = Object.keys(properties).filter((key) => depth < 2 || required.includes(key));
  return Object.fromEntries(keys.map((key) => [key, fill(properties[key] ?? {}, depth + 1)]));
}
