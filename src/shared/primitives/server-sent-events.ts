import { createParser } from 'eventsource-parser';

/** The limit for an event, and for a line outside any event. */
const maxCharacters = 1024 * 1024;

/**
 * The data of each event of a `text/event-stream`, however its bytes are split
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). The standard drops a last event
 * without its blank line; here it counts, because some servers close early.
 * @throws {Error} from `tooLarge`, when an event or a line exceeds 1,048,576 characters
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
  // The parser drops lines outside events without counting them.
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
