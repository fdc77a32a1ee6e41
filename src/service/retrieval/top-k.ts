/**
 * Keeps the items with the highest scores, highest first; of equal ones, those that came first. Fast for a
 * small limit. Scores up to `above` are left out.
 */
export function createTopK(limit: number, above = -Infinity) {
  const ids = new Float64Array(limit);
  const scores = new Float64Array(limit);
  let count = 0;
  let threshold = above;
  return {
    /** What a score must exceed to be added. */
    threshold: () => threshold,
    add(id: number, score: number): void {
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

/** A chatbot's vectors, one after the other. */
export interface VectorMatrix {
  model: string;
  dimensions: number;
  ids: number[];
  /** The number of each vector's source. */
  sources: number[];
  values: Float32Array;
}

/** The ids of the rows nearest to a vector, nearest first, found in one pass. */
export function nearest(
  { ids, sources, values, dimensions }: VectorMatrix,
  vector: Float32Array,
  among: ReadonlySet<number> | undefined,
  limit: number,
): number[] {
  const best = createTopK(limit);
  for (const [row, id] of ids.entries()) {
    if (among && !among.has(sources[row] ?? 0)) continue;
    best.add(id, dot(values, row * dimensions, vector));
  }
  return best.ids();
}

/** The cosine of two unit vectors; the first one starts at `from`. */
export function dot(values: Float32Array, from: number, vector: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) {
    sum += (values[from + index] ?? 0) * (vector[index] ?? 0);
  }
  return sum;
}
