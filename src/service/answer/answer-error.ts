import {
  type PlainCode,
  type Problem,
  renderProblem,
  toProblem,
} from '../../shared/problems/problem.ts';

/** The answer failed. The problem is for the user who asked; the message is in English. */
export class AnswerError extends Error {
  override name = 'AnswerError';
  readonly problem: Problem;

  constructor(problem: Problem | PlainCode, options?: ErrorOptions) {
    super(renderProblem(toProblem(problem)), options);
    this.problem = toProblem(problem);
  }
}
