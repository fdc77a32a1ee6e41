import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { DatabaseSync } from 'node:sqlite';
import { sourceProgress } from '../../src/shared/api/data-source.ts';
import {
  createChatbotClient,
  type ChatbotClient,
} from '../../src/bridge/chatbot/chatbot-client.ts';
import { ChatbotError } from '../../src/bridge/conversation/errors.ts';
import { createService } from '../../src/service/service.ts';
import { silentLog } from '../fixtures/log.ts';
import { Dispatcher } from 'undici';

/** What was amiss after a service was killed and started again; empty where nothing was. */
export interface KillRound {
  /** Things that had been acknowledged and are gone or changed. */
  lost: string[];
  /** Streamed text that a client had received, and did not get when it asked again. */
  lostText: string[];
  /** Sources that ended in neither success nor an error. */
  unfinished: string[];
  /** What SQLite's integrity check says. */
  integrity: string;
  /** How far the reply and the ingestion were when the process was killed. */
  killedAt: { characters: number; statuses: string[] };
}

/** What a service had acknowledged when it was killed. */
interface Acknowledged {
  session: string;
  sources: string[];
  answered: string;
  streamed: string;
  statuses: string[];
}

const key = 'a-key-to-be-killed-with';
const question = 'When does the lighthouse open, and what do tickets cost?';

/**
 * Kills the service with SIGKILL in the middle of a reply and of ingestion, again and again. The
 * signal kills it too, and so ends the round.
 */
export async function runKillRounds(rounds: number, signal?: AbortSignal): Promise<KillRound[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-kill-'));
  try {
    const results: KillRound[] = [];
    for (let round = 0; round < rounds; round++) {
      const acknowledged = await workAndKill(dataDir, 1 + round * 3, signal);
      results.push(await restartAndCheck(dataDir, acknowledged));
    }
    return results;
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

/** Kills the process once so many pieces of a reply were received, in the middle of ingestion. */
async function workAndKill(
  dataDir: string,
  pieces: number,
  signal: AbortSignal | undefined,
): Promise<Acknowledged> {
  const main = new URL('../../src/start.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, 'serve'], {
    cwd: dataDir,
    env: {
      ...clockEnv(),
      DATA_DIR: dataDir,
      PORT: '0',
      SERVICE_API_KEYS: key,
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  signal?.addEventListener('abort', () => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  try {
    await using client = createChatbotClient({
      baseUrl: await readOrigin(child.stdout),
      apiKey: key,
    });
    return await work(client, pieces, () => child.kill('SIGKILL'));
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

export async function readOrigin(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [origin] = /http:\/\/[\d.:]+/.exec(line) ?? [];
    if (origin !== undefined) return origin;
  }
  throw new Error('The service did not start');
}

async function work(
  client: ChatbotClient,
  pieces: number,
  kill: () => void,
): Promise<Acknowledged> {
  const { uuid: chatbot } = await client.createChatbot({ name: 'Guide' });
  const { uuid: session } = await client.createSession(chatbot);
  const { source } = await client.addQaSource(chatbot, { question, answer: longAnswer });
  await waitFor(client, chatbot, source.uuid);
  const params = { uuid: session };
  const body = { query: question };
  const { response: answered } = await client.call('sendMessage', { params, body });

  const sources = [source.uuid];
  const upload = async (name: string) => {
    const content = Readable.from([Buffer.from(`# ${name}\n\n${longText}`)]);
    const added = await client.uploadDataSource(chatbot, { name, content });
    sources.push(added.source.uuid);
  };
  for (const name of ['one.md', 'two.md']) await upload(name);
  const before: Acknowledged = { session, sources, answered, streamed: '', statuses: [] };
  let received = 0;
  try {
    for await (const delta of client.streamReply(session, question, { key })) {
      before.streamed += delta;
      received += 1;
      if (received < pieces || before.statuses.length > 0) continue;
      await upload('late.md');
      before.statuses = (await client.listDataSources(chatbot)).map(({ status }) => status);
      kill();
    }
    throw new Error('The reply ended before the service was killed');
  } catch (error) {
    if (error instanceof ChatbotError && error.kind === 'interrupted') return before;
    throw error;
  }
}

/** Under faketime, the service that is killed has the same clock as the next one. */
function clockEnv() {
  const isOfClock = (name: string) => name === 'LD_PRELOAD' || name.startsWith('FAKETIME');
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isOfClock(name)));
}

async function waitFor(client: ChatbotClient, chatbot: string, uuid: string): Promise<void> {
  for (;;) {
    const sources = await client.listDataSources(chatbot);
    if (sources.find((source) => source.uuid === uuid)?.status === 'success') return;
  }
}

async function restartAndCheck(dataDir: string, before: Acknowledged): Promise<KillRound> {
  const service = await createService({ dataDir, keys: [{ key }], log: silentLog });
  const dispatcher = new MemoryDispatcher(service.fetch);
  const client = createChatbotClient({ baseUrl: 'http://killed.test', apiKey: key, dispatcher });
  try {
    await service.settled();
    return { ...(await check(client, before)), integrity: checkIntegrity(dataDir) };
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

async function check(client: ChatbotClient, before: Acknowledged) {
  const { session, answered, streamed } = before;
  const chatbots = await client.listChatbots();
  const lists = await Promise.all(chatbots.map(({ uuid }) => client.listDataSources(uuid)));
  const sources = lists.flat();
  const again = (await Array.fromAsync(client.streamReply(session, question, { key }))).join('');
  const [whole, cut, ...others] = await client.listMessages(session);
  const known = new Set(sources.map(({ uuid }) => uuid));
  return {
    lost: [
      ...before.sources.filter((uuid) => !known.has(uuid)),
      ...(whole?.response === answered && whole.finish_reason === 'stop' ? [] : ['a message']),
      ...(cut?.query === question && others.length === 0 ? [] : ['a query']),
    ],
    lostText: again === answered && answered.startsWith(streamed) ? [] : [streamed],
    unfinished: sources
      .filter(({ status }) => sourceProgress(status) === 'waiting')
      .map(({ uuid, status }) => `${uuid} ${status}`),
    killedAt: { characters: streamed.length, statuses: before.statuses },
  };
}

function checkIntegrity(dataDir: string): string {
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'), { readOnly: true });
  try {
    const rows = database.prepare('PRAGMA integrity_check').all();
    return rows.map((row) => String(row['integrity_check'])).join('; ');
  } finally {
    database.close();
  }
}

const longAnswer = Array.from(
  { length: 30 },
  (_, day) => `On day ${day + 1} the lighthouse opens at nine and tickets cost ${day + 4} euros.`,
).join(' ');

const longText = Array.from(
  { length: 1000 },
  (_, index) => `Paragraph ${index} tells of keeper ${index * 7} and of the lamp he lit.\n\n`,
).join('');

type Answering = (request: Request) => Promise<Response>;

/** Lets undici's users talk to a `fetch` in the same process, with no socket in between. */
class MemoryDispatcher extends Dispatcher {
  readonly #answer: Answering;

  constructor(answer: Answering) {
    super();
    this.#answer = answer;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const exchange = createController();
    void this.#exchange(options, handler, exchange).catch((error: unknown) => {
      handler.onResponseError?.(exchange, exchange.reason ?? (error as Error));
    });
    return true;
  }

  async #exchange(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    exchange: Controller,
  ): Promise<void> {
    handler.onRequestStart?.(exchange, {});
    const response = await this.#answer(toRequest(options, exchange.left.signal));
    exchange.left.signal.throwIfAborted();
    const headers = Object.fromEntries(response.headers);
    handler.onResponseStart?.(exchange, response.status, headers, response.statusText);
    for await (const bytes of response.body ?? []) {
      exchange.left.signal.throwIfAborted();
      handler.onResponseData?.(exchange, Buffer.from(bytes));
    }
    exchange.left.signal.throwIfAborted();
    handler.onResponseEnd?.(exchange, {});
  }
}

interface Controller extends Dispatcher.DispatchController {
  left: AbortController;
}

/** Replies in tests are short: nothing waits for a reader. */
function createController(): Controller {
  const left = new AbortController();
  return {
    left,
    get aborted() {
      return left.signal.aborted;
    },
    get reason() {
      return (left.signal.reason as Error | undefined) ?? null;
    },
    paused: false,
    pause() {},
    resume() {},
    abort: (reason) => left.abort(reason),
  };
}

function toRequest(options: Dispatcher.DispatchOptions, signal: AbortSignal): Request {
  const { origin = '', path, method, body } = options;
  const headers = new Headers(options.headers as Record<string, string>);
  const sent = body instanceof Readable ? Readable.toWeb(body) : (body as string | undefined);
  return new Request(`${String(origin)}${path}`, {
    method,
    headers,
    signal,
    ...(sent !== undefined && { body: sent as NonNullable<RequestInit['body']>, duplex: 'half' }),
  });
}
