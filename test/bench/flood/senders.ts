import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { answerQuestions } from '../replies/process.ts';

/** The flood comes from a process of its own, so that it doesn't slow down who measures. */
export type Senders = typeof doings;

/** A post that declares a body and never sends all of it. */
interface Stalled {
  url: string;
  count: number;
  headers: Record<string, string>;
  declaredBytes: number;
  sentBytes: number;
}

interface Unsigned {
  url: string;
  count: number;
  atOnce: number;
}

export interface StalledOutcome {
  /** Answers by status; those without are counted as 0. */
  statuses: Record<number, number>;
  /** How long the last of them stayed open, in seconds. */
  maxOpenSeconds: number;
  /** How many were still open when they were given up. */
  stillOpen: number;
}

/** What the stalled posts came to; each resolves once its connection is closed. */
const stalled: { status: number; closed: Promise<number>; give: () => void }[] = [];

const doings = {
  /** Sends posts of a kind; resolves once all are on their way. */
  async stall({ url, count, headers, declaredBytes, sentBytes }: Stalled): Promise<void> {
    const body = Buffer.alloc(sentBytes, ' ');
    await Promise.all(
      Array.from({ length: count }, () => sendStalled(url, { headers, declaredBytes, body })),
    );
  },
  /** Waits until the server has closed all stalled posts, but no longer than this. */
  async closed({ seconds }: { seconds: number }): Promise<StalledOutcome> {
    let stillOpen = 0;
    const timer = setTimeout(() => {
      for (const { give } of stalled) give();
    }, seconds * 1000);
    const open = await Promise.all(
      stalled.map(async ({ closed }) => {
        const ms = await closed;
        if (ms === Infinity) stillOpen += 1;
        return ms === Infinity ? seconds * 1000 : ms;
      }),
    );
    clearTimeout(timer);
    return {
      statuses: countBy(stalled.map(({ status }) => status)),
      maxOpenSeconds: Math.round(Math.max(...open) / 100) / 10,
      stillOpen,
    };
  },
  /** Sends short posts without a signature; resolves with how many got which status. */
  async unsigned({ url, count, atOnce }: Unsigned): Promise<Record<number, number>> {
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
    const statuses = await Promise.all(
      Array.from({ length: count }, () => sendUnsigned(url, agent)),
    );
    agent.destroy();
    return countBy(statuses);
  },
};

function sendStalled(
  url: string,
  {
    headers,
    declaredBytes,
    body,
  }: { declaredBytes: number; body: Buffer } & Pick<Stalled, 'headers'>,
): Promise<void> {
  const { port, pathname, host } = new URL(url);
  const head = Object.entries({ host, 'content-length': declaredBytes, ...headers });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const begun = performance.now();
  const sent = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number>();
  const socket = connect(Number(port), '127.0.0.1');
  const post = {
    status: 0,
    closed: closed.promise,
    give() {
      closed.resolve(Infinity);
      socket.destroy();
    },
  };
  stalled.push(post);
  socket.once('data', (data) => (post.status = Number(data.toString('latin1').slice(9, 12))));
  socket.on('error', () => {});
  socket.once('close', () => {
    closed.resolve(performance.now() - begun);
    sent.resolve();
  });
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines}\r\n`);
  socket.write(body, () => sent.resolve());
  return sent.promise;
}

function sendUnsigned(url: string, agent: Agent): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const headers = { 'content-type': 'application/json' };
  const sent = request(url, { method: 'POST', agent, headers }, (response) => {
    response.resume();
    response.once('close', () => resolve(response.statusCode ?? 0));
  });
  sent.once('error', () => resolve(0));
  sent.end('{"type":"event_callback","event":{"type":"message"}}');
  return promise;
}

function countBy(statuses: number[]): Record<number, number> {
  const groups = Object.groupBy(statuses, (status) => status);
  return Object.fromEntries(
    Object.entries(groups).map(([status, each = []]) => [status, each.length]),
  );
}

answerQuestions(doings);
