import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a request to `/chat/completions` held. */
export interface SeenCompletion {
  authorization: string | undefined;
  body: {
    model: string;
    temperature: number;
    stream: boolean;
    messages: { role: string; content: string }[];
  };
}

/** What a request to `/embeddings` held. */
interface SeenEmbedding {
  authorization: string | undefined;
  body: { model: string; input: string[] };
}

export interface ModelServer extends AsyncDisposable {
  /** With `/v1`. */
  baseUrl: string;
  seen: SeenCompletion[];
  /** How the next completions are answered. */
  answer: (response: ServerResponse, request: SeenCompletion) => void | Promise<void>;
  seenEmbeddings: SeenEmbedding[];
  /** How the next texts are embedded. */
  embed: (response: ServerResponse, input: string[]) => void | Promise<void>;
}

/** A server on loopback that speaks as much of OpenAI's API as the service needs. */
export async function startModelServer(): Promise<ModelServer> {
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end('{"data":[{"id":"small"},{"id":"large"}]}');
    }
    void text(request).then((json) => {
      const { authorization } = request.headers;
      const body: unknown = JSON.parse(json);
      if (request.url === '/v1/embeddings') {
        const seen = { authorization, body } as SeenEmbedding;
        models.seenEmbeddings.push(seen);
        return models.embed(response, seen.body.input);
      }
      const seen = { authorization, body } as SeenCompletion;
      models.seen.push(seen);
      return models.answer(response, seen);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const models: ModelServer = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    seen: [],
    answer: (response) => sendCompletion(response, ['At nine.']),
    seenEmbeddings: [],
    embed: (response, input) =>
      sendEmbeddings(
        response,
        input.map(() => [1, 0]),
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return models;
}

export function sendCompletion(
  response: ServerResponse,
  deltas: string[],
  finishReason: string | null = 'stop',
): void {
  beginStream(response);
  for (const delta of deltas) sendDelta(response, delta);
  if (finishReason !== null)
    sendEvent(response, { choices: [{ delta: {}, finish_reason: finishReason }] });
  response.end('data: [DONE]\n\n');
}

export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

export function sendDelta(response: ServerResponse, content: string): void {
  sendEvent(response, { choices: [{ index: 0, delta: { content }, finish_reason: null }] });
}

export function sendEvent(response: ServerResponse, data: object): void {
  response.write(`data: ${JSON.stringify(data)}\n\n`);
}

/** Resolves once the event is on its way, or the reader has left. */
export function writeEvent(response: ServerResponse, data: object): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    response.off('drain', done);
    response.off('close', done);
    resolve();
  };
  if (response.write(`data: ${JSON.stringify(data)}\n\n`)) return Promise.resolve();
  response.on('drain', done);
  response.on('close', done);
  return promise;
}

/** The vectors in backward order, as their `index` allows. */
export function sendEmbeddings(response: ServerResponse, vectors: number[][]): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const data = vectors.map((embedding, index) => ({ index, embedding })).toReversed();
  response.end(JSON.stringify({ data }));
}
