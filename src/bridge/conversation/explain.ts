import type { Texts } from '../texts/texts.ts';
import { renderProblem } from '../../shared/problems/problem.ts';
import { ChatbotError } from './chatbot-error.ts';
import { renderPlainText } from './markdown/plain-text.ts';
import { PlatformError } from './platform-error.ts';
import { StoppedError, type StopReason } from './turns/running-turns.ts';

/** The sentence that people read when something failed: what happened, and what to do about it. */
export function explainError(error: unknown, texts: Texts): string {
  const { failures } = texts;
  if (error instanceof ChatbotError) {
    const { kind, message, problem, retryAfter = 0 } = error;
    const said = problem ? renderProblem(problem, texts) : message;
    return failures[kind](said, Math.ceil(retryAfter));
  }
  if (error instanceof PlatformError) return renderProblem(error.problem, texts);
  if (error instanceof StoppedError) return explainStop(error.reason, texts);
  return failures.other;
}

function explainStop(reason: StopReason, { thread: { stopped } }: Texts): string {
  return reason.kind === 'person'
    ? stopped.person(renderPlainText(reason.name))
    : stopped[reason.kind];
}
