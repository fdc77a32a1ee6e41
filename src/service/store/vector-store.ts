import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { createQueue } from '../../shared/primitives/queue.ts';
import { countAll, inPages } from '../../shared/stores/pages.ts';
import { createUuid } from '../identifiers.ts';
import type { Corpus } from '../retrieval/corpus.ts';
import type { SearchIndex } from '../retrieval/search-index.ts';
import { dot, nearest, type VectorMatrix } from '../retrieval/top-k.ts';
import { passageId, splitPassageId } from './passage-draft.ts';
import { type PassageScope, renewCorpora } from './passage-store.ts';
import type { Queries } from './schema.ts';

/** A passage to embed. */
export interface UnembeddedPassage {
  id: number;
  text: string;
  headings: string[];
  title: string;
}

/**
 * Vectors of passages, each from one model, as blobs of little-endian floats. All vectors of a model have
 * length 1 and the same dimension; an empty one says that the model refuses the passage.
 */
export function createVectorStore(db: Queries) {
  /** What search sees of these versions has changed, unless they are drafts. */
  const renew = (numbers: readonly number[]) =>
    renewCorpora(db, (versions) =>
      versions.where('number', 'in', numbers).where('state', '=', 'live'),
    );

  return {
    /**
     * Stores vectors, except for passages that were deleted in the meantime. An empty one marks a passage
     * that the model refuses, so that it is not missing any more.
     */
    async put(model: string, passages: { id: number; vector: Float32Array }[]) {
      for (const { id, vector } of passages) {
        const { version } = splitPassageId(id);
        await db
          .insertInto('passageVectors')
          .columns(['passage', 'version', 'model', 'vector'])
          .expression((eb) =>
            eb
              .selectFrom('passages')
              .select([
                'id',
                eb.val(version).as('version'),
                eb.val(model).as('model'),
                eb.val(toBlob(vector)).as('vector'),
              ])
              .where('id', '=', id),
          )
          .onConflict((oc) => oc.column('passage').doUpdateSet({ model, vector: toBlob(vector) }))
          .execute();
      }
      await renew([...new Set(passages.map(({ id }) => splitPassageId(id).version))]);
    },

    /** Passages of a version of a source without a vector of the model, in order. */
    async listMissing(version: number, model: string, limit: number) {
      const rows = await db
        .selectFrom('passages')
        .innerJoin('sourceVersions', 'sourceVersions.number', 'passages.version')
        .leftJoin('passageVectors', (join) =>
          join
            .onRef('passageVectors.passage', '=', 'passages.id')
            .on('passageVectors.model', '=', model),
        )
        .select(['passages.id', 'text', 'headings', 'title'])
        .where('passages.version', '=', version)
        .where('passageVectors.passage', 'is', null)
        .orderBy('passages.id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, headings: JSON.parse(row.headings) as string[] }));
    },

    /** Gives a version's passages the vectors of those that say the same at the same place of another. */
    async copy(from: number, to: number) {
      const distance = passageId(to, 0) - passageId(from, 0);
      await db
        .insertInto('passageVectors')
        .columns(['passage', 'version', 'model', 'vector'])
        .expression((eb) =>
          eb
            .selectFrom('passageVectors')
            .innerJoin('passages as old', 'old.id', 'passage')
            .innerJoin('passages as new', (join) =>
              join
                .on('new.id', '=', sql<number>`passage + ${distance}`)
                .onRef('new.text', '=', 'old.text')
                .onRef('new.headings', '=', 'old.headings'),
            )
            .select(['new.id', eb.val(to).as('version'), 'model', 'vector'])
            .where('passageVectors.version', '=', from),
        )
        .execute();
    },

    /**
     * Deletes the model's vectors of other dimensions, and with them its refusals. The caller opens the
     * transaction.
     *
     * @returns the number of deleted vectors
     */
    async dropOtherDimensions(model: string, dimensions: number) {
      const others = sql<boolean>`octet_length(vector) <> ${dimensions * 4}`;
      const count = await countAll(
        db
          .selectFrom('passageVectors')
          .where('model', '=', model)
          .where(others)
          .where(sql<boolean>`octet_length(vector) > 0`),
      );
      if (count === 0) return 0;
      await db.deleteFrom('passageVectors').where('model', '=', model).where(others).execute();
      await db.updateTable('corpora').set({ version: createUuid() }).execute();
      return count;
    },

    /** How many passages a version has, how many of them have a vector of the model, and how many it refuses. */
    async count(version: number, model: string) {
      const row = await db
        .selectFrom('passages')
        .leftJoin('passageVectors', (join) =>
          join
            .onRef('passageVectors.passage', '=', 'passages.id')
            .on('passageVectors.model', '=', model),
        )
        .select([
          sql<number>`count(*)`.as('passages'),
          sql<number>`count(vector)`.as('embedded'),
          sql<number>`coalesce(sum(CASE octet_length(vector) WHEN 0 THEN 1 ELSE 0 END), 0)`.as(
            'refused',
          ),
        ])
        .where('passages.version', '=', version)
        .executeTakeFirstOrThrow();
      const { passages, embedded, refused } = row;
      return { passages, vectors: embedded - refused, refused };
    },
  };
}

/** Finds passages by their meaning. */
export interface VectorSearch {
  /**
   * The nearest passages in scope, nearest first. Undefined if the chatbot has more vectors than
   * fit in memory; rank other candidates then.
   */
  search(query: SearchedVector, scope: PassageScope, limit: number): Promise<number[] | undefined>;
  /** The passages among `ids` that have a vector, nearest first. */
  rank(query: SearchedVector, ids: readonly number[]): Promise<number[]>;
}

interface SearchedVector {
  model: string;
  vector: Float32Array;
}

const maxBytes = 64 * 1024 * 1024;
/** Vectors read at a time. */
const batchSize = 500;

/** The vectors of recently used chatbots are cached in memory, up to `maxCacheBytes`. */
export function createVectorSearch(
  db: Queries,
  index: Pick<SearchIndex, 'corpus'>,
  { maxCacheBytes = maxBytes }: { maxCacheBytes?: number } = {},
): VectorSearch {
  /** By corpus. */
  const cache = new LRUCache<number, VectorMatrix & { version: string }>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ values }) => values.byteLength || 1,
  });
  /** One is loaded at a time, as each takes up so much memory. */
  const loading = createQueue();

  /** The vectors of a model, all of this length. */
  const select = ({ model, vector }: SearchedVector) =>
    db
      .selectFrom('passageVectors')
      .innerJoin('sourceVersions', 'number', 'version')
      .select(['passage as id', 'vector'])
      .where('model', '=', model)
      .where(sql<boolean>`octet_length(vector) = ${vector.length * 4}`)
      .where('state', '=', 'live');

  function findLoaded(corpus: Corpus, { model, vector }: SearchedVector): VectorMatrix | undefined {
    const found = cache.get(corpus.id);
    const isCurrent = found?.version === corpus.version && found.model === model;
    return isCurrent && found.dimensions === vector.length ? found : undefined;
  }

  async function find(corpus: Corpus, query: SearchedVector): Promise<VectorMatrix | undefined> {
    if (bytesOf(corpus, query) > maxCacheBytes) return undefined;
    const find = async () => findLoaded(corpus, query) ?? (await load(corpus, query));
    return findLoaded(corpus, query) ?? loading.run('', find);
  }

  async function load(corpus: Corpus, query: SearchedVector): Promise<VectorMatrix> {
    const { model, vector } = query;
    const dimensions = vector.length;
    cache.delete(corpus.id);
    // Before it is loaded, so that there is never more than this in memory.
    while (cache.calculatedSize + bytesOf(corpus, query) > maxCacheBytes && cache.pop());
    const values = new Float32Array(corpus.lengths.length * dimensions);
    const target = new Uint8Array(values.buffer);
    const ids: number[] = [];
    const pages = inPages(batchSize, (after = 0, size) =>
      select(query)
        .where('corpus', '=', corpus.id)
        .where('passage', '>', after)
        .orderBy('passage')
        .limit(size)
        .execute(),
    );
    for await (const row of pages) {
      // Another source may have become live meanwhile.
      if (ids.length === corpus.lengths.length) break;
      target.set(row.vector, ids.length * dimensions * 4);
      ids.push(row.id);
    }
    const sources = ids.map((id) => splitPassageId(id).version);
    const matrix = { model, dimensions, ids, sources, values, version: corpus.version };
    cache.set(corpus.id, matrix);
    return matrix;
  }

  return {
    async search(query, { chatbot, sources }, limit) {
      const corpus = await index.corpus(chatbot);
      const matrix = await find(corpus, query);
      if (!matrix) return undefined;
      const among = sources && new Set(sources);
      const numbers =
        among &&
        new Set(corpus.sources.filter(({ uuid }) => among.has(uuid)).map(({ number }) => number));
      return nearest(matrix, query.vector, numbers, limit);
    },
    async rank(query, ids) {
      if (ids.length === 0) return [];
      const rows = await select(query).where('passage', 'in', ids).execute();
      const scored = rows.map(({ id, vector }) => ({
        id,
        score: dot(fromBlob(vector), 0, query.vector),
      }));
      return scored
        .toSorted((one, other) => other.score - one.score || one.id - other.id)
        .map(({ id }) => id);
    },
  };
}

/** What the vectors of a corpus take up. */
function bytesOf({ lengths }: Corpus, { vector }: SearchedVector): number {
  return lengths.length * vector.byteLength;
}

function toBlob(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copied, because a blob can start at any address in memory, but a float can't. */
function fromBlob(blob: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(blob).buffer);
}
