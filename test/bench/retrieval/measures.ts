/** The usual measures of a ranking: sources by their place, best first, and those that are relevant. */
type Measure = (ranked: readonly number[], relevant: ReadonlySet<number>) => number;

/** Järvelin and Kekäläinen's, with judgements of 0 or 1. */
export const ndcg10: Measure = (ranked, relevant) => {
  const gain = (places: number[]) =>
    places.reduce((total, place) => total + 1 / Math.log2(place + 2), 0);
  const found = toPlaces(ranked, relevant).filter((place) => place < 10);
  return gain(found) / gain([...Array(Math.min(10, relevant.size)).keys()]);
};

/** Average precision over all that is ranked. */
export const averagePrecision: Measure = (ranked, relevant) =>
  toPlaces(ranked, relevant).reduce((total, place, index) => total + (index + 1) / (place + 1), 0) /
  relevant.size;

export const recall10: Measure = (ranked, relevant) =>
  toPlaces(ranked, relevant).filter((place) => place < 10).length / relevant.size;

/** Whether one of the first `count` is relevant. */
export const within =
  (count: number): Measure =>
  (ranked, relevant) =>
    ranked.slice(0, count).some((each) => relevant.has(each)) ? 1 : 0;

function toPlaces(ranked: readonly number[], relevant: ReadonlySet<number>): number[] {
  return [...ranked.entries()].flatMap(([place, each]) => (relevant.has(each) ? [place] : []));
}

/** The mean, rounded to four digits; undefined of nothing. */
export function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const total = values.reduce((sum, value) => sum + value, 0);
  return Math.round((total / values.length) * 10_000) / 10_000;
}
