import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { bytesOf, createLru } from '../../shared/primitives/cache.ts';
import { sum } from '../../shared/primitives/iterables.ts';
import { toNumbers } from '../store/passage-draft.ts';
import type { Queries } from '../store/schema.ts';
import type { Corpus } from './corpus.ts';
import { headingWeight } from './terms.ts';

/** The passages that have a term, as rows of a corpus, in order. */
export interface Posting {
  rows: Uint32Array;
  /** How often each has it. */
  counts: Uint32Array;
}

/** Reads postings, which stay in memory while they are in use. */
export interface Postings {
  /** How many passages have each of the terms; 0 if none has. Of common terms, about how many. */
  count(corpus: Corpus, terms: readonly string[]): Promise<Map<string, number>>;
  /** In the order of the terms, so that sums of floats are always the same. */
  read(corpus: Corpus, terms: readonly string[]): Promise<Map<string, Posting>>;
}

const maxPostingBytes = 8 * 1024 * 1024;
const maxCounts = 10_000;
/** Terms of more passages are counted without reading which. */
const maxCounted = 10_000;
/** Only so many first passages of a source are found by its title. */
const maxTitled = 100;

export function createPostings(db: Queries): Postings {
  const counts = createLru<number>(maxCounts);
  const postings = new LRUCache<string, Posting>({
    maxSize: maxPostingBytes,
    sizeCalculation: ({ rows, counts }) => bytesOf(rows, counts),
  });

  /** How many passages have each of the terms in their text and headings. */
  async function countStored({ id }: Corpus, terms: readonly string[]) {
    const rows = await db
      .selectFrom('postings')
      .innerJoin('sourceVersions', 'number', 'version')
      .select(['term', sql<number>`sum(octet_length(data)) / 8`.as('passages')])
      .where('postings.corpus', '=', id)
      .where('term', 'in', terms)
      .where('state', '=', 'live')
      .groupBy('term')
      .execute();
    return new Map(rows.map(({ term, passages }) => [term, passages]));
  }

  async function load(corpus: Corpus, terms: readonly string[]): Promise<Map<string, Posting>> {
    const rows = await db
      .selectFrom('postings')
      .select(['term', 'version', 'data'])
      .where('corpus', '=', corpus.id)
      .where('term', 'in', terms)
      .orderBy('term')
      .orderBy('version')
      .orderBy('part')
      .execute();
    const byTerm = Map.groupBy(rows, ({ term }) => term);
    return new Map(
      terms.map((term) => [
        term,
        withTitles(toPosting(byTerm.get(term) ?? [], corpus), term, corpus),
      ]),
    );
  }

  async function read(corpus: Corpus, terms: readonly string[]): Promise<Map<string, Posting>> {
    const keyOf = (term: string) => `${corpus.version} ${term}`;
    const missing = terms.filter((term) => !postings.has(keyOf(term)));
    const loaded = missing.length > 0 ? await load(corpus, missing) : new Map<string, Posting>();
    const found = new Map<string, Posting>();
    for (const term of terms) {
      const posting = loaded.get(term) ?? postings.get(keyOf(term));
      if (posting) found.set(term, posting);
    }
    for (const [term, posting] of loaded) postings.set(keyOf(term), posting);
    return found;
  }

  return {
    read,
    async count(corpus, terms) {
      const keyOf = (term: string) => `${corpus.version} ${term}`;
      const missing = terms.filter((term) => !counts.has(keyOf(term)));
      if (missing.length > 0) {
        const stored = await countStored(corpus, missing);
        const most = new Map(
          missing.map((term) => [term, (stored.get(term) ?? 0) + countTitled(corpus, term)]),
        );
        // Both may count the same passage, which matters for rare terms.
        const rare = missing.filter((term) => isBetween(most.get(term) ?? 0, 1, maxCounted));
        const exact = await read(corpus, rare);
        for (const term of missing) {
          counts.set(keyOf(term), exact.get(term)?.rows.length ?? most.get(term) ?? 0);
        }
      }
      return new Map(terms.map((term) => [term, counts.get(keyOf(term)) ?? 0]));
    },
  };
}

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

/** The stored rows of a term, in order, as far as search sees them. */
function toPosting(
  stored: readonly { version: number; data: Uint8Array }[],
  { byNumber }: Corpus,
): Posting {
  const parts = stored.flatMap(({ version, data }) => {
    const source = byNumber.get(version);
    return source ? [{ firstRow: source.firstRow, pairs: toNumbers(data) }] : [];
  });
  const size = sum(parts.map(({ pairs }) => pairs.length / 2));
  const rows = new Uint32Array(size);
  const counts = new Uint32Array(size);
  let at = 0;
  for (const { firstRow, pairs } of parts) {
    for (let index = 0; index < pairs.length; index += 2) {
      rows[at] = firstRow + (pairs[index] ?? 0);
      counts[at] = pairs[index + 1] ?? 0;
      at += 1;
    }
  }
  return { rows, counts };
}

function countTitled({ byTitleTerm }: Corpus, term: string): number {
  return sum((byTitleTerm.get(term) ?? []).map(({ passages }) => Math.min(passages, maxTitled)));
}

/** Adds the passages that are found by the title of their source. */
function withTitles(posting: Posting, term: string, { byTitleTerm }: Corpus): Posting {
  const titled = byTitleTerm.get(term);
  if (!titled) return posting;
  const counts = new Map<number, number>();
  for (const [index, row] of posting.rows.entries()) counts.set(row, posting.counts[index] ?? 0);
  for (const { firstRow, passages } of titled) {
    for (let row = firstRow; row < firstRow + Math.min(passages, maxTitled); row += 1) {
      counts.set(row, (counts.get(row) ?? 0) + headingWeight);
    }
  }
  const rows = Uint32Array.from(counts.keys()).toSorted();
  return { rows, counts: rows.map((row) => counts.get(row) ?? 0) };
}
