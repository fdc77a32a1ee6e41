import type { z } from 'zod';
import { HttpError } from '../http-error.ts';

/**
 * Parses a value with a schema of the contract.
 * @throws {HttpError} 400 naming each invalid field and what it must be; `root` names the value
 *   itself if no field is at fault
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  root: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.slice(0, 5).flatMap((issue) => toFaults(issue, root));
  throw new HttpError(400, faults.join('; '));
}

function toFaults(issue: z.core.$ZodIssue, root: string): string[] {
  const path = issue.path.map((name) => toFieldName(String(name)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, 5)
      .map((key) => `${[...path, toFieldName(key)].join('.')}: is not a field here: leave it out`);
  }
  return [`${path.join('.') || root}: ${toRequirement(issue)}`];
}

/**
 * A field's name for error messages. It comes from the client, so it is quoted as JSON unless it is
 * a plain word.
 */
export function toFieldName(name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 64));
}

function toRequirement(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    const expected = withArticle(issue.expected);
    const isMissing = issue.message.endsWith('received undefined');
    return isMissing ? `is required (${expected})` : `must be ${expected}`;
  }
  if (issue.code === 'invalid_value') {
    return `must be one of ${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'too_big') {
    return `must be at most ${issue.maximum}${toUnit(issue.origin)}`;
  }
  if (issue.code === 'too_small') {
    return `must be at least ${issue.minimum}${toUnit(issue.origin)}`;
  }
  return issue.message;
}

function withArticle(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

function toUnit(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' items' : '';
}
