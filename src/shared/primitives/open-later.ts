/**
 * Opens a source of pieces when the first one is requested, and reads it once. A generator would do
 * the same, and take as long for each piece as all the rest of what is done with it.
 */
export function openLater<Piece>(
  open: () => Promise<AsyncIterable<Piece>>,
): AsyncIterableIterator<Piece, undefined> {
  let pieces: AsyncIterator<Piece, undefined> | undefined;
  let first: Promise<IteratorResult<Piece, undefined>> | undefined;

  async function openAndRead(): Promise<IteratorResult<Piece, undefined>> {
    pieces = (await open())[Symbol.asyncIterator]();
    return pieces.next();
  }

  const reader: AsyncIterableIterator<Piece, undefined> = {
    [Symbol.asyncIterator]: () => reader,
    next: () => pieces?.next() ?? (first ??= openAndRead()),
    async return() {
      await pieces?.return?.();
      return { done: true, value: undefined };
    },
  };
  return reader;
}
