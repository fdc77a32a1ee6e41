import type { Problem } from '../../shared/problems/problem.ts';

/**
 * The kinds of errors of the chatbot service:
 * - `unauthorized`: the key is missing, wrong or lacks permission (401, 403)
 * - `misconfigured`: the chatbot that answers by default does not exist
 * - `no_chatbot`: no chatbot belongs to the workspace
 * - `not_found`: the resource does not exist, or belongs to someone else (404)
 * - `invalid`: the service refused the request; its message says why (400, 405, 422)
 * - `conflict`: the resource exists already (409)
 * - `too_large`, `unsupported_type`: the service does not accept the file (413, 415)
 * - `rate_limited`: too many requests (429)
 * - `unavailable`: the service can't be reached or fails (5xx, connection)
 * - `timeout`: nothing arrived for too long
 * - `time_limit`: a reply took longer than is allowed
 * - `interrupted`: a reply's stream ended early
 * - `protocol`: a response that does not match the API
 * - `aborted`: the caller aborted
 */
export type ChatbotErrorKind =
  | 'unauthorized'
  | 'misconfigured'
  | 'no_chatbot'
  | 'not_found'
  | 'invalid'
  | 'conflict'
  | 'too_large'
  | 'unsupported_type'
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  | 'time_limit'
  | 'interrupted'
  | 'protocol'
  | 'aborted';

export interface ChatbotErrorDetails extends ErrorOptions {
  /** The HTTP status, if there was a response. */
  status?: number;
  /** Seconds to wait, if the service said so. */
  retryAfter?: number;
  /** The message as a problem, if it can be translated. */
  problem?: Problem;
}

/** A failed call to the chatbot service. */
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
