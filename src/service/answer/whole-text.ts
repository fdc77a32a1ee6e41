import type { LanguageModel } from './language-model.ts';
import type { ChatMessage } from './request-form.ts';

/**
 * A completion as one text, for background work.
 * @throws {AnswerError} as `complete` does
 */
export async function completeWhole(
  model: LanguageModel,
  request: { messages: ChatMessage[]; model?: string },
  signal: AbortSignal,
): Promise<string> {
  const deltas = model.complete(request, signal);
  return (await Array.fromAsync(deltas)).join('');
}
