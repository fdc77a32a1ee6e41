import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters sent at once; more items make another part. */
const partLength = 64 * 1024;

/** A JSON array of the items, read a part at a time as they are sent. */
export function toJsonList(items: Iterable<unknown>): Response {
  return toResponse(renderList(items), { 'content-type': 'application/json' });
}

/** The texts one after the other, read a part at a time as they are sent. */
export function toTextList(texts: Iterable<string>, headers: Record<string, string>): Response {
  return toResponse(texts, headers);
}

function* renderList(items: Iterable<unknown>): Generator<string> {
  let separator = '[';
  for (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** A short text is sent whole. Between the parts of a longer one, others have their turn. */
function toResponse(texts: Iterable<string>, headers: Record<string, string>): Response {
  const parts = toParts(texts);
  const [first = '', second] = [parts.next().value, parts.next().value];
  if (second === undefined) return new Response(first, { headers });
  const encoder = new TextEncoder();
  const read = [first, second];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await nextTurn();
      const part = read.shift() ?? parts.next().value;
      if (part === undefined) controller.close();
      else controller.enqueue(encoder.encode(part));
    },
  });
  return new Response(body, { headers });
}

function* toParts(texts: Iterable<string>): Generator<string, undefined> {
  let part = '';
  for (const text of texts) {
    part += text;
    if (part.length < partLength) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}
