import { ChatbotError } from '../conversation/chatbot-error.ts';
import { PlatformError } from '../conversation/platform-error.ts';
import type { Messages } from '../messages/messages.ts';

/** The sentence a person reads, in their language, when a command failed. */
export function explainFailure(error: unknown, { failures }: Messages): string {
  if (error instanceof ChatbotError) {
    const { kind, message, retryAfter } = error;
    return failures[kind](message, Math.ceil(retryAfter ?? 0));
  }
  return error instanceof PlatformError ? failures.said(error.message) : failures.other;
}
