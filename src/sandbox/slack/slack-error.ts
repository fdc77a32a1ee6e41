import type { z } from 'zod';

/** An API error, `{ ok: false, error }`, with messages that explain it. */
export class SlackError extends Error {
  override readonly name = 'SlackError';
  readonly code: string;
  readonly messages: string[];

  constructor(code: string, messages: string[] = []) {
    super([code, ...messages].join(' '));
    this.code = code;
    this.messages = messages;
  }
}

/**
 * What is wrong with a value, with the messages and JSON pointers that Slack uses in
 * `response_metadata.messages`; empty if it matches the schema.
 */
export function complaints(schema: z.ZodType, value: unknown, pointer: string): string[] {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return [];
  return result.error.issues.map((issue) => toComplaint(issue, pointer));
}

function toComplaint(issue: z.core.$ZodIssue, pointer: string): string {
  const path = [...issue.path];
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    const field = String(path.pop() ?? pointer.slice(1));
    return complain(`missing required field: ${field}`, pointer, path);
  }
  return complain(describe(issue), pointer, path);
}

function complain(message: string, pointer: string, path: PropertyKey[]): string {
  return `[ERROR] ${message} [json-pointer:${[pointer, ...path].join('/')}]`;
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'unrecognized_keys') {
    return `invalid additional property: ${issue.keys.join(', ')}`;
  }
  if (issue.code === 'too_big') {
    if (issue.origin === 'array') return `no more than ${issue.maximum} items allowed`;
    if (issue.origin !== 'string') return `must be at most ${issue.maximum}`;
    return `must be less than ${Number(issue.maximum) + 1} characters`;
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'array') return `no fewer than ${issue.minimum} items allowed`;
    if (issue.origin !== 'string') return `must be at least ${issue.minimum}`;
    return `must be more than ${Number(issue.minimum) - 1} characters`;
  }
  if (issue.code === 'invalid_union') {
    const type = (issue.input as { type?: unknown } | undefined)?.type;
    if (type === undefined) return 'missing required field: type';
    return `unsupported type: ${JSON.stringify(type)}`;
  }
  return issue.message;
}
