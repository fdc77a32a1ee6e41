/** An address could not be read. The message is a sentence for the person who added it. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
}
