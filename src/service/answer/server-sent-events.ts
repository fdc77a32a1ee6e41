const maxCharacters = 1024 * 1024;

/**
 * The data of each event of a `text/event-stream`, however its bytes are cut
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). Names and ids of events are not
 * needed here. Throws where one event grows past a million characters.
 */
export async function* readServerSentEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void> {
  let data: string[] = [];
  for await (const line of readLines(bytes)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
      continue;
    }
    const [, value] = /^data(?:: ?(.*))?$/s.exec(line) ?? [];
    if (line === 'data' || value !== undefined) data.push(value ?? '');
  }
  // The standard drops an event whose blank line never came; servers that close early still mean it.
  if (data.length > 0) yield data.join('\n');
}

/** Lines that end in LF, CR LF or CR. */
async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of bytes) {
    rest += decoder.decode(part, { stream: true });
    if (rest.length > maxCharacters) throw new Error('An event of the stream is too large');
    // A CR at the end may be half of a CR LF: the next part tells.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(end);
    yield* lines;
  }
  rest += decoder.decode();
  yield* rest.split(/\r\n|\n|\r/);
}
