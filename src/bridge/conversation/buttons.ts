import type { Log } from '../../shared/primitives/log.ts';
import type { Texts } from '../texts/texts.ts';
import type { ThreadAddress } from './address.ts';
import type { TurnRecord } from './inbox/row.ts';
import type { Button, Thread } from './thread.ts';
import type { NamedWorkspace } from './platform.ts';

/** Max characters of the line that says why an answer was not helpful. */
export const maxRemarkLength = 300;

/** The buttons below a streaming reply. */
export function streamingButtons(turn: string, { thread: { buttons } }: Texts): Button[] {
  return [{ action: 'stop', label: buttons.stop, turn }];
}

/** The buttons below a complete reply; managers teach the answer that a refusal lacks. */
export function answeredButtons(
  turn: string,
  { hasSources, isTaught = false }: { hasSources: boolean; isTaught?: boolean },
  { thread: { buttons } }: Texts,
): Button[] {
  const passages: Button = { action: 'passages', label: buttons.passages, turn };
  return [
    ...(hasSources ? [passages] : []),
    { action: 'helpful', label: buttons.helpful, turn },
    { action: 'unhelpful', label: buttons.unhelpful, turn },
    ...(isTaught ? [{ action: 'teach', label: buttons.teach, turn } as const] : []),
  ];
}

/** The button below a reply whose question the bot's own help answers, too. */
export function helpButtons(turn: string, { aboutBot }: Texts): Button[] {
  return [{ action: 'help', label: aboutBot.button, turn }];
}

/** What a button asks again: a question, as it was asked the last time. */
interface Asked {
  id: string;
  attempt: number;
}

/**
 * The button below an incomplete reply, a command that was not run (`run`), or the note that a question
 * was edited (`answerAgain`).
 */
export function retryButtons(
  { id, attempt }: Asked,
  { thread: { buttons } }: Texts,
  label: 'retry' | 'run' | 'answerAgain' = 'retry',
): Button[] {
  return [{ action: 'retry', label: buttons[label], turn: `${id}.${attempt}` }];
}

/**
 * Removes the buttons that ask a question again: it was asked again or deleted. Never rejects.
 * @param options.whyNot says in the log that it failed
 */
export async function endRetry(
  { id, address, posted, editNote, sources }: TurnRecord,
  options: { openThread(address: ThreadAddress): Thread | undefined; log: Log; whyNot: string },
): Promise<void> {
  const thread = options.openThread(address);
  const last = posted.at(-1);
  // A whole answer keeps its own buttons.
  const isIncomplete = sources === undefined;
  try {
    await Promise.all([
      isIncomplete && last !== undefined && thread?.message(last).keep?.('', []),
      editNote !== undefined && thread?.message(editNote).remove(),
    ]);
  } catch (error) {
    options.log.info({ err: error, turn: id }, options.whyNot);
  }
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
