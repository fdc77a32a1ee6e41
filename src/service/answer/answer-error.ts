/** The answer failed. The message is a sentence for the user who asked. */
export class AnswerError extends Error {
  override name = 'AnswerError';
}
