import { z } from 'zod';
import { SlackError } from '../slack-error.ts';

/** A method of the Web API, before its arguments are validated. */
export interface ApiMethod {
  /** Calls per minute, all of which can come at once: docs.slack.dev/apis/web-api/rate-limits. */
  limit: RateLimit;
  token: TokenKind;
  /**
   * What goes into the answer beside `ok: true`.
   * @throws {SlackError}
   */
  call(args: Record<string, unknown>): object | Promise<object>;
}

/**
 * The kind of token a method needs: the bot's, the app's, or one that reads the app's configuration
 * (docs.slack.dev/authentication/tokens).
 */
export type TokenKind = 'bot' | 'app' | 'config';

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

interface MethodOptions<Shape extends z.core.$ZodLooseShape> {
  limit: RateLimit;
  token?: TokenKind;
  arguments: Shape;
  run(args: z.output<z.ZodObject<Shape>>): object | Promise<object>;
}

/**
 * A method that validates its arguments first and answers `invalid_arguments` if they are wrong.
 */
export function apiMethod<Shape extends z.core.$ZodLooseShape>(
  options: MethodOptions<Shape>,
): ApiMethod {
  const schema = z.object(options.arguments);
  return {
    limit: options.limit,
    token: options.token ?? 'bot',
    call(args) {
      const parsed = schema.safeParse(args);
      if (parsed.success) return options.run(parsed.data);
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
