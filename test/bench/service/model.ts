import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from '../replies/process.ts';
import { createDeltas, type StreamScript } from './deltas.ts';

/** A process with a model server that answers every completion in the rhythm of a script. */
export type ModelProcess = typeof doings;

const doings = { start };
answerQuestions(doings);

async function start(script: StreamScript): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void (async () => {
      for await (const content of createDeltas(script)) {
        if (response.destroyed) return;
        response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
      }
      response.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    })();
  });
  server.listen(0, '127.0.0.1', 4096);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
