/** A turn is ended because the process stops. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}
