import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A chatbot service with one source that is ingested for as long as a test wants. */
export interface IngestingService extends AsyncDisposable {
  origin: string;
  /** Sets the source's status from now on. */
  status: string;
  /** Resolves when the sources are requested. */
  listing: Promise<void>;
  /** Resolves when a tag is being created, which is never answered. */
  creatingTag: Promise<void>;
  /** How many requests changed something. */
  changes(): number;
}

export async function startIngestingService(): Promise<IngestingService> {
  const listing = Promise.withResolvers<void>();
  const creatingTag = Promise.withResolvers<void>();
  let changes = 0;

  function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    const source = { ...page, status: service.status };
    if (method === 'POST') changes += 1;
    if (url.endsWith('/data-sources')) listing.resolve();
    if (url.endsWith('/source-tag/create')) return creatingTag.resolve();
    const found = url.endsWith('/source-tags')
      ? []
      : url.endsWith('/data-source/url')
        ? source
        : url.endsWith('/data-sources') && [source];
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found || { error: 'unknown' }));
  }

  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const service: IngestingService = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    status: 'embedding',
    listing: listing.promise,
    creatingTag: creatingTag.promise,
    changes: () => changes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

const page = {
  uuid: 'a'.repeat(32),
  title: 'Handbook',
  file_name: 'handbook',
  file_size: 1200,
  tokens: 300,
  type: 'link',
  created_at: '2026-09-12T10:00:00Z',
  modified_at: '2026-09-12T10:00:00Z',
};
