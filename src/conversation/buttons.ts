import type { Messages } from '../messages/messages.ts';
import type { Button } from './ports.ts';

/** What stands below a reply while it streams. */
export function streamingButtons(turn: string, { thread: { buttons } }: Messages): Button[] {
  return [{ action: 'stop', label: buttons.stop, turn }];
}

/** What stands below a reply that came to its end. */
export function answeredButtons(
  turn: string,
  hasSources: boolean,
  { thread: { buttons } }: Messages,
): Button[] {
  const passages: Button = { action: 'passages', label: buttons.passages, turn };
  return [
    ...(hasSources ? [passages] : []),
    { action: 'helpful', label: buttons.helpful, turn },
    { action: 'unhelpful', label: buttons.unhelpful, turn },
  ];
}

/** What stands below a reply that did not. */
export function retryButtons(turn: string, { thread: { buttons } }: Messages): Button[] {
  return [{ action: 'retry', label: buttons.retry, turn }];
}

/** What stands below the note that a question was changed. */
export function answerAgainButtons(turn: string, { thread: { buttons } }: Messages): Button[] {
  return [{ action: 'retry', label: buttons.answerAgain, turn }];
}

/** What stands below a reply where people can be asked for. */
export function personButtons(turn: string, { thread: { buttons } }: Messages): Button[] {
  return [{ action: 'person', label: buttons.person, turn }];
}

/** What ends a hand-over. */
export function resumeButtons(handOver: string, { thread: { buttons } }: Messages): Button[] {
  return [{ action: 'resume', label: buttons.resume, turn: handOver }];
}
