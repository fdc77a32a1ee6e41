import { sum } from '../../shared/primitives/iterables.ts';
import { gain, type Weights } from './bm25.ts';
import { type Asked, shapeBit } from './question.ts';
import { type AskedTerms, headingWeight } from './terms.ts';

/** A passage that may answer, as far as ranking needs it. */
export interface Candidate {
  id: number;
  terms: AskedTerms;
  /** The tokens of its headings and its source's title. */
  headings: ReadonlySet<string>;
}

/** How well a candidate fits. */
export interface Score {
  id: number;
  /** Higher is better; comparable only among the candidates of one query. */
  score: number;
  /** The share of the query's weight that the candidate contains: 0 to 1. */
  coverage: number;
  /**
   * The share of the query's weight, by the given weights, that stands in one place: three sentences, with the
   * headings. A place without what is asked for (a date, a number) has less. Slow.
   */
  placed: (weights: Weights) => number;
  /** The weight of the query's words in each of the candidate's units that has any, by its number. */
  unitWeights: ReadonlyMap<number, number>;
}

const sentenceShare = 0.5;
const shapeShare = 0.75;
/** What a figure answers, which few other sentences have. */
const measured: ReadonlySet<Asked> = new Set(['time', 'number']);
/** What a place without what is asked for has less. */
const lackShare = 0.1;

/**
 * Scores candidates, best first: BM25 over text and headings, plus a bonus for words that occur together in one sentence, above all one with what is asked
 * for (a date, a name).
 */
export function scoreCandidates(
  candidates: readonly Candidate[],
  weightOf: Weights,
  asked: Asked,
): Score[] {
  const weights = [...weightOf.values()];
  const tokens = [...weightOf.keys()];
  const usualLength = sum(candidates.map(({ terms }) => terms.length)) / candidates.length || 1;
  const total = sum(weights);
  const bit = shapeBit(asked);
  const scores = candidates.map((candidate): Score => {
    const counts = countTokens(candidate, tokens);
    const length = candidate.terms.length / usualLength;
    let score = 0;
    let held = 0;
    for (const [place, weight] of weights.entries()) {
      const count = counts[place] ?? 0;
      score += weight * gain(count, length);
      held += weight * Math.min(1, count);
    }
    const unitWeights = weighUnits(candidate.terms, weightOf);
    return {
      id: candidate.id,
      score: score + togetherness(candidate.terms, unitWeights, bit),
      coverage: total === 0 ? 0 : held / total,
      unitWeights,
      placed: (weights) => weighPlaces(candidate, weights, measured.has(asked) ? bit : 0),
    };
  });
  return scores.toSorted((one, other) => other.score - one.score);
}

function weighUnits({ tokens, units }: AskedTerms, weights: Weights): Score['unitWeights'] {
  const known = tokens.map(({ token }) => weights.get(token) ?? 0);
  return new Map(
    units.map(({ number, places }) => [
      number,
      sum([...new Set(places)].map((place) => known[place] ?? 0)),
    ]),
  );
}

/** The highest share of the weights that stands in a unit and those beside it, and in the headings. */
function weighPlaces({ terms, headings }: Candidate, weights: Weights, bit: number): number {
  const total = sum(weights.values());
  const inHeadings = [...weights.keys()].filter((token) => headings.has(token));
  const weigh = (near: readonly AskedTerms['units'][number][]) => {
    const tokens = near.flatMap(({ places }) => places.map((place) => terms.tokens[place]?.token));
    const held = new Set([...inHeadings, ...tokens]);
    const weight = sum([...held].map((token) => weights.get(token ?? '') ?? 0));
    const lacksAsked = bit !== 0 && near.every(({ shapes }) => (shapes & bit) === 0);
    return weight - (lacksAsked ? lackShare * total : 0);
  };
  const places = terms.units.map(({ number }, index) => {
    const around = terms.units.slice(Math.max(0, index - 1), index + 2);
    return weigh(around.filter((other) => Math.abs(other.number - number) <= 1));
  });
  return total === 0 ? 0 : Math.max(weigh([]), ...places) / total;
}

/** The highest bonus of a unit. */
function togetherness(
  { units }: AskedTerms,
  unitWeights: Score['unitWeights'],
  bit: number,
): number {
  let highest = 0;
  for (const { number, shapes } of units) {
    const weight = unitWeights.get(number) ?? 0;
    highest = Math.max(highest, weight * (sentenceShare + ((shapes & bit) === 0 ? 0 : shapeShare)));
  }
  return highest;
}

/** How often a candidate has each of the tokens. */
function countTokens({ terms, headings }: Candidate, wanted: readonly string[]): number[] {
  const counts = new Map(terms.tokens.map(({ token, count }) => [token, count]));
  return wanted.map(
    (token) => (counts.get(token) ?? 0) + (headings.has(token) ? headingWeight : 0),
  );
}
