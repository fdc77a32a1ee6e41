import { ChatbotError } from './chatbot-error.ts';
import { renderPlainText } from './markdown/plain-text.ts';
import { PlatformError } from './platform-error.ts';
import { StoppedError, type StopReason } from './stopped-error.ts';

/** The sentence a person reads when something failed: what happened, and what to do about it. */
export function explainError(error: unknown): string {
  if (error instanceof ChatbotError) return explainChatbotError(error);
  if (error instanceof PlatformError) return error.message;
  if (error instanceof StoppedError) return explainStop(error.reason);
  return 'Something went wrong on my side. Please try again; if it keeps happening, the people who run this bot find the reason in its log.';
}

function explainStop(reason: StopReason): string {
  switch (reason.kind) {
    case 'restart':
      return 'I was restarted before this answer was done. Please ask again.';
    case 'person':
      return `Stopped by ${renderPlainText(reason.name)}.`;
    case 'removed':
      return 'Stopped, because the question was deleted.';
  }
}

function explainChatbotError(error: ChatbotError): string {
  switch (error.kind) {
    case 'unauthorized':
      return 'The chatbot service refuses my key. Whoever runs this bot needs to check CHATBOT_API_KEY.';
    case 'not_found':
      return 'The chatbot service no longer knows what I asked for. It may have been deleted there.';
    case 'invalid':
    case 'too_large':
    case 'unsupported_type':
      return `The chatbot service did not accept that: ${error.message}`;
    case 'conflict':
      return 'The chatbot already has that.';
    case 'rate_limited':
      return `The chatbot service is getting too many requests. Please try again ${waitingTime(error)}.`;
    case 'unavailable':
      return 'I can’t reach the chatbot service right now. Please try again in a moment.';
    case 'timeout':
      return 'The chatbot service took too long to answer. Please try again.';
    case 'interrupted':
      return 'The answer broke off before its end. Please ask again.';
    case 'protocol':
      return 'The chatbot service gave an answer I can’t read. Please try again; if it keeps happening, tell the people who run this bot.';
    case 'aborted':
      return 'This was stopped before it was done.';
  }
}

function waitingTime(error: ChatbotError): string {
  const seconds = Math.ceil(error.retryAfter ?? 0);
  if (seconds <= 0) return 'in a moment';
  return seconds === 1 ? 'in a second' : `in ${seconds} seconds`;
}
