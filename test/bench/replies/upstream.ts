import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { renderReply, renderToken, type Script } from './script.ts';

/** What the upstream tells while it streams. */
export interface UpstreamListener {
  /** A delta leaves. */
  onDelta(script: Script): void;
  /** The stream is about to end, in whichever way. */
  onEnd(script: Script): void;
}

/** A chatbot service that knows only what a turn needs, and says what the scripts say. */
export interface Upstream {
  origin: string;
  /** From now on queries are answered by these scripts. */
  load(scripts: readonly Script[]): void;
}

/** A model thinks this long before its first delta. */
const thinkingMs = 300;

export async function startUpstream(listener: UpstreamListener): Promise<Upstream> {
  const scripts = new Map<string, Script>();
  const asked = new Map<string, Script>();
  let sessions = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, resource, uuid = '', rest] =
      /^\/api\/v1\/(chatbot|session)\/([^/]+)\/(.+)$/.exec(request.url?.split('?', 1)[0] ?? '') ??
      [];
    const operation = `${resource} ${rest}`;
    if (operation === 'chatbot session/create') {
      await text(request);
      return answerJson(response, { uuid: `session-${++sessions}`, ...times() });
    }
    if (operation === 'session messages') {
      const script = asked.get(uuid);
      const stored = script && script.diesAfter === undefined;
      return answerJson(response, stored ? [renderStored(script)] : []);
    }
    if (operation !== 'session message/stream') return answerJson(response, { error: 'no' }, 404);
    const { query } = JSON.parse(await text(request)) as { query: string };
    const script = scripts.get(query);
    if (!script) return answerJson(response, { error: `No script answers “${query}”.` }, 404);
    asked.set(uuid, script);
    await sleep(thinkingMs);
    await stream(script, response, listener);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    load(loaded) {
      scripts.clear();
      asked.clear();
      for (const script of loaded) scripts.set(script.query, script);
    },
  };
}

async function stream(
  script: Script,
  response: ServerResponse,
  { onDelta, onEnd }: UpstreamListener,
): Promise<void> {
  const { tokens, overMs, diesAfter = tokens } = script;
  const gap = overMs / (tokens - 1);
  const start = performance.now();
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  for (let sent = 0; sent < diesAfter && !response.destroyed;) {
    await sleep(Math.max(0, start + sent * gap - performance.now()));
    const due = Math.min(diesAfter, 1 + Math.floor((performance.now() - start) / gap));
    for (; sent < due; sent += 1) {
      response.write(renderToken(sent + 1, script));
      onDelta(script);
    }
  }
  if (diesAfter < tokens) {
    await sleep(gap);
    onEnd(script);
    response.destroy();
  } else {
    onEnd(script);
    response.end();
  }
}

function renderStored(script: Script): object {
  return {
    uuid: `message-${script.query}`,
    query: script.query,
    response: renderReply(script),
    cite_data_json: '{}',
    finish_reason: 'stop',
    meta_json: '{}',
    error_message: '',
    ...times(),
  };
}

function times() {
  const now = new Date().toISOString();
  return { created_at: now, modified_at: now };
}

function answerJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
