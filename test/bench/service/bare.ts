import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from '../replies/process.ts';
import { createDeltas, type StreamScript } from './deltas.ts';

/** A process with a bare server that streams the same bytes as the service. */
export type BareProcess = typeof doings;

const doings = { start, memoryMb: () => process.resourceUsage().maxRSS / 1024 };
answerQuestions(doings);

async function start(script: StreamScript): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    void (async () => {
      for await (const delta of createDeltas(script)) response.write(delta);
      response.end();
    })();
  });
  server.listen(0, '127.0.0.1', 4096);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
