/**
 * How fast passages are stored and found, at 10 000 and 100 000 of them, on SQLite and, where it is
 * installed, on Postgres, whose commits wait for the disk. Prints a JSON line for each measure; run it with
 * `node test/bench/passages.ts`, or with fewer passages: `--passages 1000,2000`, in smaller sources:
 * `--per-source 1`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRetriever, type Retriever } from '../../src/service/retrieval/retrieve.ts';
import { openStore } from '../../src/service/store/store.ts';
import type { DatabasePlace } from '../../src/shared/stores/open-database.ts';
import { addSource } from '../fixtures/add-source.ts';
import { findPostgres, startPostgresServer } from '../fixtures/postgres-server.ts';
import { createZipfText } from './zipf.ts';

const queryCount = 200;

const { values } = parseArgs({
  options: {
    passages: { type: 'string', default: '10000,100000' },
    'per-source': { type: 'string', default: '100' },
  },
});
const sizes = values.passages.split(',').map(Number);
const passagesPerSource = Number(values['per-source']);

const folder = mkdtempSync(join(tmpdir(), 'passages-'));
await measure('sqlite', join(folder, 'bench.sqlite'));
rmSync(folder, { recursive: true });
const programs = findPostgres();
if (programs === undefined) process.stderr.write('Postgres is not installed.\n');
else {
  await using server = await startPostgresServer(programs, { isDurable: true });
  await measure('postgres', {
    url: await server.createDatabase('bench'),
    schema: 'causeway_service',
  });
}

async function measure(name: string, place: DatabasePlace): Promise<void> {
  // The same texts and questions for both.
  const text = createZipfText(42);
  await using store = await openStore(place);
  const retriever = createRetriever(store);
  let stored = 0;
  for (const passages of sizes) {
    const rate = await fill(passages);
    // A process that has just started reads from the database what the others keep in memory.
    await using fresh = await openStore(place);
    const first = await timeQuery(createRetriever(fresh));
    const times: number[] = [];
    for (let count = 0; count < queryCount; count += 1) times.push(await timeQuery(retriever));
    times.sort((one, other) => one - other);
    report(passages, {
      passages_per_second: Math.round(rate),
      first_query_ms: first,
      query_p50_ms: times[Math.floor(queryCount / 2)],
      query_p95_ms: times[Math.floor(queryCount * 0.95)],
      rss_mb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
    });
  }
  const begin = performance.now();
  await store.transaction((tx) => tx.passages.remove('source-0'));
  report(stored, { remove_source_ms: performance.now() - begin });

  function report(passages: number, measures: Record<string, number | undefined>): void {
    for (const [measure, value = 0] of Object.entries(measures)) {
      const row = { bench: 'passages', store: name, passages, measure };
      const rounded = Math.round(value * 10) / 10;
      process.stdout.write(`${JSON.stringify({ ...row, value: rounded })}\n`);
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

  async function timeQuery({ retrieve }: Retriever): Promise<number> {
    const query = text.query();
    const begin = performance.now();
    await retrieve(query, { chatbot: 'bench' }, { limit: 6 });
    return performance.now() - begin;
  }
}
