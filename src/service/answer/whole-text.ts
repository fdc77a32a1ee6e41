import type { ChatMessage, LanguageModel } from './language-model.ts';

/**
 * A completion as one text, for background work.
 * @throws {AnswerError} as `complete` does
 */
export async function completeWhole(
  model: LanguageModel,
  request: { messages: ChatMessage[]; model?: string },
  signal: AbortSignal,
): Promise<string> {
  const deltas = model.complete({ ...request, temperature: 0 }, signal);
  return (await Array.fromAsync(deltas)).join('');
}
