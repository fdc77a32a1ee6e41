import { passageId, toNumbers } from '../store/passage-draft.ts';
import type { PassageScope } from '../store/passage-store.ts';
import type { Queries } from '../store/schema.ts';
import { type Frequencies, type Weights, gain } from './bm25.ts';
import { type Corpus, createReadCorpus, sourceOf } from './corpus.ts';
import type { Candidate } from './score.ts';
import { type Terms, headingWeight, parseTerms, toAskedTerms, toTerms } from './terms.ts';
import { createTopK } from './top-k.ts';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { createLru } from '../../shared/primitives/cache.ts';
import { sum } from '../../shared/primitives/iterables.ts';

/** Finds passages by their words. */
export interface SearchIndex {
  /** What a chatbot's search sees now. */
  corpus(chatbot: string): Promise<Corpus>;
  frequencies(corpus: Corpus, tokens: readonly string[]): Promise<Frequencies>;
  /**
   * The ids of the best passages by BM25, best first; each contains at least one of the tokens. Of equal
   * ones, the earlier ones come first.
   * @param weights of the tokens
   */
  best(corpus: Corpus, weights: Weights, scope: PassageScope, limit: number): Promise<number[]>;
  /**
   * The passages with these ids that are in scope, in the order of the ids, as far as ranking needs
   * them for these tokens.
   */
  candidates(
    corpus: Corpus,
    ids: readonly number[],
    scope: PassageScope,
    wanted: ReadonlySet<string>,
  ): Promise<Candidate[]>;
  /** All terms of passages, by their ids. */
  terms(corpus: Corpus, ids: readonly number[]): Promise<Map<number, Terms>>;
}

export function createSearchIndex(db: Queries): SearchIndex {
  const postings = createPostings(db);

  /** Terms of another version are made anew until the source is indexed again. */
  async function readTerms(ids: readonly number[], isCurrent: boolean): Promise<[number, Terms][]> {
    if (ids.length === 0) return [];
    const from = db.selectFrom('passages').where('id', 'in', ids);
    if (isCurrent) {
      const rows = await from.select(['id', 'sentences']).execute();
      return rows.map(({ id, sentences }) => [id, parseTerms(sentences)]);
    }
    const rows = await from.select(['id', 'text', 'headings']).execute();
    return rows.map(({ id, text, headings }) => [
      id,
      toTerms({ text, headings: JSON.parse(headings) as string[] }),
    ]);
  }

  async function readAllTerms(corpus: Corpus, ids: readonly number[]): Promise<Map<number, Terms>> {
    const [outdated = [], current = []] = [false, true].map((isCurrent) =>
      ids.filter((id) => sourceOf(corpus, id)?.isCurrent === isCurrent),
    );
    return new Map([...(await readTerms(current, true)), ...(await readTerms(outdated, false))]);
  }

  return {
    corpus: createReadCorpus(db),
    terms: readAllTerms,
    async frequencies(corpus, tokens) {
      return { passages: corpus.lengths.length, of: await postings.count(corpus, tokens) };
    },
    async best(corpus, weights, { sources }, limit) {
      if (weights.size === 0) return [];
      const scores = scoreRows(corpus, weights, await postings.read(corpus, [...weights.keys()]));
      return findBest(corpus, scores, sources && new Set(sources), limit);
    },
    async candidates(corpus, ids, { sources }, wanted) {
      const among = sources && new Set(sources);
      const found = ids.flatMap((id) => {
        const source = sourceOf(corpus, id);
        return source && among?.has(source.uuid) !== false ? [{ id, source }] : [];
      });
      const terms = await readAllTerms(corpus, ids);
      return found.flatMap(({ id, source }) => {
        const own = terms.get(id);
        if (!own) return [];
        const asked = toAskedTerms(own, wanted);
        return [{ id, terms: asked, headings: source.titleTerms.union(new Set(asked.headings)) }];
      });
    },
  };
}

/** A term in most of the passages counts a little, too. */
const minWeight = 1e-6;

/** The BM25 score of each row. */
function scoreRows(
  { lengths, usualLength }: Corpus,
  weights: Weights,
  postings: ReadonlyMap<string, Posting>,
): Float64Array {
  const scores = new Float64Array(lengths.length);
  for (const [token, { rows, counts }] of postings) {
    const weight = Math.max(weights.get(token) ?? 0, minWeight);
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const gained = weight * gain(counts[index] ?? 0, (lengths[row] ?? 0) / usualLength);
      scores[row] = (scores[row] ?? 0) + gained;
    }
  }
  return scores;
}

function findBest(
  { sources }: Corpus,
  scores: Float64Array,
  among: ReadonlySet<string> | undefined,
  limit: number,
): number[] {
  const best = createTopK(limit, 0);
  for (const { uuid, number, firstRow, passages } of sources) {
    if (among?.has(uuid) === false) continue;
    for (let place = 0; place < passages; place += 1) {
      const score = scores[firstRow + place] ?? 0;
      if (score > best.threshold()) best.add(passageId(number, place), score);
    }
  }
  return best.ids();
}

/** The passages that have a term, as rows of a corpus, in order. */
interface Posting {
  rows: Uint32Array;
  /** How often each has it. */
  counts: Uint32Array;
}

/** Reads postings, which stay in memory while they are in use. */
interface Postings {
  /** How many passages have each of the terms; 0 if none has. Of common terms, about how many. */
  count(corpus: Corpus, terms: readonly string[]): Promise<Map<string, number>>;
  /** In the order of the terms, so that sums of floats are always the same. */
  read(corpus: Corpus, terms: readonly string[]): Promise<Map<string, Posting>>;
}

const maxPostingBytes = 8 * 1024 * 1024;
/** The overhead of a posting's two arrays. */
const emptyBytes = 400;
const maxCounts = 10_000;
/** Terms of more passages are counted without reading which. */
const maxCounted = 10_000;
/** Only so many first passages of a source are found by its title. */
const maxTitled = 100;

function createPostings(db: Queries): Postings {
  const counts = createLru<number>(maxCounts);
  const postings = new LRUCache<string, Posting>({
    maxSize: maxPostingBytes,
    sizeCalculation: ({ rows, counts }) => rows.byteLength + counts.byteLength + emptyBytes,
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

  // What is known is taken first: what is added may push it out of the cache.
  async function read(corpus: Corpus, terms: readonly string[]): Promise<Map<string, Posting>> {
    const keyOf = (term: string) => `${corpus.version} ${term}`;
    const known = new Map(terms.map((term) => [term, postings.get(keyOf(term))]));
    const missing = terms.filter((term) => known.get(term) === undefined);
    const loaded = missing.length > 0 ? await load(corpus, missing) : new Map<string, Posting>();
    for (const [term, posting] of loaded) postings.set(keyOf(term), posting);
    const found = new Map<string, Posting>();
    for (const term of terms) {
      const posting = known.get(term) ?? loaded.get(term);
      if (posting) found.set(term, posting);
    }
    return found;
  }

  return {
    read,
    async count(corpus, terms) {
      const keyOf = (term: string) => `${corpus.version} ${term}`;
      const known = new Map(terms.map((term) => [term, counts.get(keyOf(term))]));
      const missing = terms.filter((term) => known.get(term) === undefined);
      if (missing.length > 0) {
        const stored = await countStored(corpus, missing);
        const most = new Map(
          missing.map((term) => [term, (stored.get(term) ?? 0) + countTitled(corpus, term)]),
        );
        // Both may count the same passage, which matters for rare terms.
        const rare = missing.filter((term) => {
          const count = most.get(term) ?? 0;
          return count > 0 && count <= maxCounted;
        });
        const exact = await read(corpus, rare);
        for (const term of missing) {
          const count = exact.get(term)?.rows.length ?? most.get(term) ?? 0;
          known.set(term, count);
          counts.set(keyOf(term), count);
        }
      }
      return new Map(terms.map((term) => [term, known.get(term) ?? 0]));
    },
  };
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
