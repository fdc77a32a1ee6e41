import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of the Web API. */
export interface ApiCall {
  method: string;
  token: string | undefined;
  params: Record<string, string>;
}

/** A Web API on loopback that answers as it is told to. */
export interface FakeSlackApi extends AsyncDisposable {
  url: string;
  calls: ApiCall[];
}

/** @param answer gives the body of the response */
export async function serveSlackApi(answer: (call: ApiCall) => object): Promise<FakeSlackApi> {
  const calls: ApiCall[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      const token = request.headers.authorization?.replace('Bearer ', '');
      const params = Object.fromEntries(new URLSearchParams(body));
      const call = { method: pathname.replace('/api/', ''), token, params };
      calls.push(call);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer(call)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
