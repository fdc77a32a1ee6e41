import type { Problem } from '../shared/problems/problem.ts';

/** A problem as `meta_json` stores it, beside its English sentence. */
export function toFailureFields({ code, params }: Problem) {
  return { error_code: code, error_params: params && { ...params } };
}
