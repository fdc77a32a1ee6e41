import {
  type PlainCode,
  type Problem,
  renderProblem,
  toProblem,
} from '../../shared/problems/problem.ts';

/**
 * A file or page could not be read or stored. The problem is for the person who added it; the
 * message is in English.
 */
export class IngestionError extends Error {
  override readonly name = 'IngestionError';
  readonly problem: Problem;

  constructor(problem: Problem | PlainCode, options?: ErrorOptions) {
    super(renderProblem(toProblem(problem)), options);
    this.problem = toProblem(problem);
  }
}
