import { monotonicMs } from '../../../shared/primitives/time.ts';
import { isRefusal } from '../errors.ts';
import type { GrowingMessage } from './growing-message.ts';
import type { Pacer } from './pacer.ts';
import { noteLimit } from './write-permits.ts';

/** Longer than a write is waited for: what the platform still carries out has been by then. */
const repeatAfterMs = 60_000;

export interface RepeatOptions {
  /** Whether the messages still belong to this reply, as it ended; asked before each repetition. */
  isCurrent(): Promise<boolean>;
  /** Aborted when the process begins to stop: nothing is repeated any more. */
  signal: AbortSignal;
}

/**
 * Repeats the last edit of messages that may show an older text meanwhile: the platform accepted an
 * edit that was not waited for any longer, and carried it out after the last one. Resolves at once if
 * there are no such messages. The wait does not keep the process running.
 * @throws {PlatformError}
 */
export async function repeatLastEdits(
  written: readonly GrowingMessage[],
  { pacer, isCurrent, signal }: RepeatOptions & { pacer: Pacer },
): Promise<void> {
  const unsure = written.filter((message) => message.isUnsure);
  if (unsure.length === 0) return;
  await new Promise<void>((resolve) => {
    setTimeout(resolve, repeatAfterMs).unref();
  });
  for (const message of unsure) await repeatEdit(message, { pacer, isCurrent, signal });
}

async function repeatEdit(
  message: GrowingMessage,
  { pacer, isCurrent, signal }: RepeatOptions & { pacer: Pacer },
): Promise<void> {
  const budget = message.budget(true);
  for (;;) {
    using _ = await pacer.permit(budget, { urgency: 'interim', since: monotonicMs(), signal });
    if (!(await isCurrent()) || signal.aborted) return;
    try {
      await message.repeat();
      return pacer.accepted(budget);
    } catch (error) {
      if (!isRefusal(error, 'rate_limited')) throw error;
      noteLimit(pacer, budget, error);
    }
  }
}
