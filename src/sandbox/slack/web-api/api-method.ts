import { z } from 'zod';
import type { Caller } from '../installations.ts';
import { SlackError } from '../slack-error.ts';

/** A method of the Web API, before its arguments are validated. */
export interface ApiMethod {
  /** Calls per minute, all of which can come at once: docs.slack.dev/apis/web-api/rate-limits. */
  limit: RateLimit;
  /** The limit for apps whose reading of history is limited, if it is another one. */
  limitedTo?: RateLimit;
  token: TokenKind;
  scope?: Scope;
  /** Whether an organisation's token has to name the workspace. */
  ofTeam?: boolean;
  /**
   * What goes into the answer beside `ok: true`.
   * @throws {SlackError}
   */
  call(args: Record<string, unknown>, caller: Caller | undefined): object | Promise<object>;
}

/**
 * The kind of token a method needs: the bot's, the app's, one that reads the app's configuration, or
 * none (docs.slack.dev/authentication/tokens).
 */
type TokenKind = 'bot' | 'app' | 'config' | 'none';

/**
 * The scope that a method needs: always the same, or the one of the kind of the `channel` it is
 * called for, or those of the `types` of channels it lists, by their last part.
 */
type Scope = string | { ofChannel: 'history' | 'read' } | { ofTypes: 'read' };

/** How many calls can come at once, and how fast more may follow. */
export interface RateLimit {
  capacity: number;
  perSecond: number;
  /** An argument; each of its values has its own limit. */
  each?: string;
  /** A limit that all of these calls share besides. */
  within?: RateLimit;
}

export const perMinute = (calls: number): RateLimit => ({ capacity: calls, perSecond: calls / 60 });

/** Slack's tiers, with the calls per minute that each guarantees. */
export const tiers = {
  two: perMinute(20),
  three: perMinute(50),
  four: perMinute(100),
  special: perMinute(600),
} as const;

/**
 * A method that validates its arguments first and answers `invalid_arguments` if they are wrong. By
 * default it takes the bot's token.
 */
export function apiMethod<Shape extends z.core.$ZodLooseShape>({
  arguments: shape,
  run,
  ...rest
}: Omit<ApiMethod, 'token' | 'call'> & {
  token?: TokenKind;
  arguments: Shape;
  run(args: z.output<z.ZodObject<Shape>>, caller?: Caller): object | Promise<object>;
}): ApiMethod {
  const schema = z.object(shape);
  return {
    token: 'bot',
    ...rest,
    call(args, caller) {
      const parsed = schema.safeParse(args);
      if (parsed.success) return run(parsed.data, caller);
      throw new SlackError('invalid_arguments', parsed.error.issues.map(toMessage));
    },
  };
}

function toMessage({ path, message, code }: z.core.$ZodIssue): string {
  const name = path.join('/');
  if (code === 'invalid_type' && message.endsWith('received undefined')) {
    return `[ERROR] missing required field: ${name}`;
  }
  return `[ERROR] ${message} [json-pointer:/${name}]`;
}

/** A required text. */
export const required = z.string().min(1);

/** An optional text. */
export const optional = z.string().optional();

/** A boolean, which forms send as text. */
export const flag = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])])
  .transform((value) => value === true || value === 'true' || value === '1')
  .optional();

/** A JSON value, which forms send as text. A text that is not JSON stays as it is. */
export const json = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? parseJson(value) : value))
  .optional();

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The arguments of a list method: which page to return. */
export const paged = { cursor: optional, limit: z.coerce.number().int().min(0).optional() };

/** The page of a list that a call asks for. */
export interface Wanted {
  cursor?: string;
  limit?: number;
}

/** The page a cursor points at. Never throws: an unknown cursor starts anew. */
export function pageOf<Item>(all: Iterable<Item>, { cursor, limit = 100 }: Wanted) {
  const start = Math.max(0, Number(Buffer.from(cursor ?? '', 'base64url').toString()) || 0);
  const size = Math.min(Math.max(limit, 1), 1_000);
  const found = Iterator.from(all).drop(start);
  const items = [...found.take(size + 1)];
  const more = items.length > size;
  const next_cursor = more ? Buffer.from(String(start + size)).toString('base64url') : '';
  return { items: items.slice(0, size), more, response_metadata: { next_cursor } };
}
