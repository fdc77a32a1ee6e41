import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { bytesOf, createLru, remember } from '../../shared/primitives/cache.ts';
import { sum } from '../../shared/primitives/iterables.ts';
import { createTopK } from '../retrieval/top-k.ts';
import { parseNumbers } from './database.ts';
import { toTerm } from './passage-index.ts';
import {
  createSourceNumbers,
  findRow,
  type PassageScope,
  readVarints,
  type SeenPassages,
} from './seen-passages.ts';

/** How common tokens are among a chatbot's passages. */
export interface Frequencies {
  passages: number;
  /** Number of passages that contain each token; 0 if none does. */
  of: Map<string, number>;
}

/** Ranks passages by BM25 with what is read from the full-text index once and then cached. */
interface Postings {
  frequencies(tokens: readonly string[], chatbot: string): Frequencies;
  /** The ids of the best passages that contain any of the tokens, best first. */
  best(tokens: readonly string[], scope: PassageScope, limit: number): number[];
}

/** The passages that contain a token, by their place among the chatbot's. */
interface Posting {
  rows: Uint32Array;
  /** How often it occurs in each; in a heading, it counts double. A passage has few tokens. */
  occurrences: Uint16Array;
}

const maxPostingBytes = 8 * 1024 * 1024;
const maxCounts = 10_000;

/** From this many occurrences, a token is counted without its places. */
const minCommon = 2000;

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
  seenOf: (chatbot: string) => SeenPassages,
): Postings {
  const readMatches = database.prepare(
    'SELECT json_group_array(rowid) AS ids FROM passage_index WHERE passage_index MATCH ?',
  );
  const readInstances = database.prepare(
    `SELECT json_group_array(place) AS places FROM (
       SELECT doc * 2 + (col = 'headings') AS place FROM passage_instance WHERE term = ? LIMIT ?)`,
  );
  const readTotals = database.prepare('SELECT block FROM passage_index_data WHERE id = 1');
  const numbersOf = createSourceNumbers(database);

  const counts = createLru<number>(maxCounts);
  const postings = new LRUCache<string, Posting>({
    maxSize: maxPostingBytes,
    sizeCalculation: ({ rows, occurrences }) => bytesOf(rows, occurrences),
  });

  /** The first `limit` places; -1 for all. */
  const readPlaces = (token: string, chatbot: string, limit: number): number[] =>
    parseNumbers(readInstances.get(toTerm(token, chatbot), limit)?.['places']);

  const readIds = (token: string, chatbot: string): number[] =>
    parseNumbers(readMatches.get(`"${toTerm(token, chatbot)}"`)?.['ids']);

  const findPosting = (token: string, chatbot: string, passages: SeenPassages): Posting =>
    remember(postings, `${chatbot} ${passages.version} ${token}`, () =>
      toPosting(readPlaces(token, chatbot, -1), passages),
    );

  /** A rare token's posting is read with its count: the best passages are looked up by it next. */
  const count = (token: string, chatbot: string, passages: SeenPassages): number => {
    const key = `${chatbot} ${passages.version} ${token}`;
    return remember(counts, key, () => {
      const places = readPlaces(token, chatbot, minCommon);
      if (places.length === minCommon) return countRows(passages, readIds(token, chatbot));
      const posting = toPosting(places, passages);
      postings.set(key, posting);
      return posting.rows.length;
    });
  };

  const readUsual = () => {
    const block = readTotals.get()?.['block'] as Uint8Array | undefined;
    const [passages = 0, ...lengths] = readVarints(block ?? new Uint8Array());
    return { passages, length: sum(lengths) / passages };
  };

  const score = (
    tokens: readonly string[],
    chatbot: string,
    passages: SeenPassages,
  ): Float64Array => {
    const usual = readUsual();
    const scores = new Float64Array(passages.ids.length);
    for (const token of tokens) {
      const { rows, occurrences } = findPosting(token, chatbot, passages);
      const known = rows.length;
      const rarity = Math.log((usual.passages - known + 0.5) / (known + 0.5));
      const weight = rarity > 0 ? rarity : minRarity;
      for (let index = 0; index < known; index += 1) {
        const row = rows[index] ?? 0;
        const count = occurrences[index] ?? 0;
        const length =
          1 - lengthShare + (lengthShare * (passages.lengths[row] ?? 0)) / usual.length;
        const gained = weight * ((count * (saturation + 1)) / (count + saturation * length));
        scores[row] = (scores[row] ?? 0) + gained;
      }
    }
    return scores;
  };

  return {
    frequencies(tokens, chatbot) {
      const passages = seenOf(chatbot);
      return {
        passages: passages.ids.length,
        of: new Map(tokens.map((token) => [token, count(token, chatbot, passages)])),
      };
    },
    best(tokens, scope, limit) {
      const passages = seenOf(scope.chatbot);
      const scores = score(tokens, scope.chatbot, passages);
      const among = numbersOf(scope);
      const best = createTopK(limit, 0);
      for (let row = 0; row < scores.length; row += 1) {
        const score = scores[row] ?? 0;
        if (score <= best.threshold()) continue;
        if (among?.has(passages.sources[row] ?? 0) === false) continue;
        best.add(passages.ids[row] ?? 0, score);
      }
      return best.ids();
    },
  };
}

/** Places are ids times two, in order; those in headings are one more. */
function toPosting(places: readonly number[], passages: SeenPassages): Posting {
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

/** How many of the ids, which are in order, are among the passages; those of drafts are not. */
function countRows(passages: SeenPassages, ids: readonly number[]): number {
  let row = 0;
  let count = 0;
  for (const id of ids) {
    row = findRow(passages, id, row);
    if (passages.ids[row] === id) count += 1;
  }
  return count;
}
