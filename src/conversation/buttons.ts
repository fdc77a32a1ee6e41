import type { Button } from './ports.ts';

/** What stands below a reply while it streams. */
export function streamingButtons(turn: string): Button[] {
  return [{ action: 'stop', label: 'Stop', turn }];
}

/** What stands below a reply that came to its end. */
export function answeredButtons(turn: string, hasSources: boolean): Button[] {
  const passages: Button = { action: 'passages', label: 'Show passages', turn };
  return [
    ...(hasSources ? [passages] : []),
    { action: 'helpful', label: 'Helpful', turn },
    { action: 'unhelpful', label: 'Not helpful', turn },
  ];
}

/** What stands below a reply that did not, or whose question was changed. */
export function retryButtons(turn: string, label = 'Try again'): Button[] {
  return [{ action: 'retry', label, turn }];
}

/** What stands below a reply where people can be asked for. */
export function personButtons(turn: string): Button[] {
  return [{ action: 'person', label: 'Talk to a person', turn }];
}

/** What ends a hand-over, which its label is called by elsewhere. */
export function resumeButtons(handOver: string): Button[] {
  return [{ action: 'resume', label: resumeLabel, turn: handOver }];
}

export const resumeLabel = 'Let the bot answer again';
