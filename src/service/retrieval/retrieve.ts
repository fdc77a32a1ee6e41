import type {
  Frequencies,
  PassageScope,
  PassageStore,
  StoredPassage,
} from '../store/passage-store.ts';
import { fuse } from './fuse.ts';
import { toAsked } from './question.ts';
import { findNames, toQueryTokens, toShares, toWeights } from './query-weights.ts';
import { type Candidate, scoreCandidate, toCandidate } from './score.ts';
import { toPhrase } from './tokenize.ts';

/** A passage that may answer. */
export interface Hit {
  passage: StoredPassage;
  /** Higher is better; comparable only among the hits of one query. */
  score: number;
  /** The share of the query's weight that the passage contains: 0 to 1. */
  coverage: number;
  /** The weight of each of the query's tokens. */
  weights: ReadonlyMap<string, number>;
}

interface RetrieveOptions {
  /** The query of the previous turn, which a follow-up question may refer to. */
  previousQuery?: string;
  /** Max hits to return. */
  limit: number;
  /**
   * The passages nearest in meaning, nearest first; `found` are those found by the query's words.
   */
  findSimilar?: (found: readonly number[]) => StoredPassage[];
}

export interface Retriever {
  /** The passages that fit the query best, best first; empty if none of its words is known. */
  retrieve(query: string, scope: PassageScope, options: RetrieveOptions): Hit[];
}

const candidateLimit = 50;
const maxPostings = 10_000;
/** Up to 60 kilobytes each. */
const maxCandidates = 300;

/**
 * SQLite ranks the passages by BM25 over its whole index. The best of them are ranked again by what
 * is rare among the chatbot's own passages, and by how the query's words are placed in them.
 */
export function createRetriever(passages: Pick<PassageStore, 'frequencies' | 'search'>): Retriever {
  const known = createCandidateCache();

  return {
    retrieve(query, scope, { previousQuery, limit, findSimilar }) {
      const { own, before, refers } = toQueryTokens(query, previousQuery);
      const phrase = toPhrase(query);
      const tokens = [...new Set([...own, ...phrase, ...before])];
      const frequencies = passages.frequencies(tokens, scope.chatbot);
      const found = passages.search(toTelling(tokens, frequencies), scope, candidateLimit);
      const similar = findSimilar?.(found.map(({ id }) => id)) ?? [];
      const candidates = unite(found, similar).map(known);
      const asked = phrase.filter((token) => candidates.some(({ counts }) => counts.has(token)));
      const shares = toShares({ own: [...own, ...asked], before, refers }, frequencies);
      const weights = toWeights(shares, frequencies, findNames(query, found.map(known)));
      const usualLength =
        candidates.reduce((sum, { length }) => sum + length, 0) / candidates.length || 1;
      const wanted = { asked: toAsked(query), weights };
      const byWords = candidates
        .map((candidate) => ({
          passage: candidate.passage,
          ...scoreCandidate(candidate, wanted, usualLength),
          weights,
        }))
        .toSorted((one, other) => other.score - one.score);
      const hits = similar.length === 0 ? byWords : fuseHits(byWords, similar);
      return hits.slice(0, limit);
    },
  };
}

/**
 * Passages as candidates; recent ones are not tokenized again unless they have changed. The passage
 * itself is the one given, whose source may have another title now.
 */
function createCandidateCache(): (passage: StoredPassage) => Candidate {
  const candidates = new Map<number, Candidate>();
  return (passage) => {
    const found = candidates.get(passage.id);
    candidates.delete(passage.id);
    const candidate = found && isSame(found.passage, passage) ? found : toCandidate(passage);
    candidates.set(passage.id, candidate);
    const [oldest] = candidates.keys();
    if (candidates.size > maxCandidates && oldest !== undefined) candidates.delete(oldest);
    return { ...candidate, passage };
  };
}

function isSame(one: StoredPassage, other: StoredPassage): boolean {
  return (
    one.text === other.text &&
    one.source.title === other.source.title &&
    one.headings.length === other.headings.length &&
    one.headings.every((heading, index) => heading === other.headings[index])
  );
}

function unite(found: StoredPassage[], similar: StoredPassage[]): StoredPassage[] {
  const ids = new Set(found.map(({ id }) => id));
  return [...found, ...similar.filter(({ id }) => !ids.has(id))];
}

/** Fuses both lists of hits; a hit without any word of the query is only in the second. */
function fuseHits(byWords: Hit[], similar: StoredPassage[]): Hit[] {
  const hits = new Map(byWords.map((hit) => [hit.passage.id, hit]));
  const withWords = byWords.filter(({ coverage }) => coverage > 0);
  const fused = fuse(
    withWords.map(({ passage }) => passage.id),
    similar.map(({ id }) => id),
  );
  return [...fused].flatMap(([id, score]) => {
    const hit = hits.get(id);
    return hit ? [{ ...hit, score }] : [];
  });
}

/**
 * The rarest tokens, as many as can be looked up in reasonable time: among 100,000 passages, a word
 * in every other one costs more than all the rest and does not help to find the best.
 */
function toTelling(tokens: string[], { of }: Frequencies): string[] {
  const rarestFirst = tokens
    .map((token) => ({ token, passages: of.get(token) ?? 0 }))
    .filter(({ passages }) => passages > 0)
    .toSorted((one, other) => one.passages - other.passages);
  let postings = 0;
  return rarestFirst
    .filter(({ passages }, index) => (postings += passages) <= maxPostings || index === 0)
    .map(({ token }) => token);
}
