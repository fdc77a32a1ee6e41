/** An address that could not be read. The message is the sentence for whoever added it. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
}
