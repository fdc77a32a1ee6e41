import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { streamReply } from '../../../src/bridge/chatbot/reply-stream.ts';
import { acceptsEvents, toEventStream } from '../../../src/service/http/streamed-response.ts';

// Only what the stream sets is faked, so the count of timers is the stream's own.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A reply whose pieces come when the test says so. */
function createReply() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const events = toEventStream(readable, 10_000);
  return { writer, reader: events.getReader(), events };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

test('an event stream is read as the text it holds, whatever it looks like', async () => {
  const pieces = ['At\n\nnine', 'data: [DONE]\n\n', '[DONE]', '"quoted"', '{"text":"no"}', ' 😀'];
  const reply = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  const body = toEventStream(reply, 10_000);
  const transport = {
    stream: async () => ({ status: 200, header: () => 'text/event-stream', body }),
  };
  const read = await Array.fromAsync(streamReply(transport, 'session', 'When?'));
  expect(read).toEqual(pieces);
});

test('a comment is sent in each silence, and not beside text', async () => {
  const { writer, reader } = createReply();
  const read = async () => decoder.decode((await reader.read()).value);
  let next = read();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await next).toMatch(/^: .*\n\n$/);

  next = read();
  await vi.advanceTimersByTimeAsync(9000);
  void writer.write(encoder.encode('At'));
  expect(await next).toBe('data: "At"\n\n');
  next = read();
  await vi.advanceTimersByTimeAsync(9999);
  void writer.write(encoder.encode(' nine'));
  expect(await next).toBe('data: " nine"\n\n');

  next = read();
  void writer.close();
  expect(await next).toBe('data: [DONE]\n\n');
  expect(await reader.read()).toMatchObject({ done: true });
  expect(vi.getTimerCount()).toBe(0);
});

test('an event stream ends the reply when its reader leaves', async () => {
  const { writer, reader } = createReply();
  await reader.cancel();
  await expect(writer.closed).rejects.toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['text/plain, text/event-stream;q=0.5, */*;q=0.1', true],
  ['text/event-stream', true],
  ['text/plain, */*', false],
  ['', false],
])('a client that accepts %j can read events: %s', (accept, can) => {
  expect(acceptsEvents(accept)).toBe(can);
});
