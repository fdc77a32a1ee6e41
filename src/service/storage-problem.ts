import type { Problem } from '../messages/problem.ts';

/** The sources of an owner would be larger than they may be together. */
export function toStorageProblem(usedBytes: number, maxBytes: number): Problem {
  const params = { used: toMebibytes(usedBytes), max: toMebibytes(maxBytes) };
  return { code: 'storage_full', params };
}

function toMebibytes(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}
