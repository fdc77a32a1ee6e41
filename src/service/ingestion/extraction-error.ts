import {
  type PlainCode,
  type Problem,
  renderProblem,
  toProblem,
} from '../../shared/problems/problem.ts';

/**
 * Why a file has no text: an unsupported type, no text in it, too large, too much time or memory,
 * damaged, or no storage left for it. It decides the HTTP status.
 */
export type ExtractionFault =
  | 'not-allowed'
  | 'empty'
  | 'too-large'
  | 'too-slow'
  | 'too-much-memory'
  | 'damaged'
  | 'storage-full';

/** Reading a file failed. The problem is for the person who added it; the message is in English. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
  readonly fault: ExtractionFault;
  readonly problem: Problem;

  constructor(fault: ExtractionFault, problem: Problem | PlainCode, options?: ErrorOptions) {
    super(renderProblem(toProblem(problem)), options);
    this.fault = fault;
    this.problem = toProblem(problem);
  }
}
