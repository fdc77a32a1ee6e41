/**
 * The text of bytes in UTF-8, a byte order mark included, in pieces that are not empty, however its
 * characters are cut. A reply has hundreds of pieces, so this is no generator (see `openLater`).
 *
 * @param tooLong the error with which it leaves the bytes that are more than `maxBytes`
 */
export function readPlainText(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, tooLong }: { maxBytes: number; tooLong: () => Error },
): AsyncIterable<string> {
  const pieces = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let size = 0;

  type Piece = IteratorResult<string, undefined>;
  const next = (): Promise<Piece> => pieces.next().then(toText);

  function toText({ done, value }: IteratorResult<Uint8Array>): Piece | Promise<Piece> {
    const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
    if (!done) size += value.length;
    if (size > maxBytes) return leave();
    if (text !== '') return { done: false, value: text };
    return done ? { done: true, value: undefined } : next();
  }

  async function leave(): Promise<never> {
    await pieces.return?.();
    throw tooLong();
  }

  return {
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        await pieces.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}
