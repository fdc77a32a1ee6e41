import type { PlainCode } from '../../messages/problem.ts';
import { AnswerError } from './answer-error.ts';
import { StallError } from './stall-watch.ts';

/** The model server does not know this model; another one may work. */
export class UnknownModelError extends AnswerError {
  override name = 'UnknownModelError';
}

const unknownStatuses = new Set([400, 404, 422]);
const unknownModelPattern = /model.{0,120}(?:not exist|not found)|model_not_found/is;

/**
 * What the asking user reads where the model server answers with another status than 200.
 *
 * @param detail the answer's body, as far as it was read; nothing of it is repeated
 */
export function toRefusalError(status: number, detail: string, model: string): AnswerError {
  if (status === 401 || status === 403) return new AnswerError('model_key_refused');
  if (unknownStatuses.has(status) && unknownModelPattern.test(detail)) {
    return new UnknownModelError({ code: 'model_unknown', params: { model } });
  }
  if (status === 404) return new AnswerError('model_address_wrong');
  if (status === 429) return new AnswerError('model_busy');
  if (
    status === 413 ||
    /context|too (?:long|large|many tokens)|maximum.{0,20}length/i.test(detail)
  ) {
    return new AnswerError('model_overfilled');
  }
  return new AnswerError(status >= 500 ? 'model_failed' : 'model_refused');
}

/** The error for the user who asked, when a call of the model server failed with `error`. */
export function toFailure(error: unknown): AnswerError {
  if (error instanceof AnswerError) return error;
  return new AnswerError(toCode(error), { cause: error });
}

function toCode(error: unknown): PlainCode {
  if (error instanceof StallError) return 'model_too_slow';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT|UND_ERR_CONNECT|CERT|ERR_TLS)/.test(
    code,
  )
    ? 'model_unreachable'
    : 'model_broke_off';
}
