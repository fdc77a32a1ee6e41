import type { Thread } from '../ports.ts';
import { isDone, type TurnTools } from './ask.ts';
import { readSettled } from './settle.ts';
import { asTurn, type TurnRecord } from './turn-record.ts';
import type { TurnQueue } from './turn-queue.ts';

/**
 * Completes a reply that broke off, if the service has it after all: waits until the service
 * answers. Resolves once that is done, or left to the next start. Never rejects.
 */
export type CompleteLate = (turn: TurnRecord, thread: Thread) => Promise<void>;

/** @param options.closing aborted when the process begins to stop */
export function createCompleteLate(options: {
  tools: TurnTools;
  queue: TurnQueue;
  closing: AbortSignal;
}): CompleteLate {
  const { tools, queue, closing } = options;
  const { turns, log } = tools;

  async function complete(turn: TurnRecord, thread: Thread): Promise<void> {
    const stored = await readSettled(turn, tools, closing);
    const { unsettled, attempt } = (await turns.get(turn.id)) ?? {};
    // Somebody may have tried again meanwhile.
    if (!unsettled || attempt !== turn.attempt) return;
    const state = stored && isDone(stored) ? 'showing' : 'ended';
    const changed = asTurn(await turns.update(turn.id, { state, unsettled: undefined }, ['ended']));
    if (changed?.state === 'showing') await queue.run(changed, thread);
  }

  return async (turn, thread) => {
    try {
      await complete(turn, thread);
    } catch (error) {
      if (!closing.aborted) log.error({ err: error, turn: turn.id }, 'a reply was not completed');
    }
  };
}
