import { ChatbotError } from '../conversation/chatbot-error.ts';

/** Characters. */
const maxLineLength = 1024 * 1024;

/**
 * The lines of a text, ended by LF, CR or CRLF, wherever its pieces are cut; a last line without an
 * end counts too. A line is handed out as soon as its end is here: a CR at the end of a piece waits
 * for no LF.
 *
 * @throws {ChatbotError} `protocol` where a line is longer than 1 MB.
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

/**
 * The data of each event of an event stream (HTML §9.2.6), its other fields and comments left out.
 * An event that the end of the stream cuts off before its blank line counts too.
 *
 * @throws {ChatbotError} `protocol` where the data of an event is longer than 1 MB.
 */
export async function* readEvents(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let data: string | undefined;
  for await (const line of lines) {
    if (line === '') {
      if (data !== undefined) yield data;
      data = undefined;
    }
    const value = dataOf(line);
    if (value !== undefined) data = data === undefined ? value : limited(`${data}\n${value}`);
  }
  if (data !== undefined) yield data;
}

/** The value of a `data` line, without the one space that may follow its colon. */
function dataOf(line: string): string | undefined {
  if (line === 'data') return '';
  if (!line.startsWith('data:')) return undefined;
  return line.slice(line.startsWith('data: ') ? 6 : 5);
}

function limited(line: string): string {
  if (line.length <= maxLineLength) return line;
  throw new ChatbotError('protocol', 'A line of the reply is longer than 1 MB');
}
