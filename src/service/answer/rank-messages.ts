import type { Ranked, RankedQuestion } from './ranker.ts';

/** A question to the thread that ranks. */
export interface RankOrder {
  id: number;
  question: RankedQuestion;
}

/** Its answer. */
export type RankAnswer = { id: number; ranked: Ranked } | { id: number; error: Error };
