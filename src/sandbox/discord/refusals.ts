/** Status and message by JSON error code: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const refusalsByCode = {
  0: [401, '401: Unauthorized'],
  10002: [404, 'Unknown Application'],
  10003: [404, 'Unknown Channel'],
  10004: [404, 'Unknown Guild'],
  10007: [404, 'Unknown Member'],
  10008: [404, 'Unknown Message'],
  10013: [404, 'Unknown User'],
  10087: [404, 'Unknown Tag'],
  10015: [404, 'Unknown Webhook'],
  10062: [404, 'Unknown interaction'],
  20016: [429, 'This action cannot be performed due to slowmode rate limit.'],
  30032: [400, 'Maximum number of application commands reached (100)'],
  40005: [413, 'Request entity too large'],
  40067: [400, 'A tag is required to create a forum post in this channel'],
  40060: [400, 'Interaction has already been acknowledged.'],
  50001: [403, 'Missing Access'],
  50005: [403, 'Cannot edit a message authored by another user'],
  50006: [400, 'Cannot send an empty message'],
  50008: [400, 'Cannot send messages in a non-text channel'],
  50007: [403, 'Cannot send messages to this user'],
  50013: [403, 'Missing Permissions'],
  50021: [403, 'Cannot execute action on a system message'],
  50024: [403, 'Cannot execute action on this channel type'],
  50027: [401, 'Invalid Webhook Token'],
  50083: [400, 'Thread is archived'],
  50278: [403, 'Cannot send messages to this user due to having no mutual guilds'],
  50109: [400, 'The request body contains invalid JSON.'],
  160002: [400, 'Cannot reply without permission to read message history'],
  160004: [400, 'A thread has already been created for this message'],
  160005: [403, 'Thread is locked'],
  160006: [400, 'Maximum number of active threads reached'],
  160007: [400, 'Maximum number of active announcement threads reached'],
  200000: [400, 'Message was blocked by automatic moderation'],
  200001: [400, 'Title was blocked by automatic moderation'],
} as const satisfies Record<number, readonly [status: number, message: string]>;

/** What is wrong with a form field. */
export interface FieldError {
  code: string;
  message: string;
}

/** The key of a field's own errors, next to its nested fields. */
const errorsKey = '_errors';

/** Errors by field, nested like the form. */
export interface FormErrors {
  [errorsKey]?: FieldError[];
  [field: string]: FormErrors | FieldError[] | undefined;
}

/** A request that Discord rejects, with the HTTP status, JSON error code and message. */
export class DiscordRefusal extends Error {
  override readonly name = 'DiscordRefusal';
  readonly status: number;
  readonly code: number;
  readonly errors: FormErrors | undefined;
  /** How long to wait, for a rate limit. */
  readonly retrySeconds: number | undefined;
  /** The input of a modal that it is about. */
  readonly field: string | undefined;

  constructor(
    status: number,
    code: number,
    message: string,
    more: { errors?: FormErrors; retrySeconds?: number; field?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = more.errors;
    this.retrySeconds = more.retrySeconds;
    this.field = more.field;
  }
}

/** The rejection with this JSON error code. */
export function refusal(code: keyof typeof refusalsByCode): DiscordRefusal {
  const [status, message] = refusalsByCode[code];
  return new DiscordRefusal(status, code, message);
}

/** Discord answers too many edits of old messages like a rate limit, with a code of their own. */
export function tooManyOldEdits(retrySeconds: number): DiscordRefusal {
  const message = 'Maximum number of edits to messages older than 1 hour reached. Try again later.';
  return new DiscordRefusal(429, 30046, message, { retrySeconds });
}

/**
 * Something that a person cannot do, with the reason. Discord's own client would not let them try.
 */
export function mistake(message: string, field?: string): DiscordRefusal {
  return new DiscordRefusal(400, 50035, message, { ...(field !== undefined && { field }) });
}

/** The rejection of a form (50035) with one error, at a path of fields. */
export function invalidForm(path: readonly PropertyKey[], error: FieldError): DiscordRefusal {
  return invalidForms([{ path, error }]);
}

/** The rejection of a form (50035) with several errors. */
export function invalidForms(
  faults: { path: readonly PropertyKey[]; error: FieldError }[],
): DiscordRefusal {
  const errors: FormErrors = {};
  for (const { path, error } of faults) {
    let at = errors;
    for (const field of path) at = descend(at, String(field));
    at[errorsKey] = [...(at[errorsKey] ?? []), error];
  }
  return new DiscordRefusal(400, 50035, 'Invalid Form Body', { errors });
}

function descend(errors: FormErrors, field: string): FormErrors {
  const present = Object.hasOwn(errors, field) ? errors[field] : undefined;
  if (present && !Array.isArray(present)) return present;
  const fresh: FormErrors = {};
  errors[field] = fresh;
  return fresh;
}

/** The body of a rejection. */
export function renderRefusal({ code, message, errors, retrySeconds }: DiscordRefusal): object {
  if (retrySeconds === undefined) return { message, code, errors };
  return { message, code, retry_after: retrySeconds, global: false };
}
