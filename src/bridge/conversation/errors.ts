import {
  type Problem,
  type PlainCode,
  ProblemError,
  renderProblem,
} from '../../shared/problems/problem.ts';
import type { Texts } from '../texts/texts.ts';
import { renderPlainText } from './markdown/plain-text.ts';

/**
 * The kinds of errors of the chatbot service:
 * - `unauthorized`: the key is missing, wrong or lacks permission (401, 403)
 * - `misconfigured`: the chatbot that answers by default does not exist
 * - `no_chatbot`: no chatbot belongs to the workspace
 * - `not_found`: the API says that the resource does not exist, or is someone else's (404, 410)
 * - `invalid`: the service refused the request; its message says why (400, 405, 422)
 * - `conflict`: the resource exists already (409)
 * - `too_large`, `unsupported_type`: the service does not accept the file (413, 415)
 * - `rate_limited`: too many requests (429)
 * - `unavailable`: the service can't be reached or fails (connection, 5xx, a proxy's 404 or 410)
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
  /** How long to wait, if the service said so. */
  retryAfterMs?: number;
  /** The message as a problem, if it can be translated. */
  problem?: Problem;
}

/** A failed call to the chatbot service. */
export class ChatbotError extends Error {
  override readonly name = 'ChatbotError';
  readonly kind: ChatbotErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly problem: Problem | undefined;

  /** Whether not a byte of the request has left, so that it can be sent again. */
  readonly isUnsent: boolean = false;

  constructor(kind: ChatbotErrorKind, message: string, details: ChatbotErrorDetails = {}) {
    super(message, details);
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.problem = details.problem;
  }
}

/** Whether an error is a ChatbotError of one of these kinds. */
export function isChatbotError(
  error: unknown,
  ...kinds: ChatbotErrorKind[]
): error is ChatbotError {
  return error instanceof ChatbotError && kinds.includes(error.kind);
}

/** Whether an error may mean that the service does not have the operation. */
export function isNoSuchOperation(error: unknown): error is ChatbotError {
  return error instanceof ChatbotError && [404, 405, 501].includes(error.status ?? 0);
}

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
  /** Whether all of the bot's calls of this kind have to wait, not only those to the same place. */
  isGlobal?: boolean;
  /** The HTTP status, with `failed`, if there was a response. */
  status?: number;
}

/** A failed call to a chat platform. */
export class PlatformError extends ProblemError {
  override name = 'PlatformError';
  readonly kind: PlatformErrorKind;
  readonly retryAfterMs: number | undefined;
  readonly isGlobal: boolean;
  readonly status: number | undefined;

  constructor(
    kind: PlatformErrorKind,
    problem: Problem | PlainCode,
    details: PlatformErrorDetails = {},
  ) {
    super(problem, details);
    this.kind = kind;
    this.retryAfterMs = details.retryAfterMs;
    this.isGlobal = details.isGlobal ?? false;
    this.status = details.status;
  }
}

/** Whether an error is a PlatformError of one of these kinds. */
export function isRefusal(error: unknown, ...kinds: PlatformErrorKind[]): error is PlatformError {
  return error instanceof PlatformError && kinds.includes(error.kind);
}

/** Whether a write may be accepted later: the platform is busy, or in trouble. */
export function isPassingRefusal(error: unknown): error is PlatformError {
  return isRefusal(error, 'rate_limited', 'failed');
}

/** What a platform says of a message that it can't place below another one. */
const ofQuestion: ReadonlySet<Problem['code']> = new Set(['message_gone', 'thread_gone']);

/** Whether a platform refuses an answer because the message that it answers was deleted. */
export function isQuestionGone(error: unknown): boolean {
  return isRefusal(error, 'gone') && ofQuestion.has(error.problem.code);
}

/** Why a turn ends early: the process shuts down, a person stops it, its question was deleted. */
export type StopReason =
  | { kind: 'restart' }
  | { kind: 'person'; name: string }
  | { kind: 'removed' };

/** A turn was ended early. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`stopped: ${reason.kind}`);
    this.reason = reason;
  }
}

/** Problems of what people added: their sentences say all, with what to do next. */
const wholeSentences: ReadonlySet<Problem['code']> = new Set([
  'upload_empty',
  'upload_too_large',
  'upload_refused',
  'url_invalid',
  'url_has_password',
]);

/** The sentence that people read when something failed: what happened, and what to do about it. */
export function explainError(error: unknown, texts: Texts): string {
  const { failures } = texts;
  if (error instanceof ChatbotError) {
    const { kind, message, problem, retryAfterMs = 0 } = error;
    if (problem && wholeSentences.has(problem.code)) return renderProblem(problem, texts);
    const said = problem ? renderProblem(problem, texts) : message;
    return failures[kind](said, Math.ceil(retryAfterMs / 1000));
  }
  if (error instanceof PlatformError) return renderProblem(error.problem, texts);
  if (error instanceof StoppedError) return explainStop(error.reason, texts);
  return failures.other;
}

function explainStop(reason: StopReason, { thread: { stopped } }: Texts): string {
  return reason.kind === 'person'
    ? stopped.person(renderPlainText(reason.name))
    : stopped[reason.kind];
}

/** Whether people can be told the reason itself; any other is a fault of ours, or of the store. */
export function isExplained(error: unknown): boolean {
  return [PlatformError, ChatbotError, StoppedError].some((kind) => error instanceof kind);
}
