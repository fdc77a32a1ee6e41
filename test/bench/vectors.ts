/**
 * How fast the nearest of a chatbot's vectors are found, and how long they take to come into memory.
 * Prints a JSON line for each measure; run it with `node test/bench/vectors.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Passage } from '../../src/service/ingestion/passages.ts';
import { openDatabase } from '../../src/service/store/database.ts';
import { createStore } from '../../src/service/store/store.ts';

const modelName = 'bench';
const searchCount = 100;
const candidateLimit = 50;
const passagesPerSource = 500;

for (const [passages, dimensions] of [
  [10_000, 384],
  [10_000, 1536],
  [40_000, 384],
] as const) {
  measure(passages, dimensions);
}

function measure(passages: number, dimensions: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'vectors-'));
  const database = openDatabase(join(folder, 'bench.sqlite'));
  const store = createStore(database);
  for (let stored = 0; stored < passages; stored += passagesPerSource) {
    const uuid = `source-${stored}`;
    store.transaction(() => {
      store.passages.putSource('bot', { uuid, title: '', file_name: '', type: 'upload' });
      store.passages.add(uuid, Array.from({ length: passagesPerSource }, toPassage));
      const missing = store.vectors.listMissing(uuid, modelName, passagesPerSource);
      store.vectors.put(
        modelName,
        missing.map((passage) => ({ ...passage, vector: toVector(dimensions) })),
      );
    });
  }
  const search = () => {
    const begin = performance.now();
    const query = { model: modelName, vector: toVector(dimensions) };
    const found = store.vectors.search(query, { chatbot: 'bot' }, candidateLimit);
    if (found?.length !== candidateLimit) throw new Error('The vectors do not fit into memory');
    return performance.now() - begin;
  };
  const first = search();
  const times = Array.from({ length: searchCount }, search).toSorted((one, other) => one - other);
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
  database.close();
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
