import { z } from 'zod';
import { SlackError } from '../slack-error.ts';

/** A method of the Web API, its arguments still unchecked. */
export interface ApiMethod {
  /** Calls a minute, which may also come at once: docs.slack.dev/apis/web-api/rate-limits. */
  limit: RateLimit;
  /** The kind of token it takes. */
  token: 'bot' | 'app';
  /**
   * What goes into the answer beside `ok: true`.
   * @throws {SlackError}
   */
  call(args: Record<string, unknown>): object | Promise<object>;
}

/** How many calls may come at once, and how fast more may follow. */
export interface RateLimit {
  capacity: number;
  perSecond: number;
  /** The argument each of whose values has a limit of its own. */
  each?: string;
}

const perMinute = (calls: number): RateLimit => ({ capacity: calls, perSecond: calls / 60 });

/** Slack's tiers, at the calls a minute they promise at least. */
export const tiers = {
  two: perMinute(20),
  three: perMinute(50),
  four: perMinute(100),
  special: perMinute(600),
} as const;

interface MethodOptions<Shape extends z.core.$ZodLooseShape> {
  limit: RateLimit;
  token?: 'bot' | 'app';
  arguments: Shape;
  run(args: z.output<z.ZodObject<Shape>>): object | Promise<object>;
}

/** A method that checks its arguments first and answers `invalid_arguments` when they do not fit. */
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
