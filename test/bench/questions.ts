/**
 * How fast questions are answered about a chatbot with 10,000 passages: how long ranking takes, how
 * many answers a second a service gives over a socket, and when their first byte comes with fifty
 * questions at once. No two questions are the same. Prints a JSON line for each measure; run it with
 * `node test/bench/questions.ts`.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRetriever, type Retriever } from '../../src/service/retrieval/retrieve.ts';
import { openStore } from '../../src/service/store/store.ts';
import { addSource } from '../fixtures/add-source.ts';
import { startProcess } from './replies/process.ts';
import { percentile } from './service/readers.ts';
import type { ServiceProcess } from './service/served.ts';
import { createZipfText } from './zipf.ts';

const passageCount = 10_000;
const passagesPerSource = 100;
const rankedCount = 200;
const coldCount = 20;
const askedCount = 200;
const atOnce = 50;
/** Of questions at once: the first ones of a process, and those that follow once it is warm. */
const firstRounds = 10;
const laterRounds = 10;
const key = 'a-key-for-the-bench';
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const text = createZipfText(42);

const dataDir = await mkdtemp(join(tmpdir(), 'causeway-questions-'));
const path = join(dataDir, 'service.sqlite');
try {
  await using served = startProcess<ServiceProcess>('../service/served.ts');
  const origin = await served.ask('start', { dataDir, key });
  const { uuid: chatbot } = await post(`${origin}/api/v1/chatbot/create`, { name: 'Bench' });
  await post(`${origin}/api/v1/chatbot/${chatbot}/update`, { rate_limit: [100, 1] });
  await fill(chatbot);
  await measureRanking(chatbot);
  await measureService(origin, chatbot);
  print('RSS of the service, MB', await served.ask('memoryMb'));
} finally {
  await rm(dataDir, { recursive: true });
}

async function fill(chatbot: string): Promise<void> {
  await using store = await openStore(path);
  for (let source = 0; source < passageCount / passagesPerSource; source += 1) {
    const uuid = `source${source}`;
    const passages = Array.from({ length: passagesPerSource }, text.passage);
    const file = { title: uuid, file_name: `${uuid}.txt`, type: 'upload' };
    await addSource(store, chatbot, { uuid, ...file }, passages);
  }
}

/**
 * By CPU time, which a busy machine adds less to: that of the process, as a thread's alone is counted in
 * steps of 4 ms on some machines. V8's own threads are part of it.
 */
async function measureRanking(chatbot: string): Promise<void> {
  const cold: number[] = [];
  for (let count = 0; count < coldCount; count += 1) {
    await using store = await openStore(path);
    cold.push(await timeRanking(createRetriever(store), chatbot, text.query()));
  }
  await using store = await openStore(path);
  const retriever = createRetriever(store);
  const queries = Array.from({ length: rankedCount }, text.query);
  const rank = async () => {
    const times: number[] = [];
    for (const query of queries) times.push(await timeRanking(retriever, chatbot, query));
    return times;
  };
  const first = await rank();
  const again = await rank();
  print('ranking, the first question of a process, p50, ms', percentile(cold, 0.5));
  print('ranking, new questions, p50, ms', percentile(first, 0.5), 5);
  print('ranking, new questions, p95, ms', percentile(first, 0.95));
  print('ranking, questions asked before, p50, ms', percentile(again, 0.5), 5);
}

async function timeRanking(retriever: Retriever, chatbot: string, query: string): Promise<number> {
  const before = process.cpuUsage();
  await retriever.retrieve(query, { chatbot }, { limit: 10 });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function measureService(origin: string, chatbot: string): Promise<void> {
  const urls = await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const { uuid } = await post(`${origin}/api/v1/chatbot/${chatbot}/session/create`);
      return `${origin}/api/v1/session/${uuid}/message`;
    }),
  );
  // What search sees is in memory.
  await post(`${urls[0]}/non-stream`, { query: text.query() });

  const begun = performance.now();
  for (let asked = 0; asked < askedCount; asked += 1) {
    await post(`${urls[asked % atOnce]}/non-stream`, { query: text.query() });
  }
  print('questions a second, one after another', (askedCount / (performance.now() - begun)) * 1000);

  const ask = async (rounds: number): Promise<number[]> => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const asked = urls.map((url) => timeFirstByte(`${url}/stream`, text.query()));
      times.push(...(await Promise.all(asked)));
    }
    return times;
  };
  const first = await ask(firstRounds);
  const later = await ask(laterRounds);
  print(`${atOnce} questions at once, a new process: first byte p50, ms`, percentile(first, 0.5));
  print(`${atOnce} questions at once, a new process: first byte p95, ms`, percentile(first, 0.95));
  print(`${atOnce} questions at once: first byte p50, ms`, percentile(later, 0.5));
  print(`${atOnce} questions at once: first byte p95, ms`, percentile(later, 0.95), 300);
}

/**
 * Reads a reply to its end, and returns when its first byte came. It does so on a bare socket: this
 * process shares the machine with the service, so it does as little as it can.
 */
async function timeFirstByte(url: string, query: string): Promise<number> {
  const { host, hostname, port, pathname } = new URL(url);
  const body = JSON.stringify({ query });
  const fields = Object.entries({
    ...headers,
    host,
    connection: 'close',
    'content-length': body.length,
  });
  const askedMs = performance.now();
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${pathname} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
  let response = '';
  while (!/\r\n\r\n./s.test(response)) response += String((await once(socket, 'data'))[0]);
  const ms = performance.now() - askedMs;
  socket.resume();
  await once(socket, 'end');
  return ms;
}

async function post(url: string, body: object = {}): Promise<{ uuid: string }> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as { uuid: string };
}

function print(measure: string, value: number, goal?: number): void {
  const row = { bench: 'questions', measure, value: Math.round(value * 10) / 10, goal };
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
