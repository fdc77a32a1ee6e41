import type { Ranked, RankedQuestion } from './ranker.ts';

/** A message to the thread that ranks: a question, or a chatbot whose vectors have changed. */
export type RankOrder = { id: number; question: RankedQuestion } | { forget: string };

/** A message from the thread. */
export type RankAnswer = { id: number; ranked: Ranked } | { id: number; error: Error };
