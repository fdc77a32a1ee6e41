import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { createLru, remember } from '../../primitives/lru.ts';
import { readVarints } from '../../primitives/varints.ts';
import { createBest } from '../retrieval/best.ts';
import type { PassageChanges } from './passage-changes.ts';
import { createTables, readRows } from './database.ts';
import { toTerm } from './passage-index.ts';

/** How common tokens are among a chatbot's passages. */
export interface Frequencies {
  passages: number;
  /** Number of passages that contain each token; 0 if none does. */
  of: Map<string, number>;
}

/** Ranks passages by BM25 with what is read from the full-text index once and then cached. */
export interface Postings {
  frequencies(tokens: readonly string[], chatbot: string): Frequencies;
  /** The ids of the best passages that contain any of the tokens, best first. */
  best(
    tokens: readonly string[],
    scope: { chatbot: string; sources?: string[] },
    limit: number,
  ): number[];
  /** The number of each passage's source, by the passages' ids; those that no search sees have none. */
  sourcesOf(ids: readonly number[], chatbot: string): Map<number, number>;
}

/** The passages of a chatbot that a search sees, in the order of their ids. */
interface Passages {
  ids: Uint32Array;
  /** The number of each one's source. */
  sources: Uint32Array;
  /** In tokens, with its headings and its source's uuid. */
  lengths: Uint32Array;
}

/** The passages that contain a token, by their place among the chatbot's. */
interface Posting {
  rows: Uint32Array;
  /** How often it occurs in each; in a heading, it counts double. A passage has few tokens. */
  occurrences: Uint16Array;
}

const schema = `
  -- Earlier versions counted with it.
  DROP TABLE IF EXISTS passage_token;
  CREATE VIRTUAL TABLE IF NOT EXISTS passage_instance USING fts5vocab (passage_index, 'instance');
`;

const maxPassageBytes = 8 * 1024 * 1024;
const maxPostingBytes = 8 * 1024 * 1024;
const maxCounts = 10_000;
/** Of a small array of numbers beside its values. */
const arrayBytes = 200;

/** How often a token occurs at least that is counted without its places. */
const minCommon = 2000;

const columns = 3;
const headingWeight = 2;
/** Those of SQLite's `bm25` (https://sqlite.org/fts5.html#the_bm25_function). */
const saturation = 1.2;
const lengthShare = 0.75;
const minRarity = 1e-6;

/**
 * Reads the table `passage_index` and tables that FTS5 keeps beside it: `_docsize` has the lengths of
 * each passage's columns, and row 1 of `_data` the number of passages and the columns' whole lengths.
 * So scores are those of SQLite's `bm25`, which reads the postings anew for every query.
 */
export function createPostings(
  database: DatabaseSync,
  changes: Pick<PassageChanges, 'version'>,
): Postings {
  createTables(database, schema);
  const readPassages = database.prepare(`
    SELECT json_group_array(id) AS ids, json_group_array(source) AS sources,
      group_concat(hex(sz), '') AS lengths
    FROM (
      SELECT passage.id, passage.source, sz FROM passage_source
      JOIN passage ON passage.source = number
      JOIN passage_index_docsize AS size ON size.id = passage.id
      WHERE chatbot = ? AND state = 'live' ORDER BY passage.id
    )
  `);
  const readMatches = database.prepare(
    'SELECT json_group_array(rowid) AS ids FROM passage_index WHERE passage_index MATCH ?',
  );
  const readInstances = database.prepare(
    `SELECT json_group_array(place) AS places FROM (
       SELECT doc * 2 + (col = 'headings') AS place FROM passage_instance WHERE term = ? LIMIT ?)`,
  );
  const readTotals = database.prepare('SELECT block FROM passage_index_data WHERE id = 1');
  const readNumbers = database.prepare(
    'SELECT number FROM passage_source JOIN json_each(?) ON value = uuid WHERE chatbot = ?',
  );

  const counts = createLru<number>(maxCounts);
  const passages = new LRUCache<string, Passages>({
    maxSize: maxPassageBytes,
    sizeCalculation: ({ ids }) => 3 * (ids.byteLength + arrayBytes),
  });
  const postings = new LRUCache<string, Posting>({
    maxSize: maxPostingBytes,
    sizeCalculation: ({ rows, occurrences }) =>
      rows.byteLength + occurrences.byteLength + 2 * arrayBytes,
  });

  const findPassages = (chatbot: string, version: string): Passages =>
    remember(passages, `${chatbot} ${version}`, () => {
      const row = readPassages.get(chatbot);
      const lengths = readVarints(Buffer.from(String(row?.['lengths'] ?? ''), 'hex'));
      const ids = Uint32Array.from(parseNumbers(row?.['ids']));
      return {
        ids,
        sources: Uint32Array.from(parseNumbers(row?.['sources'])),
        lengths: ids.map((_, place) => sum(lengths.slice(place * columns, (place + 1) * columns))),
      };
    });

  /** The first ones; -1 for all. */
  const readPlaces = (token: string, chatbot: string, limit: number): number[] =>
    parseNumbers(readInstances.get(toTerm(token, chatbot), limit)?.['places']);

  const readIds = (token: string, chatbot: string): number[] =>
    parseNumbers(readMatches.get(`"${toTerm(token, chatbot)}"`)?.['ids']);

  const findPosting = (token: string, chatbot: string, version: string): Posting =>
    remember(postings, `${chatbot} ${version} ${token}`, () =>
      toPosting(readPlaces(token, chatbot, -1), findPassages(chatbot, version)),
    );

  /** A rare token's posting is read with its count: the best passages are looked up by it next. */
  const count = (token: string, chatbot: string, version: string): number =>
    remember(counts, `${chatbot} ${version} ${token}`, () => {
      const places = readPlaces(token, chatbot, minCommon);
      const passages = findPassages(chatbot, version);
      if (places.length === minCommon) return countRows(passages, readIds(token, chatbot));
      const posting = toPosting(places, passages);
      postings.set(`${chatbot} ${version} ${token}`, posting);
      return posting.rows.length;
    });

  const readUsual = () => {
    const block = readTotals.get()?.['block'] as Uint8Array | undefined;
    const [passages = 0, ...lengths] = readVarints(block ?? new Uint8Array());
    return { passages, length: sum(lengths) / passages };
  };

  const score = (tokens: readonly string[], chatbot: string, version: string): Float64Array => {
    const usual = readUsual();
    const { ids, lengths } = findPassages(chatbot, version);
    const scores = new Float64Array(ids.length);
    for (const token of tokens) {
      const { rows, occurrences } = findPosting(token, chatbot, version);
      const known = rows.length;
      const rarity = Math.log((usual.passages - known + 0.5) / (known + 0.5));
      const weight = rarity > 0 ? rarity : minRarity;
      for (let index = 0; index < known; index += 1) {
        const row = rows[index] ?? 0;
        const count = occurrences[index] ?? 0;
        const length = 1 - lengthShare + (lengthShare * (lengths[row] ?? 0)) / usual.length;
        const gained = weight * ((count * (saturation + 1)) / (count + saturation * length));
        scores[row] = (scores[row] ?? 0) + gained;
      }
    }
    return scores;
  };

  return {
    frequencies(tokens, chatbot) {
      const version = changes.version(chatbot);
      return {
        passages: findPassages(chatbot, version).ids.length,
        of: new Map(tokens.map((token) => [token, count(token, chatbot, version)])),
      };
    },
    best(tokens, { chatbot, sources }, limit) {
      const version = changes.version(chatbot);
      const passages = findPassages(chatbot, version);
      const scores = score(tokens, chatbot, version);
      const among =
        sources &&
        new Set(
          readRows<{ number: number }>(readNumbers, JSON.stringify(sources), chatbot).map(
            ({ number }) => number,
          ),
        );
      const best = createBest(limit, 0);
      for (let row = 0; row < scores.length; row += 1) {
        const score = scores[row] ?? 0;
        if (score <= best.threshold()) continue;
        if (among?.has(passages.sources[row] ?? 0) === false) continue;
        best.add(passages.ids[row] ?? 0, score);
      }
      return best.ids();
    },
    sourcesOf(wanted, chatbot) {
      const passages = findPassages(chatbot, changes.version(chatbot));
      return new Map(
        wanted.flatMap((id) => {
          const row = findRow(passages, id);
          return passages.ids[row] === id ? [[id, passages.sources[row] ?? 0]] : [];
        }),
      );
    },
  };
}

/** Places are ids times two, in order; those in headings are one more. */
function toPosting(places: readonly number[], passages: Passages): Posting {
  const rows: number[] = [];
  const occurrences: number[] = [];
  let row = 0;
  for (const place of places) {
    const id = Math.floor(place / 2);
    row = findRow(passages, id, row);
    if (passages.ids[row] !== id) continue;
    if (rows.at(-1) !== row) occurrences[rows.push(row) - 1] = 0;
    const last = rows.length - 1;
    occurrences[last] = (occurrences[last] ?? 0) + (place % 2 === 1 ? headingWeight : 1);
  }
  return { rows: Uint32Array.from(rows), occurrences: Uint16Array.from(occurrences) };
}

/** How many of the ids, which are in order, are among the passages: those of drafts are not. */
function countRows(passages: Passages, ids: readonly number[]): number {
  let row = 0;
  let count = 0;
  for (const id of ids) {
    row = findRow(passages, id, row);
    if (passages.ids[row] === id) count += 1;
  }
  return count;
}

/** The first row, at `from` or after it, whose id is not below. */
function findRow({ ids }: Passages, id: number, from = 0): number {
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

function parseNumbers(json: SQLOutputValue | undefined): number[] {
  return typeof json === 'string' ? (JSON.parse(json) as number[]) : [];
}

function sum(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
