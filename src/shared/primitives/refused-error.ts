/** A request that is refused. The message says why, and what to do instead. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
