import { createBest } from './best.ts';

/** A chatbot's vectors, one after the other. */
export interface VectorMatrix {
  model: string;
  dimensions: number;
  ids: number[];
  /** The number of each vector's source. */
  sources: number[];
  values: Float32Array;
}

/** The ids of the best rows, found in one pass. */
export function nearest(
  { ids, sources, values, dimensions }: VectorMatrix,
  vector: Float32Array,
  among: ReadonlySet<number> | undefined,
  limit: number,
): number[] {
  const best = createBest(limit);
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
