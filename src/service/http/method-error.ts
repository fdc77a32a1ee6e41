import { HttpError } from '../http-error.ts';

/** The refusal of every method but these. Where GET is one, so is HEAD. */
export function toMethodError(methods: readonly string[]): HttpError {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const headers = { allow: allowed.join(', ') };
  return new HttpError(405, { code: 'method_not_allowed', params: { allowed } }, { headers });
}
