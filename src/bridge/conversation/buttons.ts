import type { Texts } from '../texts/texts.ts';
import type { Button } from './thread.ts';
import type { NamedWorkspace } from './platform.ts';

/** The buttons below a streaming reply. */
export function streamingButtons(turn: string, { thread: { buttons } }: Texts): Button[] {
  return [{ action: 'stop', label: buttons.stop, turn }];
}

/** The buttons below a complete reply. */
export function answeredButtons(
  turn: string,
  hasSources: boolean,
  { thread: { buttons } }: Texts,
): Button[] {
  const passages: Button = { action: 'passages', label: buttons.passages, turn };
  return [
    ...(hasSources ? [passages] : []),
    { action: 'helpful', label: buttons.helpful, turn },
    { action: 'unhelpful', label: buttons.unhelpful, turn },
  ];
}

/** The button below a reply whose question the bot's own help answers, too. */
export function helpButtons(turn: string, { aboutBot }: Texts): Button[] {
  return [{ action: 'help', label: aboutBot.button, turn }];
}

/** The button below an incomplete reply. */
export function retryButtons(turn: string, { thread: { buttons } }: Texts): Button[] {
  return [{ action: 'retry', label: buttons.retry, turn }];
}

/** The button below a command that was not run. */
export function runButtons(turn: string, { thread: { buttons } }: Texts): Button[] {
  return [{ action: 'retry', label: buttons.run, turn }];
}

/** The button below the note that a question was edited. */
export function answerAgainButtons(turn: string, { thread: { buttons } }: Texts): Button[] {
  return [{ action: 'retry', label: buttons.answerAgain, turn }];
}

/** The button below a reply with which to ask for a person. */
export function personButtons(turn: string, { thread: { buttons } }: Texts): Button[] {
  return [{ action: 'person', label: buttons.person, turn }];
}

/** The button that ends a hand-over. */
export function resumeButtons(handOver: string, { thread: { buttons } }: Texts): Button[] {
  return [{ action: 'resume', label: buttons.resume, turn: handOver }];
}

/** Max buttons in a row, on all platforms. */
export const maxChoices = 5;

/** The buttons that choose the workspace of a direct message, and then ask its question. */
export function chooseButtons(turn: string, workspaces: readonly NamedWorkspace[]): Button[] {
  return workspaces
    .slice(0, maxChoices)
    .map(({ id, name }) => ({ action: 'choose', label: name, turn: `${turn}.${id}` }));
}
