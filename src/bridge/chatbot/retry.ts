import { ChatbotError } from '../conversation/errors.ts';
import { retry } from '../../shared/primitives/retry.ts';
import type { Sleep } from '../../shared/primitives/sleep.ts';
import { abortedError, UnsentError } from './errors.ts';

export interface RetryPolicy {
  /** Tries in all. */
  attempts: number;
  /** The longest wait before the second try, in ms; it doubles with each one. */
  baseMs: number;
  random: () => number;
  sleep: Sleep;
}

/**
 * When a request may be sent again: `safe` where a failure will pass, `unsent` where none of its
 * bytes has left.
 */
export type Repeat = 'safe' | 'unsent' | 'never';

const maxWaitMs = 10_000;

/**
 * Runs `attempt` until it succeeds, fails for good, or its tries are used up. Waits with full
 * jitter in between, or as long as the service asked, up to 10 s.
 * @throws {ChatbotError} the last failure
 */
export function withRetries<Result>(
  policy: RetryPolicy,
  repeat: Repeat,
  attempt: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  return retry(attempt, {
    signal,
    waitMs(error, failures) {
      if (failures >= policy.attempts || !mayRepeat(error, repeat)) return undefined;
      const jitterMs = policy.random() * policy.baseMs * 2 ** (failures - 1);
      return Math.min(maxWaitMs, Math.max(jitterMs, (error.retryAfter ?? 0) * 1000));
    },
    async sleep(ms) {
      try {
        await policy.sleep(ms, signal);
      } catch (error) {
        throw signal?.aborted ? abortedError(signal) : error;
      }
    },
  });
}

function mayRepeat(error: unknown, repeat: Repeat): error is ChatbotError {
  if (!(error instanceof ChatbotError) || repeat === 'never') return false;
  return error instanceof UnsentError || (repeat === 'safe' && willPass(error));
}

/** A lost connection, or a gateway's word for a service that is away for now. */
function willPass({ kind, status }: ChatbotError): boolean {
  if (status !== undefined) return status >= 502 && status <= 504;
  return kind === 'unavailable';
}
