import { HttpError } from '../http-error.ts';

/**
 * What `read` gives.
 * @throws {HttpError} 408 when that takes longer than `ms`
 */
export async function arriveWithin<Result>(ms: number, read: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new HttpError(408, { code: 'body_late', params: { seconds: ms / 1000 } }));
  }, ms);
  try {
    return await Promise.race([read, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The parts of a body as they arrive.
 * @throws {HttpError} 408 when the next takes longer than `ms`
 */
export async function* readParts(
  body: AsyncIterable<Uint8Array>,
  ms: number,
): AsyncGenerator<Uint8Array, void> {
  const parts = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await arriveWithin(ms, parts.next());
      if (done) return;
      yield value;
    }
  } finally {
    // The server drops the rest; this does not wait for it.
    parts.return?.().catch(() => {});
  }
}
