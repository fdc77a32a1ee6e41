import { areKin, toFamily } from './kinship.ts';
import { type Asked, shapeBit } from './question.ts';
import { findPlace, type Terms } from './terms.ts';

/** A passage that may answer, as far as ranking needs it. */
export interface Candidate {
  id: number;
  terms: Terms;
  /** The tokens of its headings and its source's title. */
  headings: ReadonlySet<string>;
}

/** A query, prepared for scoring. */
export interface Wanted {
  asked: Asked;
  weights: ReadonlyMap<string, number>;
}

/** How well a candidate fits. */
export interface Score {
  id: number;
  /** Higher is better; comparable only among the candidates of one query. */
  score: number;
  /** The share of the query's weight that the candidate contains: 0 to 1. */
  coverage: number;
}

const headingWeight = 1.5;
const saturation = 1.2;
const lengthShare = 0.4;
const sentenceShare = 0.5;
const shapeShare = 0.75;
const kinShare = 0.5;

/**
 * Scores candidates, best first: BM25 over text and headings, where words of the same family count
 * half, plus a bonus for words that occur together in one sentence, above all one with what is asked
 * for (a date, a name).
 */
export function scoreCandidates(candidates: readonly Candidate[], wanted: Wanted): Score[] {
  const weights = [...wanted.weights.values()];
  const tokens = [...wanted.weights.keys()];
  const lengths = candidates.map(({ terms: { units } }) =>
    sum(units.map(({ places }) => places.length)),
  );
  const usualLength = sum(lengths) / candidates.length || 1;
  const total = sum(weights);
  const scores = candidates.map((candidate, index): Score => {
    const counts = countTokens(candidate, tokens);
    const length = 1 - lengthShare + (lengthShare * (lengths[index] ?? 0)) / usualLength;
    let score = 0;
    let held = 0;
    for (const [place, weight] of weights.entries()) {
      const count = counts[place] ?? 0;
      score += (weight * count * (saturation + 1)) / (count + saturation * length);
      held += weight * Math.min(1, count);
    }
    return {
      id: candidate.id,
      score: score + togetherness(candidate.terms, wanted),
      coverage: total === 0 ? 0 : held / total,
    };
  });
  return scores.toSorted((one, other) => other.score - one.score);
}

/** The highest bonus of a unit. */
function togetherness(terms: Terms, { weights, asked }: Wanted): number {
  const known = new Map<number, number>();
  for (const [token, weight] of weights) {
    const place = findPlace(terms, token);
    if (terms.tokens[place] === token) known.set(place, weight);
  }
  const bit = shapeBit(asked);
  let highest = 0;
  for (const { shapes, places } of terms.units) {
    const held = new Set(places.filter((place) => known.has(place)));
    if (held.size === 0) continue;
    const weight = sum([...held].map((place) => known.get(place) ?? 0));
    highest = Math.max(highest, weight * (sentenceShare + ((shapes & bit) === 0 ? 0 : shapeShare)));
  }
  return highest;
}

/** Counts how often a candidate has each of the tokens: a word of the same family counts half. */
function countTokens({ terms, headings }: Candidate, wanted: readonly string[]): number[] {
  const inText = countPlaces(terms);
  return wanted.map((token) => {
    let count = 0;
    const family = toFamily(token);
    for (let place = findPlace(terms, family); place < inText.length; place += 1) {
      const other = terms.tokens[place] ?? '';
      if (!other.startsWith(family)) break;
      count += toShare(token, other) * (inText[place] ?? 0);
    }
    for (const other of headings) count += toShare(token, other) * headingWeight;
    return count;
  });
}

function toShare(token: string, other: string): number {
  if (token === other) return 1;
  return areKin(token, other) ? kinShare : 0;
}

function countPlaces({ tokens, units }: Terms): Uint32Array {
  const counts = new Uint32Array(tokens.length);
  for (const { places } of units) {
    for (const place of places) counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

function sum(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
