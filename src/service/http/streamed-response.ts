/** Min characters of a part: short items are sent together. */
const partLength = 64 * 1024;

/** Keeps proxies from buffering the stream. */
const unbuffered = { 'x-accel-buffering': 'no' };

const encoder = new TextEncoder();
const comment = encoder.encode(': still working\n\n');
const endOfEvents = encoder.encode('data: [DONE]\n\n');

/** A JSON array. The items are read a part at a time, as they are sent. */
export function toJsonList(items: Iterable<unknown> | AsyncIterable<unknown>): Promise<Response> {
  return toResponse(renderList(items), { 'content-type': 'application/json' });
}

/** Plain text. An iterable is read a part at a time, as it is sent. */
export async function toText(
  texts: ReadableStream<Uint8Array> | AsyncIterable<string>,
): Promise<Response> {
  const headers = { 'content-type': 'text/plain; charset=utf-8', ...unbuffered };
  return texts instanceof ReadableStream
    ? new Response(texts, { headers })
    : toResponse(texts, headers);
}

/** A reply as an event stream: see `toEventStream`. */
export function toEvents(reply: ReadableStream<Uint8Array>, everyMs: number): Response {
  return new Response(toEventStream(reply, everyMs), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...unbuffered },
  });
}

/** Whether a client can read events: its `accept` names them, with any preference. */
export function acceptsEvents(accept: string): boolean {
  return /\btext\/event-stream\b/i.test(accept);
}

/**
 * A reply in UTF-8 as an event stream
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html): each piece is an event that
 * holds a JSON string. A comment after each silence of `everyMs` shows that the reply is still
 * coming, which plain text can't.
 */
export function toEventStream(
  reply: ReadableStream<Uint8Array>,
  everyMs: number,
): ReadableStream<Uint8Array> {
  const reader = reply.getReader();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let timer: NodeJS.Timeout | undefined;

  return new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        // A reader that is behind has something to read.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment);
      }, everyMs);
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        timer?.refresh();
        if (!done) {
          const text = decoder.decode(value, { stream: true });
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(text)}\n\n`));
          return;
        }
        clearInterval(timer);
        controller.enqueue(endOfEvents);
        controller.close();
      } catch (error) {
        clearInterval(timer);
        controller.error(error);
      }
    },
    cancel(reason) {
      clearInterval(timer);
      return reader.cancel(reason);
    },
  });
}

async function* renderList(
  items: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<string> {
  let separator = '[';
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** A short text is sent whole. */
async function toResponse(
  texts: AsyncIterable<string>,
  headers: Record<string, string>,
): Promise<Response> {
  const parts = toParts(texts);
  const { value: first = '' } = await parts.next();
  const { value: second } = await parts.next();
  if (second === undefined) return new Response(first, { headers });
  const read = [first, second];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = read.shift() ?? (await parts.next()).value;
      if (part === undefined) controller.close();
      else controller.enqueue(encoder.encode(part));
    },
    cancel: () => void parts.return(undefined),
  });
  return new Response(body, { headers });
}

async function* toParts(texts: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let part = '';
  for await (const text of texts) {
    part += text;
    if (part.length < partLength) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}
