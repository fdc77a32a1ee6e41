import type { DatabaseSync } from 'node:sqlite';
import { dot, nearest, type VectorMatrix } from '../retrieval/top-k.ts';
import { createPassageChanges, createSourceNumbers, type PassageScope } from './seen-passages.ts';
import { atomically, readRows } from './database.ts';

/** A passage to embed. */
export interface UnembeddedPassage {
  id: number;
  text: string;
  headings: string[];
  title: string;
}

/**
 * Vectors of passages, each from one model. All vectors of a model have length 1 and the same
 * dimension; an empty one says that the model refuses the passage.
 */
interface VectorStore {
  /** Stores vectors, except for passages that were deleted or changed in the meantime. */
  put(model: string, passages: { id: number; text: string; vector: Float32Array }[]): void;
  /** Passages of a source without a vector of the model, in order. */
  listMissing(source: string, model: string, limit: number): UnembeddedPassage[];
  /** Marks passages that the model refuses, so that they are not missing any more. */
  refuse(model: string, passages: { id: number; text: string }[]): void;
  /**
   * Deletes the model's vectors of other dimensions, and with them its refusals.
   *
   * @returns the number of deleted vectors
   */
  dropOtherDimensions(model: string, dimensions: number): number;
  /** How many passages a source has, how many of them have a vector of the model, and how many it refuses. */
  count(source: string, model: string): { passages: number; vectors: number; refused: number };
  /** Sources that have passages without a vector of the model, oldest first. */
  listSourcesMissing(model: string): string[];
  /**
   * The nearest passages in scope, nearest first. Undefined if the chatbot has more vectors than
   * fit in memory; rank other candidates then.
   */
  search(
    query: { model: string; vector: Float32Array },
    scope: PassageScope,
    limit: number,
  ): number[] | undefined;
  /** The passages among `ids` that have a vector, nearest first. */
  rank(query: { model: string; vector: Float32Array }, ids: readonly number[]): number[];
}

const maxBytes = 64 * 1024 * 1024;

/**
 * Stores vectors as blobs of little-endian floats, deleted together with their passages. Those of
 * recently used chatbots are cached in memory, up to `maxCacheBytes`.
 */
export function createVectorStore(
  database: DatabaseSync,
  { maxCacheBytes = maxBytes }: { maxCacheBytes?: number } = {},
): VectorStore {
  const changes = createPassageChanges(database);
  const put = database.prepare(
    `INSERT INTO passage_vector (passage, model, vector)
     SELECT id, ?, ? FROM passage WHERE id = ? AND text = ?
     ON CONFLICT (passage) DO UPDATE SET model = excluded.model, vector = excluded.vector`,
  );
  const chatbotOf = database.prepare(
    `SELECT chatbot FROM passage JOIN passage_source ON number = source
     WHERE passage.id = ? AND state = 'live'`,
  );
  const isMissing = `NOT EXISTS (SELECT 1 FROM passage_vector
    WHERE passage_vector.passage = passage.id AND model = ?)`;
  const missing = database.prepare(
    `SELECT passage.id, text, headings, title FROM passage_source
     JOIN passage ON passage.source = number WHERE uuid = ? AND ${isMissing}
     ORDER BY passage.id LIMIT ?`,
  );
  const sourcesMissing = database.prepare(
    `SELECT uuid FROM passage_source
     WHERE state = 'live'
       AND EXISTS (SELECT 1 FROM passage WHERE passage.source = number AND ${isMissing})
     ORDER BY number`,
  );
  const count = database.prepare(
    `SELECT coalesce(sum(passages), 0) AS count FROM passage_source
     WHERE chatbot = ? AND state = 'live'`,
  );
  const load = database.prepare(
    `SELECT passage.id, passage.source, vector FROM passage_source
     JOIN passage ON passage.source = number
     JOIN passage_vector ON passage_vector.passage = passage.id
     WHERE chatbot = ? AND state = 'live' AND model = ? AND length(vector) = ?`,
  );
  const some = database.prepare(
    `SELECT passage AS id, vector FROM json_each(?)
     JOIN passage_vector ON passage = value
     JOIN passage ON passage.id = value
     JOIN passage_source ON number = source
     WHERE state = 'live' AND model = ? AND length(vector) = ?`,
  );
  const numbersOf = createSourceNumbers(database);
  const others = database.prepare(
    `SELECT count(*) AS count FROM passage_vector WHERE model = ? AND length(vector) NOT IN (0, ?)`,
  );
  const dropOthers = database.prepare(
    'DELETE FROM passage_vector WHERE model = ? AND length(vector) <> ?',
  );
  const counts = database.prepare(
    `SELECT count(*) AS passages, count(vector) AS embedded, coalesce(sum(length(vector) = 0), 0) AS refused
     FROM passage_source JOIN passage ON passage.source = number
     LEFT JOIN passage_vector ON passage_vector.passage = passage.id AND model = ?
     WHERE uuid = ?`,
  );
  /** By chatbot, the most recently used last. */
  const cache = new Map<string, VectorMatrix & { version: string }>();

  const find = (chatbot: string, model: string, dimensions: number): VectorMatrix | undefined => {
    const found = cache.get(chatbot);
    cache.delete(chatbot);
    const version = changes.version(chatbot);
    const isCurrent = found?.version === version && found.model === model;
    if (isCurrent && found.dimensions === dimensions) {
      cache.set(chatbot, found);
      return found;
    }
    const most = Number(count.get(chatbot)?.['count']) * dimensions * 4;
    if (most > maxCacheBytes) return undefined;
    makeRoom(cache, maxCacheBytes - most);
    const matrix = {
      version,
      model,
      dimensions,
      ids: [] as number[],
      sources: [] as number[],
      values: new Float32Array(most / 4),
    };
    const target = new Uint8Array(matrix.values.buffer);
    for (const row of load.iterate(chatbot, model, dimensions * 4)) {
      target.set(row['vector'] as Uint8Array, matrix.ids.length * dimensions * 4);
      matrix.ids.push(Number(row['id']));
      matrix.sources.push(Number(row['source']));
    }
    cache.set(chatbot, matrix);
    return matrix;
  };

  return {
    put(model, passages) {
      for (const { id, text, vector } of passages) {
        atomically(database, () => {
          const stored = put.run(model, toBlob(vector), id, text);
          // Nobody has searched the vectors of a draft yet.
          const chatbot = stored.changes > 0 ? chatbotOf.get(id)?.['chatbot'] : undefined;
          if (chatbot !== undefined) changes.add(String(chatbot));
        });
      }
    },

    refuse(model, passages) {
      for (const { id, text } of passages) put.run(model, new Uint8Array(), id, text);
    },

    dropOtherDimensions(model, dimensions) {
      const count = Number(others.get(model, dimensions * 4)?.['count']);
      if (count === 0) return 0;
      dropOthers.run(model, dimensions * 4);
      cache.clear();
      return count;
    },

    count(source, model) {
      const row = counts.get(model, source);
      const refused = Number(row?.['refused']);
      const vectors = Number(row?.['embedded']) - refused;
      return { passages: Number(row?.['passages']), vectors, refused };
    },

    listMissing: (source, model, limit) =>
      readRows<Omit<UnembeddedPassage, 'headings'> & { headings: string }>(
        missing,
        source,
        model,
        limit,
      ).map((row) => ({ ...row, headings: JSON.parse(row.headings) as string[] })),

    listSourcesMissing: (model) =>
      readRows<{ uuid: string }>(sourcesMissing, model).map(({ uuid }) => uuid),

    search({ model, vector }, scope, limit) {
      const matrix = find(scope.chatbot, model, vector.length);
      return matrix && nearest(matrix, vector, numbersOf(scope), limit);
    },

    rank({ model, vector }, ids) {
      const rows = readRows<{ id: number; vector: Uint8Array }>(
        some,
        JSON.stringify(ids),
        model,
        vector.length * 4,
      );
      const scored = rows.map((row) => ({
        id: row.id,
        score: dot(fromBlob(row.vector), 0, vector),
      }));
      return scored.toSorted((one, other) => other.score - one.score).map(({ id }) => id);
    },
  };
}

/** Evicts the least recently used entries until the rest fits into `maxCacheBytes`. */
function makeRoom(cache: Map<string, VectorMatrix>, maxCacheBytes: number): void {
  let bytes = 0;
  for (const { values } of cache.values()) bytes += values.byteLength;
  for (const [chatbot, { values }] of cache) {
    if (bytes <= maxCacheBytes) return;
    cache.delete(chatbot);
    bytes -= values.byteLength;
  }
}

function toBlob(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copied, because a blob can start at any address in memory, but a float can't. */
function fromBlob(blob: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(blob).buffer);
}
