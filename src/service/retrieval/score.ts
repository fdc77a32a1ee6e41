import { toUnits } from '../ingestion/units.ts';
import type { StoredPassage } from '../store/passage-store.ts';
import { areKin, toFamily } from './kinship.ts';
import { type Asked, hasShape } from './question.ts';
import { isCapital, toHeadingTokens, tokenize, wordsWithin } from './tokenize.ts';

/** A passage, tokenized for scoring. */
export interface Candidate {
  passage: StoredPassage;
  /** How often each token occurs in its text, plus its weighted occurrences in the headings. */
  counts: ReadonlyMap<string, number>;
  /** The tokens of `counts` by their first letters, to find words of the same family. */
  families: ReadonlyMap<string, string[]>;
  /** How much more often each word within a sentence is written with a capital than without. */
  capitals: ReadonlyMap<string, number>;
  /** Each sentence, list item or code block, with its tokens. */
  units: { text: string; tokens: string[] }[];
  length: number;
}

const headingWeight = 1.5;

export function toCandidate(passage: StoredPassage): Candidate {
  const units = toUnits(passage.text).map(({ text }) => ({ text, tokens: tokenize(text) }));
  const counts = new Map<string, number>();
  let length = 0;
  for (const token of units.flatMap((unit) => unit.tokens)) {
    counts.set(token, (counts.get(token) ?? 0) + 1);
    length += 1;
  }
  for (const token of new Set(toHeadingTokens(passage, passage.source.title))) {
    counts.set(token, (counts.get(token) ?? 0) + headingWeight);
  }
  const families = Map.groupBy(counts.keys(), toFamily);
  return { passage, counts, families, capitals: countCapitals(passage.text), units, length };
}

function countCapitals(text: string): Map<string, number> {
  const capitals = new Map<string, number>();
  for (const word of wordsWithin(text)) {
    const more = isCapital(word) ? 1 : -1;
    for (const token of tokenize(word)) capitals.set(token, (capitals.get(token) ?? 0) + more);
  }
  return capitals;
}

/** A query, prepared for scoring. */
export interface Wanted {
  asked: Asked;
  weights: ReadonlyMap<string, number>;
}

const saturation = 1.2;
const lengthShare = 0.4;
const sentenceShare = 0.5;
const shapeShare = 0.75;
const kinShare = 0.5;

/**
 * Scores a passage: BM25 over its text and headings, where words of the same family count half,
 * plus a bonus for words that occur together in one sentence, above all one with what is asked for
 * (a date, a name). `coverage` is the share of the query's weight that it contains.
 */
export function scoreCandidate(
  candidate: Candidate,
  { weights, asked }: Wanted,
  usualLength: number,
): { score: number; coverage: number } {
  const length = 1 - lengthShare + (lengthShare * candidate.length) / usualLength;
  let score = 0;
  let total = 0;
  let held = 0;
  for (const [token, weight] of weights) {
    const count = countWithKin(candidate, token);
    score += (weight * count * (saturation + 1)) / (count + saturation * length);
    total += weight;
    held += weight * Math.min(1, count);
  }
  const together = candidate.units.map(
    ({ text, tokens }) =>
      sumWeights(new Set(tokens), weights) *
      (sentenceShare + (hasShape(asked, text) ? shapeShare : 0)),
  );
  return {
    score: score + Math.max(0, ...together),
    coverage: total === 0 ? 0 : held / total,
  };
}

function countWithKin({ counts, families }: Candidate, token: string): number {
  let count = counts.get(token) ?? 0;
  for (const other of families.get(toFamily(token)) ?? []) {
    if (areKin(token, other)) count += kinShare * (counts.get(other) ?? 0);
  }
  return count;
}

function sumWeights(tokens: Iterable<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const token of tokens) sum += weights.get(token) ?? 0;
  return sum;
}
