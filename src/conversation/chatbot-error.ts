import type { Problem } from '../messages/problem.ts';

/**
 * What can go wrong with the chatbot service, as far as it makes a difference to anyone:
 * - `unauthorized`: the key is missing, wrong or may not do this (401, 403)
 * - `not_found`: the thing does not exist, or is another's (404)
 * - `invalid`: the service refused what was sent; its message says why (400, 405, 422)
 * - `conflict`: it is there already (409)
 * - `too_large`, `unsupported_type`: a file the service does not take (413, 415)
 * - `rate_limited`: too many requests (429)
 * - `unavailable`: not reached, or failing on its side (5xx, connection)
 * - `timeout`: nothing came for too long
 * - `interrupted`: a reply's stream ended early
 * - `protocol`: an answer that is not what the interface says
 * - `aborted`: the caller gave up
 */
export type ChatbotErrorKind =
  | 'unauthorized'
  | 'not_found'
  | 'invalid'
  | 'conflict'
  | 'too_large'
  | 'unsupported_type'
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  | 'interrupted'
  | 'protocol'
  | 'aborted';

export interface ChatbotErrorDetails extends ErrorOptions {
  /** The HTTP status, where there was an answer. */
  status?: number;
  /** Seconds to wait, where the service said so. */
  retryAfter?: number;
  /** What the message says, where it can be said in other languages. */
  problem?: Problem;
}

/** The chatbot service did not do what was asked. */
export class ChatbotError extends Error {
  override readonly name = 'ChatbotError';
  readonly kind: ChatbotErrorKind;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly problem: Problem | undefined;

  constructor(kind: ChatbotErrorKind, message: string, details: ChatbotErrorDetails = {}) {
    super(message, details);
    this.kind = kind;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.problem = details.problem;
  }
}
