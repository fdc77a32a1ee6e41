import { passageId } from '../store/passage-draft.ts';
import type { PassageScope } from '../store/passage-store.ts';
import type { Queries } from '../store/schema.ts';
import { type Frequencies, gain, type Weights } from './bm25.ts';
import { type Corpus, createReadCorpus, sourceOf } from './corpus.ts';
import { createPostings, type Posting } from './postings.ts';
import type { Candidate } from './score.ts';
import { parseTerms, type Terms, toAskedTerms, toTerms } from './terms.ts';
import { createTopK } from './top-k.ts';

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
