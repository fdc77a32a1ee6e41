import { type PlainCode, type Problem, ProblemError } from '../shared/problems/problem.ts';

/**
 * A response other than 200. Its message is the problem's English sentence, which says what is wrong
 * and how to fix it.
 */
export class HttpError extends ProblemError {
  override name = 'HttpError';
  readonly status: number;
  /** Fields of the response besides `error`, `code` and `params`. */
  readonly body: object;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    problem: Problem | PlainCode,
    extra: { body?: object; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(problem, { cause: extra.cause });
    this.status = status;
    this.body = extra.body ?? {};
    this.headers = extra.headers ?? {};
  }
}
