import { sum } from '../../shared/primitives/iterables.ts';
import { type Frequencies, rarity, type Weights } from './bm25.ts';
import { expand, toFrequent } from './feedback.ts';
import type { PassageScope, PassageStore, StoredPassage } from '../store/passage-store.ts';
import type { Corpus } from './corpus.ts';
import type { SearchIndex } from './search-index.ts';
import { toAsked } from './question.ts';
import {
  findNames,
  respell,
  toEvidenceWeights,
  toQueryTokens,
  toShares,
  toWeights,
} from './search-query.ts';
import { type Score, scoreCandidates } from './score.ts';
import { toPhrase, tokenize } from './tokenize.ts';

/** A passage that may answer. */
export interface Hit extends Omit<Score, 'id' | 'placed'> {
  passage: StoredPassage;
  /** How much of the query stands in one place of it, as a multiple of what an answer needs. */
  evidence: number;
  /** The weight of each of the query's tokens. */
  weights: ReadonlyMap<string, number>;
}

interface RetrieveOptions {
  /** The query of the previous turn, which a follow-up question may refer to. */
  previousQuery?: string;
  /** Max hits to return. */
  limit: number;
  /**
   * The ids of the passages nearest in meaning, nearest first; `found` are those found by the query's
   * words.
   */
  findSimilar?: (found: readonly number[]) => Promise<number[]>;
  /**
   * Whether to search again with the terms that the best passages share. It finds more of what is
   * relevant, and less often puts the very best first.
   */
  feedback?: boolean;
}

export interface Retriever {
  /** The passages that fit the query best, best first; empty if none of its words is known. */
  retrieve(query: string, scope: PassageScope, options: RetrieveOptions): Promise<Hit[]>;
}

const candidateLimit = 50;
const maxPostings = 10_000;
/** The best passages from which a wider search takes its terms. */
const feedbackLimit = 10;

/**
 * Ranks the passages by BM25. The best of them are ranked again by what is rare among the chatbot's
 * own passages, and by how the query's words are placed in them.
 */
export function createRetriever({
  index,
  passages,
}: {
  index: SearchIndex;
  passages: Pick<PassageStore, 'get'>;
}): Retriever {
  /** Adds what has the terms that the best passages share. The very best stays first. */
  async function searchAgain(
    query: string,
    {
      corpus,
      scope,
      weights,
      byWords,
    }: { corpus: Corpus; scope: PassageScope; weights: Weights; byWords: Score[] },
  ): Promise<Score[]> {
    const best = byWords.slice(0, feedbackLimit);
    const terms = await index.terms(
      corpus,
      best.map(({ id }) => id),
    );
    const frequent = toFrequent(
      best.flatMap(({ id, score }) => {
        const own = terms.get(id);
        return own ? [{ score, terms: own }] : [];
      }),
    );
    const known = new Set([...weights.keys(), ...frequent.keys()]);
    const frequencies = await index.frequencies(corpus, [...known]);
    const telling = toTelling(expand(weights, frequent, frequencies), frequencies);
    const found = await index.best(corpus, telling, scope, candidateLimit);
    const candidates = await index.candidates(corpus, found, scope, new Set(weights.keys()));
    const scores = scoreCandidates(candidates, weights, toAsked(query));
    const [first, ...others] = byWords.map(({ id }) => id);
    const ids = new Set([...(first === undefined ? [] : [first]), ...found, ...others]);
    return only([...ids], [...byWords, ...scores]);
  }

  return {
    async retrieve(asked, scope, { previousQuery, limit, findSimilar, feedback }) {
      const corpus = await index.corpus(scope.chatbot);
      const query = await respell(asked, (tokens) => index.frequencies(corpus, tokens));
      const { own, before, refers } = toQueryTokens(query, previousQuery);
      const phrase = toPhrase(query);
      const frequencies = await index.frequencies(corpus, [
        ...new Set([...own, ...phrase, ...before]),
      ]);
      const findable = toWeights(
        toShares({ own: [...own, ...phrase], before, refers }, frequencies),
        frequencies,
        new Set(),
      );
      const telling = toTelling(findable, frequencies);
      const found = await index.best(corpus, telling, scope, candidateLimit);
      const similar = (await findSimilar?.(found)) ?? [];
      const candidates = await index.candidates(
        corpus,
        [...new Set([...found, ...similar])],
        scope,
        new Set([...findable.keys(), ...tokenize(query)]),
      );
      const askedPhrase = phrase.filter((token) =>
        candidates.some(({ headings }) => headings.has(token)),
      );
      const shares = toShares({ own: [...own, ...askedPhrase], before, refers }, frequencies);
      const names = findNames(query, only(found, candidates));
      const weights = toWeights(shares, frequencies, names);
      const byWords = scoreCandidates(candidates, weights, toAsked(query));
      const wider = feedback
        ? await searchAgain(query, { corpus, scope, weights, byWords })
        : byWords;
      const ranked = fuseScores(wider, only(similar, candidates)).slice(0, limit);
      const scores = new Map(ranked.map((each) => [each.id, each]));
      const hits = await passages.get([...scores.keys()]);
      const telltale = toEvidenceWeights(query, weights, { frequencies, names });
      const needed = toNeededShare(query, telltale, frequencies);
      return hits.flatMap((passage) => {
        const found = scores.get(passage.id);
        if (!found) return [];
        const { score, coverage, placed, unitWeights } = found;
        const evidence = placed(telltale) / needed;
        return [{ passage, score, coverage, unitWeights, weights, evidence }];
      });
    },
  };
}

/** Those of the items that are among the ids, in the order of the ids. */
function only<Item extends { id: number }>(ids: readonly number[], items: readonly Item[]): Item[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Fuses both lists; what has no word of the query is only in the second. */
function fuseScores(byWords: Score[], similar: readonly { id: number }[]): Score[] {
  if (similar.length === 0) return byWords;
  const withWords = byWords.filter(({ coverage }) => coverage > 0);
  const fused = fuse(
    withWords.map(({ id }) => id),
    similar.map(({ id }) => id),
  );
  return only([...fused.keys()], byWords).map((each) => ({
    ...each,
    score: fused.get(each.id) ?? 0,
  }));
}

/** The value of Cormack, Clarke and Büttcher (https://doi.org/10.1145/1571941.1572114). */
const rankConstant = 60;

/**
 * Reciprocal rank fusion: what ranks high in several lists comes first, whatever the scores mean.
 * An item's score is the sum of `1 / (60 + rank)` over its lists, with ranks from 1.
 */
export function fuse(...lists: (readonly number[])[]): Map<number, number> {
  const scores = new Map<number, number>();
  for (const list of lists) {
    for (const [index, id] of list.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (rankConstant + index + 1));
    }
  }
  return new Map([...scores].toSorted(([, one], [, other]) => other - one));
}

/**
 * The rarest tokens, as many as can be looked up in reasonable time: among 100,000 passages, a word
 * in every other one costs more than all the rest and does not help to find the best.
 */
function toTelling(weights: Weights, { of }: Frequencies): Weights {
  const rarestFirst = [...weights]
    .map(([token, weight]) => ({ token, weight, passages: of.get(token) ?? 0 }))
    .filter(({ passages }) => passages > 0)
    .toSorted((one, other) => one.passages - other.passages);
  let postings = 0;
  const telling = rarestFirst.filter(
    ({ passages }, index) => (postings += passages) <= maxPostings || index === 0,
  );
  return new Map(telling.map(({ token, weight }) => [token, weight]));
}

/** For each unit of rarity, this much more of a question has to be found. */
const shareOfRarity = 0.0248;
/** A question counts as if it had this many unknown words more, so that a short one needs more. */
const addedWords = 6;
/** The least share that has to be found, even among very few passages. */
const least = 0.304;
/** A question of which this much is found has evidence, however short. */
const enough = 0.608;

/** Where words have no spaces, one makes about three tokens, of which many are not words. */
const spacelessWordTokens = 3;
const spacelessShare = 0.605;
const spacelessPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * The share of a question's weight that has to stand in one place for it to be evidence. The more
 * passages there are, the more words does any question share with one of them by chance, and of a few
 * words none may be missing. Chosen with `npm run bench -- retrieval --curve`, for questions in all of
 * its languages.
 */
function toNeededShare(query: string, weights: Weights, frequencies: Frequencies): number {
  const isSpaceless = spacelessPattern.test(query);
  const unknown = rarity('', { ...frequencies, of: new Map() });
  const added = unknown * addedWords * (isSpaceless ? spacelessWordTokens : 1);
  const total = sum(weights.values());
  const share = shareOfRarity * unknown * (isSpaceless ? spacelessShare : 1);
  return Math.min(
    enough,
    Math.max(isSpaceless ? least * spacelessShare : least, share * (1 + added / (total || 1))),
  );
}
