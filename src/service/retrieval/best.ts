/** Keeps the items with the highest scores, highest first; of equal ones, those that came first. */
export interface Best {
  /** What a score must exceed to be added. */
  threshold(): number;
  add(id: number, score: number): void;
  ids(): number[];
}

/** Fast for a small limit. Scores up to `above` are left out. */
export function createBest(limit: number, above = -Infinity): Best {
  const ids = new Float64Array(limit);
  const scores = new Float64Array(limit);
  let count = 0;
  let threshold = above;
  return {
    threshold: () => threshold,
    add(id, score) {
      if (score <= threshold) return;
      let place = count < limit ? count : limit - 1;
      while (place > 0 && (scores[place - 1] ?? 0) < score) {
        scores[place] = scores[place - 1] ?? 0;
        ids[place] = ids[place - 1] ?? 0;
        place -= 1;
      }
      scores[place] = score;
      ids[place] = id;
      if (count < limit) count += 1;
      if (count === limit) threshold = scores[limit - 1] ?? 0;
    },
    ids: () => [...ids.subarray(0, count)],
  };
}
