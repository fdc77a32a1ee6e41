/**
 * How fast the nearest of a chatbot's vectors are found, and how long they take to come into memory.
 * Prints a JSON line for each measure; run it with `node test/bench/vectors.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Passage } from '../../src/service/ingestion/passages.ts';
import { openStore } from '../../src/service/store/store.ts';
import { addSource } from '../fixtures/add-source.ts';

const modelName = 'bench';
const searchCount = 100;
const candidateLimit = 50;
const passagesPerSource = 500;

for (const [passages, dimensions] of [
  [10_000, 384],
  [10_000, 1536],
  [40_000, 384],
] as const) {
  await measure(passages, dimensions);
}

async function measure(passages: number, dimensions: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vectors-'));
  const store = await openStore(join(folder, 'bench.sqlite'));
  for (let stored = 0; stored < passages; stored += passagesPerSource) {
    const uuid = `source-${stored}`;
    const source = { uuid, title: '', file_name: '', type: 'upload' };
    await addSource(store, 'bot', source, Array.from({ length: passagesPerSource }, toPassage));
    const version = (await store.passages.liveVersion(uuid)) ?? 0;
    const missing = await store.vectors.listMissing(version, modelName, passagesPerSource);
    const vectors = missing.map(({ id }) => ({ id, vector: toVector(dimensions) }));
    await store.transaction((tx) => tx.vectors.put(modelName, vectors));
  }
  const search = async () => {
    const begin = performance.now();
    const query = { model: modelName, vector: toVector(dimensions) };
    const found = await store.similar.search(query, { chatbot: 'bot' }, candidateLimit);
    if (found?.length !== candidateLimit) throw new Error('The vectors do not fit into memory');
    return performance.now() - begin;
  };
  const first = await search();
  const times: number[] = [];
  for (let count = 0; count < searchCount; count += 1) times.push(await search());
  times.sort((one, other) => one - other);
  const measures = {
    load_and_search_ms: first,
    search_p50_ms: times[Math.floor(searchCount / 2)] ?? 0,
    search_p95_ms: times[Math.floor(searchCount * 0.95)] ?? 0,
    rss_mb: process.memoryUsage.rss() / 1024 / 1024,
  };
  for (const [measure, value] of Object.entries(measures)) {
    const row = {
      bench: 'vectors',
      passages,
      dimensions,
      measure,
      value: Math.round(value * 10) / 10,
    };
    process.stdout.write(`${JSON.stringify(row)}\n`);
  }
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
}

function toPassage(): Passage {
  return { text: 'text', headings: [], start: 0, end: 4, tokens: 1 };
}

function toVector(dimensions: number): Float32Array {
  const values = Array.from({ length: dimensions }, () => Math.random() - 0.5);
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}
