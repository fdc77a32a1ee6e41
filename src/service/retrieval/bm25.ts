import { sum } from '../../shared/primitives/iterables.ts';

/** What each of a query's tokens says about a passage that contains it. */
export type Weights = ReadonlyMap<string, number>;

/** How common tokens are among a chatbot's passages. */
export interface Frequencies {
  passages: number;
  /** Number of passages that contain each token; 0 if none does. */
  of: ReadonlyMap<string, number>;
}

/** The share of the weights that tokens hold: 0 to 1. */
export function toShare(tokens: readonly string[], weights: Weights): number {
  const held = [...new Set(tokens)].map((token) => weights.get(token) ?? 0);
  return sum(held) / (sum(weights.values()) || 1);
}

const saturation = 1.5;
const lengthShare = 0.75;

/** Inverse document frequency as in BM25, never below 0. */
export function rarity(token: string, { of, passages }: Frequencies): number {
  const withToken = of.get(token) ?? 0;
  return Math.log(1 + (passages - withToken + 0.5) / (withToken + 0.5));
}

/**
 * What BM25 gains by a token that a passage has `count` times.
 * @param length compared with the usual one
 */
export function gain(count: number, length: number): number {
  return (
    (count * (saturation + 1)) / (count + saturation * (1 - lengthShare + lengthShare * length))
  );
}
