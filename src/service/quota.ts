import type { Problem } from '../shared/problems/problem.ts';
import { HttpError } from './http-error.ts';
import { IngestionError } from './ingestion/document.ts';
import type { Store, Stores } from './store/store.ts';

/** How much an owner may store. The owner's usage in the store says what counts. */
export interface Quota {
  /**
   * Does the work in one transaction. Work that frees storage is allowed even when storage is full.
   * @throws {HttpError} 422 when the owner would store too much; nothing of the work is done then
   */
  within<Result>(owner: string, work: (tx: Stores) => Promise<Result>): Promise<Result>;
  /**
   * In a transaction, others that ask for the same owner wait for its end.
   * @param next what will replace the source's file and passages: the size of the file in bytes, and
   *   the draft's version, if there is one yet
   * @throws {IngestionError} when that doesn't fit
   */
  requireFits(
    { usage }: Pick<Stores, 'usage'>,
    source: string,
    next: { fileSize: number; draft?: number },
  ): Promise<void>;
}

export function createQuota(store: Pick<Store, 'transaction'>, maxBytes: number): Quota {
  return {
    within: (owner, work) =>
      store.transaction(async (tx) => {
        const before = await tx.usage.of(owner);
        const result = await work(tx);
        const after = await tx.usage.of(owner);
        if (after <= maxBytes || after <= before) return result;
        throw new HttpError(422, toFullProblem(before, maxBytes));
      }),

    async requireFits({ usage }, source, { fileSize, draft }) {
      const { used, own } = await usage.around(source);
      const others = used - own;
      const text = draft === undefined ? 0 : await usage.ofPassages(draft);
      const needed = fileSize + text;
      if (needed <= own || others + needed <= maxBytes) return;
      const left = maxBytes - others - fileSize;
      const problem: Problem =
        left < 0
          ? toFullProblem(others, maxBytes)
          : {
              code: 'text_too_large',
              params: { text: toMebibytes(text), left: toMebibytes(left) },
            };
      throw new IngestionError(problem);
    },
  };
}

function toFullProblem(usedBytes: number, maxBytes: number): Problem {
  const params = { used: toMebibytes(usedBytes), max: toMebibytes(maxBytes) };
  return { code: 'storage_full', params };
}

function toMebibytes(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}
