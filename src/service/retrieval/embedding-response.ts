import { z } from 'zod';
import { parseJson } from '../../shared/primitives/text.ts';
import { ProblemError } from '../../shared/problems/problem.ts';

/** Embedding failed. The problem is shown to the source's owner. */
export class EmbeddingError extends ProblemError {
  override name = 'EmbeddingError';
}

/** The server returned an error. */
export class EmbedderRefusal extends Error {
  readonly status: number;
  /** Whether the server may accept fewer or shorter texts. */
  readonly isTooMuch: boolean;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number;

  constructor(status: number, detail: string, retryAfterMs = 0) {
    super(`The embedder answered ${status}`);
    this.status = status;
    // llama.cpp's server answers 500 to a text that is longer than its batch.
    this.isTooMuch =
      tooMuchStatuses.has(status) || (status === 500 && /too (?:large|long)/i.test(detail));
    this.retryAfterMs = retryAfterMs;
  }
}

const tooMuchStatuses = new Set([400, 413, 422]);

export function isTooMuch(error: unknown): boolean {
  return error instanceof EmbedderRefusal && error.isTooMuch;
}

export function toEmbeddingError(error: unknown): EmbeddingError {
  if (error instanceof EmbeddingError) return error;
  return error instanceof EmbedderRefusal
    ? new EmbeddingError(
        { code: 'embeddings_refused', params: { status: error.status } },
        { cause: error },
      )
    : new EmbeddingError('embeddings_unreachable', { cause: error });
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

function toUnit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}
