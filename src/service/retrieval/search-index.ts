import { passageId } from '../store/passage-draft.ts';
import type { PassageScope } from '../store/passage-store.ts';
import type { Queries } from '../store/schema.ts';
import { type Corpus, createReadCorpus, sourceOf } from './corpus.ts';
import { createPostings, type Posting } from './postings.ts';
import type { Candidate } from './score.ts';
import { type Families, parseTerms, type Terms, toAskedTerms, toTerms } from './terms.ts';
import { createTopK } from './top-k.ts';

/** How common tokens are among a chatbot's passages. */
export interface Frequencies {
  passages: number;
  /** Number of passages that contain each token; 0 if none does. */
  of: ReadonlyMap<string, number>;
}

/** Finds passages by their words. */
export interface SearchIndex {
  /** What a chatbot's search sees now. */
  corpus(chatbot: string): Promise<Corpus>;
  frequencies(corpus: Corpus, tokens: readonly string[]): Promise<Frequencies>;
  /**
   * The ids of the best passages by BM25, best first; each contains at least one of the tokens. Of equal
   * ones, the earlier ones come first.
   */
  best(
    corpus: Corpus,
    tokens: readonly string[],
    scope: PassageScope,
    limit: number,
  ): Promise<number[]>;
  /**
   * The passages with these ids that are in scope, in the order of the ids, as far as ranking needs
   * them for tokens of these families.
   */
  candidates(
    corpus: Corpus,
    ids: readonly number[],
    scope: PassageScope,
    families: Families,
  ): Promise<Candidate[]>;
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

  return {
    corpus: createReadCorpus(db),
    async frequencies(corpus, tokens) {
      return { passages: corpus.lengths.length, of: await postings.count(corpus, tokens) };
    },
    async best(corpus, tokens, { sources }, limit) {
      if (tokens.length === 0) return [];
      const scores = scoreRows(corpus, await postings.read(corpus, tokens));
      return findBest(corpus, scores, sources && new Set(sources), limit);
    },
    async candidates(corpus, ids, { sources }, families) {
      const among = sources && new Set(sources);
      const found = ids.flatMap((id) => {
        const source = sourceOf(corpus, id);
        return source && among?.has(source.uuid) !== false ? [{ id, source }] : [];
      });
      const [outdated = [], current = []] = [false, true].map((isCurrent) =>
        found.filter(({ source }) => source.isCurrent === isCurrent).map(({ id }) => id),
      );
      const terms = new Map([
        ...(await readTerms(current, true)),
        ...(await readTerms(outdated, false)),
      ]);
      return found.flatMap(({ id, source }) => {
        const own = terms.get(id);
        if (!own) return [];
        const asked = toAskedTerms(own, families);
        return [{ id, terms: asked, headings: new Set([...source.titleTerms, ...asked.headings]) }];
      });
    },
  };
}

/** As in most implementations of BM25. */
const saturation = 1.2;
const lengthShare = 0.75;
/** A term in most of the passages counts a little, too. */
const minRarity = 1e-6;

/** The BM25 score of each row. */
function scoreRows(
  { lengths, usualLength }: Corpus,
  postings: ReadonlyMap<string, Posting>,
): Float64Array {
  const scores = new Float64Array(lengths.length);
  for (const { rows, counts } of postings.values()) {
    const rarity = Math.log((lengths.length - rows.length + 0.5) / (rows.length + 0.5));
    const weight = Math.max(rarity, minRarity);
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const count = counts[index] ?? 0;
      const length = 1 - lengthShare + (lengthShare * (lengths[row] ?? 0)) / usualLength;
      const gained = weight * ((count * (saturation + 1)) / (count + saturation * length));
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
