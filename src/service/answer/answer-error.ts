/** An answer could not be given. The message is the sentence that the asking user reads. */
export class AnswerError extends Error {
  override name = 'AnswerError';
}
