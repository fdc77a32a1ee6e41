import {
  type PlainCode,
  type Problem,
  renderProblem,
  toProblem,
} from '../../shared/problems/problem.ts';

/**
 * An address could not be read. The problem is for the person who added it; the message is in
 * English.
 */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly problem: Problem;

  constructor(problem: Problem | PlainCode, options?: ErrorOptions) {
    super(renderProblem(toProblem(problem)), options);
    this.problem = toProblem(problem);
  }
}
