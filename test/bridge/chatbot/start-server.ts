import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface TestServer extends AsyncDisposable {
  url: string;
  port: number;
  /** Requests whose body has arrived, in order. */
  seen: SeenRequest[];
  connections(): number;
}

/** A node:http server on loopback that answers each request once its body has arrived. */
export async function startServer(
  answer: (request: SeenRequest, response: ServerResponse) => void,
  port = 0,
): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  let connections = 0;
  async function receive(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request).catch(() => undefined);
    // Nobody waits for the answer to a request that breaks off.
    if (!body) return;
    const each = { method, url, headers, body: body.toString('latin1') };
    seen.push(each);
    answer(each, response);
  }
  const server = createServer((request, response) => void receive(request, response));
  server.on('connection', () => {
    connections++;
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    seen,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
