/** An answer other than 200. Its message is read by the client: it says what is wrong and the mend. */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;
  /** Fields that the answer carries beside `error`. */
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

/** What is missing, or someone else's, which are not told apart. */
export function notFound(noun: string, uuid: string): HttpError {
  return new HttpError(404, `There is no ${noun} ${uuid.slice(0, 64)}: check the uuid`);
}
