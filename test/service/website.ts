import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Website extends AsyncDisposable {
  url: string;
  page: string;
  pageBytes: number;
  /** Answers 503. */
  isDown: boolean;
  requests: number;
  /** Awaited before a page is answered. */
  beforeAnswer?: () => Promise<void>;
}

const firstPage =
  '<!doctype html><title>The Mill</title><h1>The Mill</h1><p>The mill on the hill grinds wheat from Monday to Friday.</p>';

/** A page on loopback. */
export async function startWebsite(): Promise<Website> {
  const answer = (response: ServerResponse) => {
    if (site.isDown) return void response.writeHead(503).end('Closed');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(site.page);
  };
  const server = createServer((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    site.requests++;
    void Promise.resolve(site.beforeAnswer?.()).then(() => answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const site: Website = {
    url: `http://127.0.0.1:${port}`,
    page: firstPage,
    pageBytes: Buffer.byteLength(firstPage),
    isDown: false,
    requests: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return site;
}
