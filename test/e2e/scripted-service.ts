import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createInbox } from '../fixtures/inbox.ts';

/** A query that reached the service. The test gives its reply. */
export interface Asked {
  session: string;
  query: string;
  /** The ids of the documents beside it. */
  documents: string[];
  /** Answers with a status and a body, and no stream. */
  refuse(status: number, body: string): void;
  /** Streams a piece of the reply. */
  write(piece: string): void;
  end(): void;
  /** Breaks the connection. */
  die(): void;
  /** Stores this reply to the query, with other fields if given. */
  store(response: string, fields?: object): void;
}

/** A scripted chatbot service over HTTP, with what a turn needs. */
export interface ScriptedService extends AsyncDisposable {
  origin: string;
  /** The next query that arrives. */
  asked(): Promise<Asked>;
  /** The forms of the files that were added, by the ids that they got. */
  documents: Map<string, string>;
  /** Refuses files with a status and a body, from now on. */
  refuseFiles(status: number, body: object): void;
}

export async function startScriptedService(): Promise<ScriptedService> {
  const queries = createInbox<Asked>();
  const stored = new Map<string, object[]>();
  const documents = new Map<string, string>();
  let refusal: { status: number; body: object } | undefined;
  let sessions = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0] ?? '';
    if (path.startsWith('/api/v1/chatbot/') && request.method === 'GET') {
      return answerJson(response, 200, chatbotFields);
    }
    const body = await text(request);
    if (path === '/api/v1/session-document/upload') {
      if (refusal) return answerJson(response, refusal.status, refusal.body);
      const uuid = `document-${documents.size + 1}`;
      documents.set(uuid, body);
      return answerJson(response, 200, { uuid, file_name: '', file_size: 0, ...times() });
    }
    const [, session = '', rest] = /^\/api\/v1\/session\/([^/]+)\/(.+)$/.exec(path) ?? [];
    if (path.endsWith('/session/create')) {
      return answerJson(response, 200, { uuid: `session-${++sessions}`, ...times() });
    }
    if (rest === 'messages') return answerJson(response, 200, stored.get(session) ?? []);
    if (rest !== 'message/stream') return answerJson(response, 404, { error: 'unknown' });
    const { query, session_document_uuids: named = [] } = JSON.parse(body) as {
      query: string;
      session_document_uuids?: string[];
    };
    queries.put({
      session,
      query,
      documents: named,
      refuse: (status, refusal) => response.writeHead(status).end(refusal),
      write: (piece) => void response.write(piece),
      end: () => response.end(),
      die: () => response.destroy(),
      store: (reply, fields) =>
        void stored.set(session, [{ ...toMessage(query, reply), ...fields }]),
    });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: queries.next,
    documents,
    refuseFiles: (status, body) => void (refusal = { status, body }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toMessage(query: string, response: string): object {
  return {
    uuid: 'message',
    query,
    response,
    cite_data_json: '{}',
    finish_reason: 'stop',
    meta_json: '{}',
    error_message: '',
    ...times(),
  };
}

/** Every chatbot exists. */
const chatbotFields = { uuid: 'bot', name: 'Scripted', meta: {}, ...times() };

function times() {
  const now = new Date().toISOString();
  return { created_at: now, modified_at: now };
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
