/**
 * The service over a socket: first bytes, many streams at once beside a bare server that streams the
 * same bytes, and kills. Prints a JSON line for each measure; run it with
 * `node test/bench/service.ts`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runKillRounds } from '../service/kill-rounds.ts';
import { type Started, startProcess } from './replies/process.ts';
import type { BareProcess } from './service/bare.ts';
import type { StreamScript } from './service/deltas.ts';
import type { ModelProcess } from './service/model.ts';
import { percentile, readStream, type StreamSight } from './service/readers.ts';
import type { ServiceProcess } from './service/served.ts';

const streamCount = 500;
const script: StreamScript = { deltas: 200, everyMs: 50 };
const key = 'bench-key';
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

await measureFirstByte();
await measureStreams();
await measureKills();

async function measureFirstByte(): Promise<void> {
  const few: StreamScript = { deltas: 5, everyMs: 1 };
  await withService(few, async ({ origin }) => {
    const sights: StreamSight[] = [];
    for (const session of await createSessions(origin, 60)) {
      const url = `${origin}/api/v1/session/${session}/message/stream`;
      sights.push(...(await readMany([url], few)));
    }
    const firsts = sights.slice(10).map(({ firstByteMs }) => firstByteMs);
    print('first byte of a streamed reply p50, ms', percentile(firsts, 0.5));
    print('first byte of a streamed reply p95, ms', percentile(firsts, 0.95));
  });
}

async function measureStreams(): Promise<void> {
  await using bare = startProcess<BareProcess>('../service/bare.ts');
  const bareUrl = await bare.ask('start', script);
  const bareSights = await readMany(Array.from({ length: streamCount }, () => bareUrl));
  report('bare server', bareSights, await bare.ask('memoryMb'));

  await withService(script, async ({ origin, served }) => {
    const sessions = await createSessions(origin, streamCount);
    const urls = sessions.map((uuid) => `${origin}/api/v1/session/${uuid}/message/stream`);
    print('service: RSS before, MB', await served.ask('memoryMb'));
    const sights = await readMany(urls);
    report('service', sights, await served.ask('memoryMb'), 260);
  });
}

/** A service on a directory of its own, whose model answers in the rhythm of the script. */
async function withService(
  rhythm: StreamScript,
  use: (service: { origin: string; served: Started<ServiceProcess> }) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
  try {
    await using model = startProcess<ModelProcess>('../service/model.ts');
    await using served = startProcess<ServiceProcess>('../service/served.ts');
    const modelUrl = await model.ask('start', rhythm);
    await use({ origin: await served.ask('start', { dataDir, key, modelUrl }), served });
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

async function measureKills(): Promise<void> {
  const rounds = await runKillRounds(20);
  print('kills in mid-stream and mid-ingestion', rounds.length);
  print('acknowledged things lost', rounds.flatMap(({ lost }) => lost).length, 0);
  print('replies that lost text', rounds.flatMap(({ lostText }) => lostText).length, 0);
  print('sources left unfinished', rounds.flatMap(({ unfinished }) => unfinished).length, 0);
  const broken = rounds.filter(({ integrity }) => integrity !== 'ok');
  print('failed integrity checks', broken.length, 0);
}

function readMany(urls: string[], { deltas } = script): Promise<StreamSight[]> {
  const body = JSON.stringify({ query: 'Tell me all you know.' });
  return Promise.all(urls.map((url) => readStream(url, { headers, body, deltas })));
}

async function createSessions(origin: string, count: number): Promise<string[]> {
  const chatbot = await post(`${origin}/api/v1/chatbot/create`, { name: 'Bench' });
  const sessions: string[] = [];
  for (let index = 0; index < count; index++) {
    sessions.push((await post(`${origin}/api/v1/chatbot/${chatbot.uuid}/session/create`)).uuid);
  }
  return sessions;
}

async function post(url: string, body: object = {}): Promise<{ uuid: string }> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as { uuid: string };
}

function report(what: string, sights: StreamSight[], memoryMb: number, goalMb?: number): void {
  const streams = `${sights.length} streams, ${what}`;
  const added = sights.flatMap(({ addedMs }) => addedMs);
  const delays = sights.flatMap(({ delaysMs }) => delaysMs);
  const firsts = sights.map(({ firstByteMs }) => firstByteMs);
  print(`${streams}: whole`, sights.filter(({ isWhole }) => isWhole).length);
  print(`${streams}: first byte p50, ms`, percentile(firsts, 0.5));
  print(`${streams}: first byte p95, ms`, percentile(firsts, 0.95));
  print(`${streams}: delay of a delta p95, ms`, percentile(delays, 0.95));
  print(`${streams}: gap added to a delta p95, ms`, percentile(added, 0.95));
  print(`${streams}: RSS, MB`, memoryMb, goalMb);
}

function print(measure: string, value: number, goal?: number): void {
  const row = { bench: 'service', measure, value: Math.round(value * 100) / 100, goal };
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
