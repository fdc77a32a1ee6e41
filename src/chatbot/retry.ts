import { ChatbotError } from '../conversation/chatbot-error.ts';
import { abortedError, UnsentError } from './failure.ts';

export interface RetryPolicy {
  /** Tries in all. */
  attempts: number;
  /** The longest wait before the second try, in ms; it doubles with each one. */
  baseMs: number;
  random: () => number;
  sleep: (ms: number, signal?: AbortSignal) => Promise<unknown>;
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
 *
 * @throws {ChatbotError} The last failure.
 */
export async function withRetries<Result>(
  policy: RetryPolicy,
  repeat: Repeat,
  attempt: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count >= policy.attempts || !mayRepeat(error, repeat)) throw error;
      await wait(policy, waitMs(policy, count, error.retryAfter), signal);
    }
  }
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

function waitMs(policy: RetryPolicy, count: number, retryAfter = 0): number {
  const jitter = policy.random() * policy.baseMs * 2 ** (count - 1);
  return Math.min(maxWaitMs, Math.max(jitter, retryAfter * 1000));
}

async function wait(policy: RetryPolicy, ms: number, signal?: AbortSignal) {
  try {
    await policy.sleep(ms, signal);
  } catch (error) {
    throw signal?.aborted ? abortedError(signal) : error;
  }
}
