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
  if (status === 401 || status === 403) {
    return new AnswerError(
      'The model server refused the service’s key. Whoever runs the service must set LLM_API_KEY.',
    );
  }
  if (unknownStatuses.has(status) && unknownModelPattern.test(detail)) {
    return new UnknownModelError(
      `The model server does not know the model ${model}. Give the agent another model.`,
    );
  }
  if (status === 404) {
    return new AnswerError(
      'The model server was found, but not at this address. Whoever runs the service must check LLM_BASE_URL, which ends in /v1 with most servers.',
    );
  }
  if (status === 429) {
    return new AnswerError('The model has too much to do right now. Please ask again in a minute.');
  }
  if (
    status === 413 ||
    /context|too (?:long|large|many tokens)|maximum.{0,20}length/i.test(detail)
  ) {
    return new AnswerError(
      'The question and its conversation are too long for the model. Ask more briefly, or begin a new conversation.',
    );
  }
  return new AnswerError(
    status >= 500
      ? 'The model server failed. Please ask again in a moment.'
      : 'The model server did not accept the question. Please ask in other words.',
  );
}

/** The message for the user who asked, when a call of the model server failed with `error`. */
export function toFailure(error: unknown): AnswerError {
  if (error instanceof AnswerError) return error;
  return new AnswerError(toSentence(error), { cause: error });
}

function toSentence(error: unknown): string {
  if (error instanceof StallError) return 'The model took too long to answer. Please ask again.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT|UND_ERR_CONNECT|CERT|ERR_TLS)/.test(
    code,
  )
    ? 'The model server could not be reached. Please ask again in a moment.'
    : 'The model’s answer broke off. Please ask again.';
}
