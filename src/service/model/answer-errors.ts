import { z } from 'zod';
import { type PlainCode, type Problem, ProblemError } from '../../shared/problems/problem.ts';

/** The answer failed. The problem is for the user who asked. */
export class AnswerError extends ProblemError {
  override name = 'AnswerError';
}

/** The model server refused a request. The refusal is already in the log. */
export class RefusalError extends AnswerError {
  override name = 'RefusalError';
}

/** The model server does not know this model; another one may work. */
export class UnknownModelError extends RefusalError {
  override name = 'UnknownModelError';
}

/** The server gave an error in place of an answer, or within one. */
export class CompletionError extends Error {
  override name = 'CompletionError';
  /** An HTTP status, if the error holds one. */
  readonly status: number | undefined;
  readonly detail: string;

  constructor(error: unknown) {
    const detail = JSON.stringify(error).slice(0, 4000);
    super(`The model server gave an error: ${detail.slice(0, 500)}`);
    this.detail = detail;
    this.status = ErrorWithStatus.safeParse(error).data;
  }
}

/** OpenRouter and others give a status as `code`. */
const ErrorWithStatus = z
  .looseObject({ code: z.coerce.number().int().min(400).max(599) })
  .transform(({ code }) => code);

/** The server was silent for too long. */
export class StallError extends Error {
  override name = 'StallError';
}

/** A request that was refused. */
export interface Refusal {
  status: number;
  /** The response's body, as far as it was read. */
  detail: string;
}

const unknownStatuses = new Set([400, 404, 422]);
const unknownModelPattern =
  /model.{0,120}(?:not exist|not found)|model_not_found|DeploymentNotFound|(?:unknown|invalid|not a valid) model|not_found_error.{0,60}model:/is;

/** OpenAI answers 429, Anthropic 400, DeepSeek and OpenRouter 402. */
const noCreditPattern =
  /insufficient[_ ](?:quota|balance|credit|fund)|billing_hard_limit|credit balance is too low/i;

/** Azure, OpenAI and DeepSeek refuse a question for what it says. */
const filteredPattern =
  /content_filter|ResponsibleAIPolicyViolation|content management policy|content_policy_violation|content exists risk/i;

const overfilledPattern =
  /context.{0,20}(?:length|window|size|exceed)|exceed.{0,30}context|too (?:long|large|many tokens)|maximum.{0,20}length/is;

/** What a refusal means to the user who asked. Nothing of `detail` is repeated. */
export function toRefusalError({ status, detail }: Refusal, model: string): RefusalError {
  if (unknownStatuses.has(status) && unknownModelPattern.test(detail)) {
    return new UnknownModelError({ code: 'model_unknown', params: { model } });
  }
  return new RefusalError(toRefusalProblem({ status, detail }));
}

function toRefusalProblem({ status, detail }: Refusal): PlainCode {
  if (isOutOfCredit({ status, detail })) return 'model_no_credit';
  if (status === 401 || status === 403) return 'model_key_refused';
  if (status < 400) return 'model_redirected';
  if (filteredPattern.test(detail)) return 'model_filtered';
  if (status === 404 || status === 405) return 'model_address_wrong';
  if (status === 429 || status === 529) return 'model_busy';
  if (status === 408 || status === 504 || status === 524) return 'model_too_slow';
  if (status === 413 || overfilledPattern.test(detail)) return 'model_overfilled';
  return status >= 500 ? 'model_failed' : 'model_refused';
}

export function isOutOfCredit({ status, detail }: Refusal): boolean {
  return status === 402 || (status < 500 && noCreditPattern.test(detail));
}

/** What a `finish_reason` means, other than a usual end or the max length. */
const failedEnds: Record<string, PlainCode> = {
  content_filter: 'model_filtered',
  error: 'model_broke_off',
  insufficient_system_resource: 'model_busy',
};

const lengthEnds = new Set(['length', 'model_length', 'max_tokens']);

/**
 * How a completion ended.
 * @throws {AnswerError} when that is a failure, or there is no text
 */
export function toFinishReason(
  reason: string | undefined,
  { isEmpty, isRefused }: { isEmpty: boolean; isRefused: boolean },
): 'stop' | 'length' {
  const cause = new Error(`The model ended with the finish_reason ${reason}`);
  const failed = reason === undefined ? undefined : failedEnds[reason];
  // A refusal says itself why it is short.
  if (failed && !isRefused) throw new AnswerError(failed, { cause });
  const isCut = reason !== undefined && lengthEnds.has(reason);
  if (isEmpty) throw new AnswerError(isCut ? 'model_no_room' : 'model_gave_nothing', { cause });
  return isCut ? 'length' : 'stop';
}

/** The error for the user who asked, when a call of the model server failed with `error`. */
export function toFailure(error: unknown): AnswerError {
  if (error instanceof AnswerError) return error;
  return new AnswerError(problemOf(error), { cause: error });
}

function problemOf(error: unknown): Problem | PlainCode {
  if (error instanceof StallError) return 'model_too_slow';
  if (error instanceof CompletionError) return toStreamedProblem(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT|UND_ERR_CONNECT|ERR_TLS)|CERT|SELF_SIGNED/.test(
    code,
  )
    ? 'model_unreachable'
    : 'model_broke_off';
}

/** An error that came with status 200 is judged by its text, if that is clear. */
function toStreamedProblem({ status, detail }: CompletionError): PlainCode {
  const problem = toRefusalProblem({ status: status ?? 400, detail });
  return problem === 'model_refused' || problem === 'model_failed' ? 'model_broke_off' : problem;
}
