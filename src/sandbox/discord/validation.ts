import { z } from 'zod';
import { type FieldError, invalidForms } from './refusals.ts';

/**
 * The body in the schema's form.
 * @throws {DiscordRefusal} 50035 with Discord's tree of errors:
 * https://docs.discord.com/developers/reference#error-messages
 */
export function parseForm<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body ?? {}, { reportInput: true });
  if (result.success) return result.data;
  throw invalidForms(
    result.error.issues.map((issue) => ({ path: issue.path, error: toFieldError(issue) })),
  );
}

/** A text with a min and max length, and Discord's messages for both. */
export function text(min: number, max: number) {
  return z.string().superRefine((value, context) => {
    const error = measure(countCharacters(value), min, max);
    if (error) addFault(context, error);
  });
}

/** A list with a min and max length, and Discord's messages for both. */
export function list<T extends z.ZodType>(entry: T, min: number, max: number) {
  return z.array(entry).superRefine((value, context) => {
    const error = measure(value.length, min, max);
    if (error) addFault(context, error);
  });
}

/** An id. */
export const snowflake = z.string().superRefine((value, context) => {
  if (/^\d{1,20}$/.test(value)) return;
  addFault(context, {
    code: 'NUMBER_TYPE_COERCE',
    message: `Value "${value.slice(0, 100)}" is not snowflake.`,
  });
});

/** Discord counts code points, so an emoji outside the BMP is one character, not two. */
export function countCharacters(value: string): number {
  return Array.from(value).length;
}

/** Reports an error with Discord's code, at a path below the value. */
export function addFault(
  context: z.RefinementCtx,
  { code, message }: FieldError,
  path: PropertyKey[] = [],
): void {
  context.addIssue({ code: 'custom', message, path, params: { code } });
}

/** What is wrong with a length, if anything. */
export function measure(length: number, min: number, max: number): FieldError | undefined {
  if (length >= min && length <= max) return undefined;
  if (min > 0) {
    const message = `Must be between ${min} and ${max} in length.`;
    return { code: 'BASE_TYPE_BAD_LENGTH', message };
  }
  return { code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${max} or fewer in length.` };
}

function toFieldError(issue: z.core.$ZodIssue): FieldError {
  if (issue.code === 'custom') {
    return { code: String(issue.params?.['code'] ?? 'BASE_TYPE_INVALID'), message: issue.message };
  }
  if (issue.input === undefined) {
    return { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };
  }
  if (issue.code === 'invalid_type') {
    const type = issue.expected.toUpperCase();
    const value = JSON.stringify(issue.input).slice(0, 100);
    return { code: `${type}_TYPE_CONVERT`, message: `Could not interpret "${value}" as ${type}.` };
  }
  if (issue.code === 'invalid_value') {
    const message = `Value must be one of {${issue.values.map(String).join(', ')}}.`;
    return { code: 'BASE_TYPE_CHOICES', message };
  }
  if (issue.code === 'too_small') {
    const message = `int value should be greater than or equal to ${issue.minimum}.`;
    return { code: 'NUMBER_TYPE_MIN', message };
  }
  if (issue.code === 'too_big') {
    const message = `int value should be less than or equal to ${issue.maximum}.`;
    return { code: 'NUMBER_TYPE_MAX', message };
  }
  if (issue.code === 'invalid_union') {
    return { code: 'UNION_TYPE_CHOICES', message: 'The value matches none of the allowed types.' };
  }
  return { code: 'BASE_TYPE_INVALID', message: issue.message };
}
