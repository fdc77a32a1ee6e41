import { ChatbotError } from '../conversation/chatbot-error.ts';

/** Characters. */
const maxLineLength = 1024 * 1024;

/**
 * The lines of a text, ended by LF, CR or CRLF, wherever its pieces are cut; a last line without an
 * end counts too. A line is handed out as soon as its end is here: a CR at the end of a piece waits
 * for no LF.
 * @throws {ChatbotError} `protocol` when a line is longer than 1 MB
 */
export async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let line = '';
  let afterReturn = false;
  for await (const piece of pieces) {
    const text = afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    afterReturn = piece.endsWith('\r');

    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    line = limited(line + first);
    for (const next of others) {
      yield line;
      line = limited(next);
    }
  }
  if (line !== '') yield line;
}

function limited(line: string): string {
  if (line.length <= maxLineLength) return line;
  throw new ChatbotError('protocol', 'A line of the reply is longer than 1 MB');
}
