/**
 * A response other than 200. The client shows its message, which says what is wrong and how to fix
 * it.
 */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;
  /** Fields of the response besides `error`. */
  readonly body: object;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    message: string,
    extra: { body?: object; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause });
    this.status = status;
    this.body = extra.body ?? {};
    this.headers = extra.headers ?? {};
  }
}

/** The error for a resource that is missing or belongs to someone else; the two look the same. */
export function notFound(noun: string, uuid: string): HttpError {
  return new HttpError(404, `There is no ${noun} ${uuid.slice(0, 64)}: check the uuid`);
}
