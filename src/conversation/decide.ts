import { messagesFor } from '../messages/messages.ts';
import type { HandOver } from './hand-over/hand-over.ts';
import type { MessageFilter } from './message-filter.ts';
import type { IncomingMessage } from './ports.ts';
import type { TurnStore } from './turns/turn-store.ts';
import type { Capacity } from './turns/capacity.ts';
import type { RunningTurns } from './turns/running-turns.ts';
import type { TurnQueue } from './turns/turn-queue.ts';
import type { TurnSteps } from './turns/turn-steps.ts';
import { asTurn, toAddress, toReceivedRow, toTurn, turnId } from './turns/turn-record.ts';

/**
 * Decides what a message becomes, and stores that. Resolves with what is to be done about it:
 * nothing if the message is not for us, was handled before or has been deleted. Called for the
 * messages of a thread one after another, in order of arrival.
 */
export type Decide = (message: IncomingMessage) => Promise<(() => Promise<void>) | undefined>;

/** Said to the bot, these words stop the streaming reply. */
const stopWords = /^(?:stop|stopp|halt|cancel)\s*[.!]*$/i;

export function createDecide(options: {
  turns: TurnStore;
  isForUs: MessageFilter;
  queue: TurnQueue;
  running: RunningTurns;
  capacity: Capacity;
  handOver: HandOver | undefined;
  steps: TurnSteps;
}): Decide {
  const { turns, isForUs, queue, running, capacity, handOver, steps } = options;

  async function decide(incoming: IncomingMessage) {
    const { id: messageId, thread, author, addressed, command } = incoming;
    const id = turnId(thread.address, messageId);
    const row = await turns.get(id);
    if (row && row.state !== 'received') return undefined;
    if (!(await isForUs(incoming))) {
      if (row) await turns.delete(id);
      return undefined;
    }
    if (!row) await turns.insert(toReceivedRow(toAddress(incoming)));
    if (command) return runCommand(id, incoming, command);
    if (await handOver?.handle(incoming)) return skip(id);
    const text = incoming.text.trim();
    const { greeting, tooManyWaiting, tooBusy } = messagesFor(author.locale).thread;
    if (text === '') return say(id, incoming, greeting);
    if (addressed !== 'overheard' && stopWords.test(text)) {
      const problem = running.stopIn(thread.address, author);
      return problem ? say(id, incoming, problem) : skip(id);
    }
    if (queue.isFull(thread.address)) return say(id, incoming, tooManyWaiting);
    if (capacity.isFull) return say(id, incoming, tooBusy);
    const accepted = { ...toTurn(incoming), state: 'accepted' } as const;
    const turn = asTurn(await turns.update(id, accepted, ['received']));
    return turn && (() => queue.run(turn, thread));
  }

  async function runCommand(id: string, incoming: IncomingMessage, command: () => Promise<void>) {
    const change = { ...toTurn(incoming), query: '', state: 'command' } as const;
    const row = asTurn(await turns.update(id, change, ['received']));
    if (!row) return undefined;
    return async () => {
      try {
        await command();
      } finally {
        await steps.end(row, { state: 'handled' });
      }
    };
  }

  /** Answers without asking the service. */
  async function say(id: string, incoming: IncomingMessage, text: string) {
    const ending = { text, footer: '', buttons: [] };
    const change = { ...toTurn(incoming), query: '', state: 'ending', ending } as const;
    const turn = asTurn(await turns.update(id, change, ['received']));
    return turn && (() => queue.run(turn, incoming.thread));
  }

  async function skip(id: string): Promise<undefined> {
    await turns.update(id, { state: 'handled', event: undefined });
  }

  return decide;
}
