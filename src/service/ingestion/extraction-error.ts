/**
 * Why a file gives no text: of a kind that can't be read, without text, larger than allowed, taking
 * too long or too much memory, or damaged. The service's status is chosen by it.
 */
export type ExtractionFault =
  | 'not-allowed'
  | 'empty'
  | 'too-large'
  | 'too-slow'
  | 'too-much-memory'
  | 'damaged';

/** A file that gave no text. The message is the sentence for whoever added it. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
  readonly fault: ExtractionFault;

  constructor(fault: ExtractionFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The refusal of a kind of file that can't be read; `what` says what it is. */
export function notAllowed(what: string): ExtractionError {
  return new ExtractionError(
    'not-allowed',
    `file type not allowed: this is ${what}. Add PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, text, Markdown, HTML, CSV, JSON, RTF or e-mail files.`,
  );
}
