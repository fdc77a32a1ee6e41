import { sum } from '../../shared/primitives/iterables.ts';
import { type Frequencies, rarity, type Weights } from './bm25.ts';
import { countTerms, type Terms } from './terms.ts';

/** A passage that was found, with all its terms. */
interface Found {
  score: number;
  terms: Terms;
}

const maxTerms = 40;
/** The terms whose rarity is looked up. */
const maxFrequent = 200;
const ownShare = 0.5;

/**
 * The terms that the best passages share, by their weight: Lavrenko and Croft's relevance model, as in
 * Abdul-Jaleel's RM3. The best ones count most: by the cube of their scores.
 */
export function toFrequent(found: readonly Found[]): Map<string, number> {
  const total = sum(found.map(({ score }) => score ** 3)) || 1;
  const weights = new Map<string, number>();
  for (const { score, terms } of found) {
    const counts = countTerms(terms);
    const length = sum(counts.values());
    for (const [term, count] of counts) {
      const weight = (score ** 3 / total) * (count / length);
      weights.set(term, (weights.get(term) ?? 0) + weight);
    }
  }
  return new Map([...weights].toSorted(([, one], [, other]) => other - one).slice(0, maxFrequent));
}

/** A query's weights together with those of the terms that its best passages share. */
export function expand(
  own: Weights,
  frequent: ReadonlyMap<string, number>,
  frequencies: Frequencies,
): Map<string, number> {
  const shared = [...frequent]
    .map(([term, weight]): [string, number] => [term, weight * rarity(term, frequencies)])
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, maxTerms)
    .map(([term, weight]): [string, number] => [term, weight * rarity(term, frequencies)]);
  const expanded = toPart(new Map(shared), 1 - ownShare);
  for (const [term, weight] of toPart(own, ownShare)) {
    expanded.set(term, (expanded.get(term) ?? 0) + weight);
  }
  return expanded;
}

/** The weights in proportion, so that their sum is `share`. */
function toPart(weights: Weights, share: number): Map<string, number> {
  const total = sum(weights.values()) || 1;
  return new Map([...weights].map(([term, weight]) => [term, (weight * share) / total]));
}
