import {
  type PlainCode,
  type Problem,
  renderProblem,
  toProblem,
} from '../shared/problems/problem.ts';

/**
 * A response other than 200. Its message is the problem's English sentence, which says what is wrong
 * and how to fix it.
 */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;
  readonly problem: Problem;
  /** Fields of the response besides `error`, `code` and `params`. */
  readonly body: object;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    problem: Problem | PlainCode,
    extra: { body?: object; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(renderProblem(toProblem(problem)), { cause: extra.cause });
    this.status = status;
    this.problem = toProblem(problem);
    this.body = extra.body ?? {};
    this.headers = extra.headers ?? {};
  }
}
