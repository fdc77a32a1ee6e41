/** Keeps the items with the highest scores, highest first; of equal ones, those that came first. */
export interface Best {
  add(id: number, score: number): void;
  ids(): number[];
}

/** Fast for a small limit. */
export function createBest(limit: number): Best {
  const best: { id: number; score: number }[] = [];
  let least = -Infinity;
  return {
    add(id, score) {
      if (best.length === limit && score <= least) return;
      if (best.length === limit) best.pop();
      let place = best.length;
      while (place > 0 && (best[place - 1]?.score ?? 0) < score) place -= 1;
      best.splice(place, 0, { id, score });
      least = best.at(-1)?.score ?? 0;
    },
    ids: () => best.map(({ id }) => id),
  };
}
