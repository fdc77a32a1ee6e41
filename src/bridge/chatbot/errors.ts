import type { z } from 'zod';
import { ErrorBody } from '../../shared/api/fields.ts';
import {
  ChatbotError,
  type ChatbotErrorDetails,
  type ChatbotErrorKind,
} from '../conversation/errors.ts';
import { recognizeProblem } from '../../shared/problems/problem.ts';

/**
 * How far an exchange came: nothing sent, something possibly sent, or response headers received.
 */
export type ExchangeStage = 'connecting' | 'waiting' | 'receiving';

/** No connection was made. Not a byte of the request has left, so a retry is safe. */
export class UnsentError extends ChatbotError {
  override readonly isUnsent = true;
}

const maxMessageLength = 500;

/** The caller aborted, with the signal's reason as the cause, or a time limit passed. */
export function abortedError(signal?: AbortSignal): ChatbotError {
  const { reason }: { reason?: unknown } = signal ?? {};
  if (reason instanceof DOMException && reason.name === 'TimeoutError') return timeoutError();
  return new ChatbotError('aborted', 'The request was cancelled', { cause: signal?.reason });
}

/** The service was silent for too long. */
export function timeoutError(): ChatbotError {
  return new ChatbotError('timeout', 'The chatbot service sent nothing for too long');
}

/** Like `timeoutError`, but before a connection was made. */
export function connectTimeoutError(): ChatbotError {
  return new UnsentError('timeout', 'The chatbot service cannot be reached: no connection');
}

/** The answer did not end within its limit. */
export function timeLimitError(): ChatbotError {
  return new ChatbotError('time_limit', 'The answer of the chatbot service did not end in time');
}

/** Node's codes for a certificate without a trusted authority (X509_V_ERR in OpenSSL). */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The error for an exchange whose connection failed at this stage. */
export function connectionError(cause: Error, stage: ExchangeStage): ChatbotError {
  if (cause instanceof ChatbotError) return cause;
  const code = 'code' in cause ? String(cause.code) : '';
  const reason = cause.message || code || cause.name;

  if (code === 'UND_ERR_INVALID_ARG') {
    return new ChatbotError('invalid', `The request cannot be sent: ${reason}`, { cause });
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new ChatbotError('aborted', 'The client is closed', { cause });
  }
  if (untrusted.has(code)) {
    const message = `The certificate of the chatbot service is not trusted: ${reason}. If it is your own, name the file of its authority in NODE_EXTRA_CA_CERTS`;
    return new UnsentError('unavailable', message, { cause });
  }
  if (stage === 'connecting') {
    const kind = code === 'UND_ERR_CONNECT_TIMEOUT' ? 'timeout' : 'unavailable';
    return new UnsentError(kind, `The chatbot service cannot be reached: ${reason}`, { cause });
  }
  if (stage === 'receiving') {
    return new ChatbotError('interrupted', `The answer ended early: ${reason}`, { cause });
  }
  if (cause.name === 'HTTPParserError') {
    return new ChatbotError('protocol', `The answer is not HTTP: ${reason}`, { cause });
  }
  return new ChatbotError('unavailable', `The chatbot service hung up: ${reason}`, { cause });
}

/** A response that is not a success. */
export interface FailedAnswer {
  status: number;
  text: string;
  /** Its Content-Type and Location, '' if missing. */
  type: string;
  location: string;
  /** If the service gave a Retry-After. */
  retryAfterMs: number | undefined;
}

/**
 * The error for a response other than 200. Its message is the body's `error`, otherwise the body's
 * text, at most 500 characters and without `secret`.
 */
export function answerError(answer: FailedAnswer, secret: string): ChatbotError {
  const { status, retryAfterMs } = answer;
  const body = readBody(answer.text);
  const said = body?.error || describe(answer, body !== undefined);
  const safe = secret === '' ? said : said.replaceAll(secret, '[key]');
  const message = safe.slice(0, maxMessageLength).toWellFormed();
  // If the secret was removed or the end cut off, the params must not contain it either.
  const problem = body && message === said ? recognizeProblem(body) : undefined;
  const details: ChatbotErrorDetails = { status, retryAfterMs, problem };
  return new ChatbotError(errorKind(status, message, body !== undefined), message, details);
}

/** The body of the API's own errors; undefined for any other body. */
function readBody(text: string): z.output<typeof ErrorBody> | undefined {
  try {
    const body = ErrorBody.parse(JSON.parse(text));
    return { ...body, error: body.error.trim() };
  } catch {
    return undefined;
  }
}

function describe({ status, text, type, location }: FailedAnswer, isOwn: boolean): string {
  const answered = `The chatbot service answered ${status}`;
  if (isMissing(status) && !isOwn) {
    return `${answered}, but not with an error of its API. Either a proxy in between answered, or the base URL is wrong`;
  }
  // An HTML page from a proxy in between is not a message.
  const isMessage = !isOwn && !type.startsWith('text/html') && text.trim() !== '';
  if (isMessage) return text.trim();
  if (location === '') return answered;
  return `${answered} and points to ${location}: is its base URL the right one?`;
}

function isMissing(status: number): boolean {
  return status === 404 || status === 410;
}

/** @param isOwn whether the API itself answered, rather than something in between */
function errorKind(status: number, message: string, isOwn: boolean): ChatbotErrorKind {
  if (status === 401 || status === 403) return 'unauthorized';
  if (isMissing(status)) return isOwn ? 'not_found' : 'unavailable';
  if (status === 408) return 'timeout';
  if (status === 409) return 'conflict';
  if (status === 413) return 'too_large';
  if (status === 415) return 'unsupported_type';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'unavailable';
  if (status < 400) return 'protocol';
  // The field's message for an unsupported file; its status is not documented.
  return /file type not allowed/i.test(message) ? 'unsupported_type' : 'invalid';
}
