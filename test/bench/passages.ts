/**
 * How fast passages are stored and found, at 10 000 and 100 000 of them. Prints a JSON line for each
 * measure; run it with `node test/bench/passages.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRetriever } from '../../src/service/retrieval/retrieve.ts';
import { openStore } from '../../src/service/store/store.ts';
import { addSource } from '../fixtures/add-source.ts';
import { createZipfText } from './zipf.ts';

const passagesPerSource = 100;
const queryCount = 200;

const text = createZipfText(42);
const folder = mkdtempSync(join(tmpdir(), 'passages-'));
const store = await openStore(join(folder, 'bench.sqlite'));
const retriever = createRetriever(store);
let stored = 0;
for (const passages of [10_000, 100_000]) {
  const rate = await fill(passages);
  const times: number[] = [];
  for (let count = 0; count < queryCount; count += 1) times.push(await timeQuery());
  times.sort((one, other) => one - other);
  report(passages, {
    passages_per_second: Math.round(rate),
    query_p50_ms: times[Math.floor(queryCount / 2)],
    query_p95_ms: times[Math.floor(queryCount * 0.95)],
    rss_mb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
  });
}
const begin = performance.now();
await store.passages.remove('source-0');
report(stored, { remove_source_ms: performance.now() - begin });
await store[Symbol.asyncDispose]();
rmSync(folder, { recursive: true });

function report(passages: number, measures: Record<string, number | undefined>): void {
  for (const [measure, value = 0] of Object.entries(measures)) {
    const row = { bench: 'passages', passages, measure, value: Math.round(value * 10) / 10 };
    process.stdout.write(`${JSON.stringify(row)}\n`);
  }
}

/** Stores passages up to that many, and tells how many a second. */
async function fill(upTo: number): Promise<number> {
  const first = stored;
  let spent = 0;
  while (stored < upTo) {
    const uuid = `source-${Math.floor(stored / passagesPerSource)}`;
    const passages = Array.from({ length: passagesPerSource }, text.passage);
    const begin = performance.now();
    const source = { uuid, title: uuid, file_name: `${uuid}.txt`, type: 'file' };
    await addSource(store, 'bench', source, passages);
    spent += performance.now() - begin;
    stored += passages.length;
  }
  return ((stored - first) / spent) * 1000;
}

async function timeQuery(): Promise<number> {
  const query = text.query();
  const begin = performance.now();
  await retriever.retrieve(query, { chatbot: 'bench' }, { limit: 6 });
  return performance.now() - begin;
}
