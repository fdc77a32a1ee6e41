import { setTimeout as sleep } from 'node:timers/promises';

/** How a reply is streamed, and what becomes of it. */
export interface ReplyPlan {
  /** Pieces of ten words. */
  pieces: number;
  /** Time between them, in ms. */
  gapMs: number;
  /**
   * What the service does once the reader has gone: it completes the reply, leaves what it has, or
   * forgets the query. Services in the field do all three.
   */
  deserted: 'completes' | 'leaves' | 'forgets';
  /**
   * The service refuses the query with 503 (`refused-once`: the first time only), breaks off after
   * the first piece, or hangs up then but completes the reply.
   */
  fails?: 'refused' | 'refused-once' | 'broken' | 'hung-up';
}

/** A query that reached the service. */
export interface Asked {
  readonly query: string;
  readonly session: string;
  /** The whole reply. */
  readonly text: string;
  /** What the service has of it, as the session's messages show it. */
  stored: 'nothing' | 'part' | 'whole';
  /** When it was asked, and when the reply was stored whole, by `performance.now()`. */
  readonly at: number;
  wholeAt?: number;
}

/** A chatbot service that knows what a turn needs, and whose every reply can be told apart. */
export interface ScriptedService {
  /** `hangUp` closes the connection of the request. */
  fetch(request: Request, hangUp: () => void): Promise<Response>;
  /** All queries that arrived, oldest first. */
  readonly asked: readonly Asked[];
  /** Number of replies being made, whether or not somebody reads them. */
  readonly busy: number;
}

export interface ScriptedServiceOptions {
  planFor(query: string): ReplyPlan;
  /** Called after each piece that was sent, and after a reply has ended. */
  onProgress(what: 'delta' | 'end'): void;
}

/** A message as the service's API shows it. */
interface StoredMessage {
  asked: Asked;
  uuid: string;
  response: string;
  finishReason: string;
  at: string;
}

const encoder = new TextEncoder();

export function createScriptedService(options: ScriptedServiceOptions): ScriptedService {
  const asked: Asked[] = [];
  const sessions = new Map<string, StoredMessage[]>();
  let busy = 0;

  async function make(entry: Asked, plan: ReplyPlan, send: Send): Promise<void> {
    const message = open(entry);
    const messages = sessions.get(entry.session) ?? [];
    sessions.set(entry.session, messages);
    if (plan.deserted !== 'forgets') messages.push(message);
    for (const piece of cut(entry.text, plan.pieces)) {
      const hasReader = send.piece(piece);
      if (!hasReader && plan.deserted !== 'completes') return;
      if (plan.fails === 'broken') return send.break();
      if (plan.fails === 'hung-up') send.break();
      message.response += piece;
      if (messages.includes(message)) entry.stored = 'part';
      if (hasReader) options.onProgress('delta');
      await sleep(plan.gapMs);
    }
    if (!messages.includes(message)) messages.push(message);
    message.finishReason = 'stop';
    entry.stored = 'whole';
    entry.wholeAt = performance.now();
    send.end();
    options.onProgress('end');
  }

  function answer(session: string, query: string, hangUp: () => void): Response {
    const count = asked.filter((each) => each.query === query).length + 1;
    const plan = options.planFor(query);
    const written = write(query, count, plan);
    const at = performance.now();
    const entry: Asked = { query, session, text: written, stored: 'nothing', at };
    asked.push(entry);
    const isRefused = plan.fails === 'refused' || (plan.fails === 'refused-once' && count === 1);
    if (isRefused) return Response.json({ error: 'overloaded' }, { status: 503 });
    busy += 1;
    let gone = false;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        void make(
          entry,
          plan,
          toSend(controller, hangUp, () => gone),
        ).finally(() => (busy -= 1));
      },
      cancel: () => void (gone = true),
    });
    return new Response(body, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  }

  return {
    asked,
    get busy() {
      return busy;
    },
    async fetch(request, hangUp) {
      const { pathname, searchParams } = new URL(request.url);
      const [, session = '', rest] = /\/session\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
      const [, chatbot] = /\/chatbot\/([^/]+)$/.exec(pathname) ?? [];
      if (chatbot !== undefined) {
        const uuid = chatbot === 'create' ? crypto.randomUUID() : chatbot;
        return Response.json({ uuid, name: 'Causeway', ...times() });
      }
      if (pathname.endsWith('/session/create')) {
        return Response.json({ uuid: crypto.randomUUID(), ...times() });
      }
      if (pathname.endsWith('/agents')) return Response.json([]);
      if (rest === 'message/stream') {
        const { query } = (await request.json()) as { query: string };
        return answer(session, query, hangUp);
      }
      if (rest !== 'messages') return Response.json({ error: 'unknown' }, { status: 404 });
      const messages = (sessions.get(session) ?? []).map(toJson);
      const newest = searchParams.get('limit') === '1' && searchParams.get('order') === 'desc';
      return Response.json(newest ? messages.slice(-1) : messages);
    },
  };
}

/** The name that a question carries and its reply repeats, as `q17.2`. */
export function nameIn(text: string): string | undefined {
  return /\bq\d+\.\d+\b/.exec(text)?.[0];
}

/** No two replies are alike: each says which question it answers, and how often that was asked. */
function write(query: string, count: number, { pieces }: ReplyPlan): string {
  const words = Array.from({ length: pieces * 10 }, (_, index) => `w${index + 1}`);
  const subject = /^What is (.+)\?$/.exec(query)?.[1] ?? query;
  return `Answer to ${subject}, time ${count}: ${words.join(' ')} end [1.1].`;
}

function cut(text: string, pieces: number): string[] {
  const length = Math.ceil(text.length / pieces);
  return Array.from({ length: pieces }, (_, at) => text.slice(at * length, (at + 1) * length));
}

interface Send {
  /** False once nobody reads. */
  piece(text: string): boolean;
  end(): void;
  break(): void;
}

function toSend(
  controller: ReadableStreamDefaultController<Uint8Array>,
  hangUp: () => void,
  isGone: () => boolean,
): Send {
  return {
    piece(text) {
      if (!isGone()) controller.enqueue(encoder.encode(text));
      return !isGone();
    },
    end() {
      if (!isGone()) controller.close();
    },
    break: hangUp,
  };
}

function open(asked: Asked): StoredMessage {
  const at = new Date().toISOString();
  return { asked, uuid: crypto.randomUUID(), response: '', finishReason: '', at };
}

function toJson({ asked, uuid, response, finishReason, at }: StoredMessage): object {
  const cited = { title: 'A source', text: 'A passage', file_name: 'source.md', type: 'file' };
  return {
    uuid,
    query: asked.query,
    response,
    cite_data_json: JSON.stringify({ '1.1': { data_source_uuid: 'source', ...cited } }),
    finish_reason: finishReason,
    meta_json: '{}',
    error_message: '',
    created_at: at,
    modified_at: at,
  };
}

function times() {
  const now = new Date().toISOString();
  return { created_at: now, modified_at: now };
}
