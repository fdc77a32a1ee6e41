/** What each of a query's tokens says about a passage that contains it. */
export type Weights = ReadonlyMap<string, number>;

/** How common tokens are among a chatbot's passages. */
export interface Frequencies {
  passages: number;
  /** Number of passages that contain each token; 0 if none does. */
  of: ReadonlyMap<string, number>;
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
