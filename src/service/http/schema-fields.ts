import type { JsonSchema } from './schemas.ts';

/** A field of an object or of a nested one: `meta.model`, `variables[].name`. */
export interface SchemaField {
  name: string;
  required: boolean;
  schema: JsonSchema;
}

type Schemas = Record<string, JsonSchema>;

/** The fields of an object, each followed by its nested fields. */
export function listFields(schema: JsonSchema, schemas: Schemas, prefix = ''): SchemaField[] {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  return Object.entries(properties).flatMap(([key, value]) => {
    const field = {
      name: `${prefix}${key}`,
      required: required.includes(key),
      schema: { ...resolve(value, schemas), ...value },
    };
    return [field, ...listInner(field, schemas)];
  });
}

function listInner({ name, schema }: SchemaField, schemas: Schemas): SchemaField[] {
  const [first = schema] = schema.anyOf ?? [];
  return first.type === 'array' && first.items
    ? listFields(first.items, schemas, `${name}[].`)
    : listFields(first, schemas, `${name}.`);
}

/** The name of the schema that a schema or its items refer to; '' if it has none. */
export function toSchemaName(schema: JsonSchema): string {
  return (schema.$ref ?? schema.items?.$ref ?? '').split('/').at(-1) ?? '';
}

/** A schema's type and limits in words, such as `text, 1 to 200 characters`. */
export function describeType(schema: JsonSchema, schemas: Schemas): string {
  const resolved = resolve(schema, schemas);
  const { anyOf, enum: values, prefixItems } = resolved;
  if (anyOf) return anyOf.map((each) => describeType(each, schemas)).join(', or ');
  if (values) return values.join(' | ');
  if (prefixItems) {
    return `[${prefixItems.map((each) => describeType(each, schemas)).join('; ')}]`;
  }
  const limits = describeLimits(resolved);
  const name = describeName(resolved, schemas);
  return limits === '' ? name : `${name}, ${limits}`;
}

function describeName(schema: JsonSchema, schemas: Schemas): string {
  const { type, items, format, contentMediaType } = schema;
  if (type === 'array') return `list of ${items ? describeType(items, schemas) : 'anything'}`;
  if (contentMediaType !== undefined) return 'file';
  if (format === 'date-time') return 'time';
  if (format === 'uri') return 'address';
  const names: Record<string, string> = { string: 'text', integer: 'whole number' };
  return names[String(type)] ?? String(type ?? 'anything');
}

function describeLimits(schema: JsonSchema): string {
  return (
    describeRange(schema.minimum, schema.maximum, '') ||
    describeRange(schema.minLength, schema.maxLength, ' characters') ||
    describeRange(schema.minItems, schema.maxItems, ' items')
  );
}

function describeRange(min: number | undefined, max: number | undefined, unit: string): string {
  const toText = (value: number) => value.toLocaleString('en');
  if (min !== undefined && max !== undefined) return `${toText(min)} to ${toText(max)}${unit}`;
  if (max !== undefined) return `up to ${toText(max)}${unit}`;
  return min === undefined ? '' : `at least ${toText(min)}${unit}`;
}

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  return schema.$ref === undefined ? schema : (schemas[toSchemaName(schema)] ?? schema);
}
