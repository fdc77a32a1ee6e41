import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { bytesOf, remember } from '../../shared/primitives/cache.ts';
import { sum } from '../../shared/primitives/iterables.ts';
import { parseNumbers, readRows } from './database.ts';

/** The passages a search can see: a chatbot's, or only those of some of its sources. */
export interface PassageScope {
  chatbot: string;
  sources?: string[];
}

/**
 * Returns a function that gives the numbers of the sources in a scope; undefined for all of the
 * chatbot's.
 */
export function createSourceNumbers(database: DatabaseSync) {
  const read = database.prepare(
    'SELECT number FROM passage_source JOIN json_each(?) ON value = uuid WHERE chatbot = ?',
  );
  return ({ chatbot, sources }: PassageScope): ReadonlySet<number> | undefined => {
    if (sources === undefined) return undefined;
    const rows = readRows<{ number: number }>(read, JSON.stringify(sources), chatbot);
    return new Set(rows.map(({ number }) => number));
  };
}

/** Tells every connection that what a search can find has changed and must be read again. */
export interface PassageChanges {
  /** Differs after each change; empty before the first. */
  version(chatbot: string): string;
  /** Call this in the transaction that changes the chatbot's passages or vectors. */
  add(chatbot: string): void;
}

export function createPassageChanges(database: DatabaseSync): PassageChanges {
  const get = database.prepare('SELECT version FROM passage_changes WHERE chatbot = ?');
  const put = database.prepare(
    'REPLACE INTO passage_changes VALUES (?, lower(hex(randomblob(8))))',
  );
  return {
    version: (chatbot) => String(get.get(chatbot)?.['version'] ?? ''),
    add(chatbot) {
      put.run(chatbot);
    },
  };
}

/** The passages of a chatbot that a search sees, in the order of their ids. */
export interface SeenPassages {
  /** Of the chatbot: see `PassageChanges`. */
  version: string;
  ids: Uint32Array;
  /** The number of each one's source. */
  sources: Uint32Array;
  /** In tokens, with its headings and its source's uuid. */
  lengths: Uint32Array;
}

const maxBytes = 8 * 1024 * 1024;
const columns = 3;

/**
 * Returns a function that gives the passages a search sees now. Those of recently used chatbots stay in
 * memory. The table `passage_index_docsize`, which FTS5 keeps, has the lengths of each
 * passage's columns.
 */
export function createSeenPassages(
  database: DatabaseSync,
  changes: Pick<PassageChanges, 'version'>,
): (chatbot: string) => SeenPassages {
  const read = database.prepare(`
    SELECT json_group_array(id) AS ids, json_group_array(source) AS sources,
      group_concat(hex(sz), '') AS lengths
    FROM (
      SELECT passage.id, passage.source, sz FROM passage_source
      JOIN passage ON passage.source = number
      JOIN passage_index_docsize AS size ON size.id = passage.id
      WHERE chatbot = ? AND state = 'live' ORDER BY passage.id
    )
  `);
  const known = new LRUCache<string, SeenPassages>({
    maxSize: maxBytes,
    sizeCalculation: ({ ids, sources, lengths }) => bytesOf(ids, sources, lengths),
  });

  return (chatbot) => {
    const version = changes.version(chatbot);
    return remember(known, `${chatbot} ${version}`, () => {
      const row = read.get(chatbot);
      const lengths = readVarints(Buffer.from(String(row?.['lengths'] ?? ''), 'hex'));
      const ids = Uint32Array.from(parseNumbers(row?.['ids']));
      return {
        version,
        ids,
        sources: Uint32Array.from(parseNumbers(row?.['sources'])),
        lengths: ids.map((_, place) => sum(lengths.slice(place * columns, (place + 1) * columns))),
      };
    });
  };
}

/** The number of a passage's source; undefined if no search sees the passage. */
export function sourceNumberOf(seen: SeenPassages, id: number): number | undefined {
  const row = findRow(seen, id);
  return seen.ids[row] === id ? seen.sources[row] : undefined;
}

/** The first row, at `from` or after it, whose id is not below. */
export function findRow({ ids }: SeenPassages, id: number, from = 0): number {
  let low = from;
  // Each id is at least one above the last.
  let high = Math.min(ids.length, from + id - (ids[from] ?? id));
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The numbers of FTS5's own records, which are SQLite's varints: seven bits a byte, highest first. Right
 * up to 2^56.
 */
export function readVarints(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 127);
    if (byte >= 128) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}
