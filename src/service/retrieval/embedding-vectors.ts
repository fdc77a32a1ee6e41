import { z } from 'zod';
import {
  type PlainCode,
  type Problem,
  renderProblem,
  toProblem,
} from '../../shared/problems/problem.ts';

/** Embedding failed. The problem is shown to the source's owner; the message is in English. */
export class EmbeddingError extends Error {
  override name = 'EmbeddingError';
  readonly problem: Problem;

  constructor(problem: Problem | PlainCode, options?: ErrorOptions) {
    super(renderProblem(toProblem(problem)), options);
    this.problem = toProblem(problem);
  }
}

const Answer = z.looseObject({
  data: z.array(
    z.looseObject({ index: z.int().optional(), embedding: z.array(z.number()).min(1) }),
  ),
});

/**
 * The vectors of a response in the order of their texts, normalized to length 1.
 * @throws {EmbeddingError}
 */
export function parseVectors(json: string, count: number): Float32Array[] {
  const answer = Answer.safeParse(parseJson(json));
  const items = answer.data?.data.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0));
  const dimensions = items?.[0]?.embedding.length;
  if (items?.length !== count || items.some(({ embedding }) => embedding.length !== dimensions)) {
    throw new EmbeddingError('embeddings_wrong');
  }
  return items.map(({ embedding }) => toUnit(embedding));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toUnit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}
