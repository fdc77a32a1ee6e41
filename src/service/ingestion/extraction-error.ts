/**
 * Why a file has no text: an unsupported type, no text in it, too large, too much time or memory,
 * or damaged. It decides the HTTP status.
 */
export type ExtractionFault =
  | 'not-allowed'
  | 'empty'
  | 'too-large'
  | 'too-slow'
  | 'too-much-memory'
  | 'damaged';

/** Reading a file failed. The message is a sentence for the person who added it. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
  readonly fault: ExtractionFault;

  constructor(fault: ExtractionFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The error for an unsupported type of file; `what` names the type. */
export function notAllowed(what: string): ExtractionError {
  return new ExtractionError(
    'not-allowed',
    `file type not allowed: this is ${what}. Add PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, text, Markdown, HTML, CSV, JSON, RTF or e-mail files.`,
  );
}

export function protectedByPassword(): ExtractionError {
  return new ExtractionError(
    'damaged',
    'The file is protected by a password. Save it without one and add it again.',
  );
}
