import {
  type PlainCode,
  type Problem,
  renderProblem,
  toProblem,
} from '../../shared/problems/problem.ts';

/**
 * Why a platform refused a write:
 * - `rate_limited`: nothing was written; retry after `retryAfterMs`
 * - `gone`: the message, thread or channel no longer exists
 * - `uneditable`: it exists, but can no longer be edited (archived, too old, expired)
 * - `forbidden`: the bot lacks a permission; the problem names it and how to fix it
 * - `refused`: the platform refuses it for another reason, now and later; nothing was written
 * - `failed`: trouble at the platform or on the way; it may have been written
 */
export type PlatformErrorKind =
  | 'rate_limited'
  | 'gone'
  | 'uneditable'
  | 'forbidden'
  | 'refused'
  | 'failed';

export interface PlatformErrorDetails extends ErrorOptions {
  /** Milliseconds to wait, with `rate_limited`. */
  retryAfterMs?: number;
  /** Whether all of the bot's calls have to wait, not only those to the same place. */
  isGlobal?: boolean;
}

/** A failed call to a chat platform. The message is English, for logs. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly kind: PlatformErrorKind;
  /** What people are told about it, in their language. */
  readonly problem: Problem;
  readonly retryAfterMs: number | undefined;
  readonly isGlobal: boolean;

  constructor(
    kind: PlatformErrorKind,
    problem: Problem | PlainCode,
    details: PlatformErrorDetails = {},
  ) {
    super(renderProblem(toProblem(problem)), details);
    this.kind = kind;
    this.problem = toProblem(problem);
    this.retryAfterMs = details.retryAfterMs;
    this.isGlobal = details.isGlobal ?? false;
  }
}

/** Whether an error is a PlatformError of one of these kinds. */
export function isRefusal(error: unknown, ...kinds: PlatformErrorKind[]): error is PlatformError {
  return error instanceof PlatformError && kinds.includes(error.kind);
}
