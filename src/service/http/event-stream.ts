const comment = new TextEncoder().encode(': still working\n\n');
const end = new TextEncoder().encode('data: [DONE]\n\n');

/** Whether a client can read events: it names them in its `accept`, whatever it prefers. */
export function acceptsEvents(accept: string): boolean {
  return /\btext\/event-stream\b/i.test(accept);
}

/**
 * A reply in UTF-8 as an event stream
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html): each piece is an event that
 * holds a JSON string. A comment in each silence of `everyMs` shows that the reply is still coming,
 * which plain text can't.
 */
export function toEventStream(
  reply: ReadableStream<Uint8Array>,
  everyMs: number,
): ReadableStream<Uint8Array> {
  const reader = reply.getReader();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const encoder = new TextEncoder();
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
        controller.enqueue(end);
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
