import { createParser } from 'eventsource-parser';

/** Of an event, and of a line that is part of none. */
const maxCharacters = 1024 * 1024;

/**
 * The data of each event of a `text/event-stream`, however its bytes are cut
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). The standard drops an event
 * whose blank line never came; servers that close early still mean it.
 * @throws {Error} what `tooLarge` makes, when an event or a line is longer than a million
 * characters
 */
export async function* readServerSentEvents(
  bytes: AsyncIterable<Uint8Array>,
  tooLarge: () => Error,
): AsyncGenerator<string, void> {
  const events: string[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxCharacters,
    onEvent: ({ data }) => events.push(data),
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  });
  const decoder = new TextDecoder();
  // The parser drops what is no event without counting it.
  let lineLength = 0;
  for await (const part of bytes) {
    const text = decoder.decode(part, { stream: true });
    parser.feed(text);
    yield* events.splice(0);
    lineLength = /[\r\n]/.test(text) ? 0 : lineLength + text.length;
    if (isTooLarge || lineLength > maxCharacters) throw tooLarge();
  }
  parser.feed(`${decoder.decode()}\n\n`);
  yield* events;
}
