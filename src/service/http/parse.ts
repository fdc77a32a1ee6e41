import type { z } from 'zod';
import type { FieldFault } from '../../shared/problems/english.ts';
import { HttpError } from '../http-error.ts';

/**
 * Parses a value with a schema of the contract.
 * @throws {HttpError} 400 naming each invalid field and what it must be; `root` names the value
 * itself if no field is at fault
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  root: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.slice(0, 5).flatMap((issue) => toFaults(issue, root));
  throw new HttpError(400, { code: 'fields_invalid', params: { faults } });
}

function toFaults(issue: z.core.$ZodIssue, root: string): FieldFault[] {
  const path = issue.path.map((name) => toFieldName(String(name)));
  if (issue.code === 'invalid_union' && issue.message === unexplained) {
    const fitting = issue.errors.find((issues) => !issues.some(isWrongType));
    if (fitting) {
      return fitting.flatMap((each) =>
        toFaults({ ...each, path: [...issue.path, ...each.path] }, root),
      );
    }
    const types = issue.errors.flat().flatMap((each) => (isWrongType(each) ? each.expected : []));
    const expected = [...new Set(types.map(toWord))].join(' or ');
    return [{ field: path.join('.') || root, rule: 'type', expected }];
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, 5)
      .map((key) => ({ field: [...path, toFieldName(key)].join('.'), rule: 'unknown' }));
  }
  return [toFault(path.join('.') || root, issue)];
}

/**
 * A field's name for error messages. It comes from the client, so it is quoted as JSON unless it is
 * a plain word.
 */
export function toFieldName(name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 64));
}

function toFault(field: string, issue: z.core.$ZodIssue): FieldFault {
  if (issue.code === 'invalid_type') {
    const isMissing = issue.message.endsWith('received undefined');
    return { field, rule: isMissing ? 'required' : 'type', expected: toWord(issue.expected) };
  }
  if (issue.code === 'invalid_value') {
    return { field, rule: 'choice', values: issue.values.map(String) };
  }
  if (issue.code === 'too_big') {
    return { field, rule: 'max', limit: Number(issue.maximum), unit: toUnit(issue.origin) };
  }
  if (issue.code === 'too_small') {
    return { field, rule: 'min', limit: Number(issue.minimum), unit: toUnit(issue.origin) };
  }
  return { field, rule: 'other', text: issue.message };
}

/** Zod's message for a union without one of its own. */
const unexplained = 'Invalid input';

/** Whether the value has another type than this member of a union, which is then not meant. */
function isWrongType(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && issue.path.length === 0;
}

const words: Record<string, string> = {
  tuple: 'list',
  array: 'list',
  record: 'object',
  int: 'whole number',
};

function toWord(type: string): string {
  return words[type] ?? type;
}

function toUnit(origin: string): 'characters' | 'items' | undefined {
  if (origin === 'string') return 'characters';
  return origin === 'array' ? 'items' : undefined;
}
