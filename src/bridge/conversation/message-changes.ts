import { textsFor } from '../texts/texts.ts';
import type { Queue } from '../../shared/primitives/queue.ts';
import type { Access } from './access.ts';
import { answerAgainButtons } from './buttons.ts';
import type { HandOver } from './hand-over/hand-over.ts';
import type { Author, IncomingMessage, MessageAddress, Thread } from './ports.ts';
import type { TurnStore } from './turns/turn-store.ts';
import type { Sessions } from './sessions.ts';
import type { RunningTurns } from './turns/running-turns.ts';
import { asTurn, toReceivedRow, type TurnRecord, turnId } from './turns/turn-record.ts';

/** What follows when a person edits or deletes a message. */
export interface MessageChanges {
  /**
   * Asks the edited question, if it has not been asked yet. Otherwise offers to ask it again, if it
   * belongs to the thread's last turn or a running one. Called in the order of the thread; resolves
   * with what is left to do outside of it.
   */
  edited(edited: { message: IncomingMessage; sentAt: number }): Promise<() => Promise<void>>;
  /** Stops the answer, or keeps it from being begun. */
  removed(message: MessageAddress): Promise<void>;
}

export interface MessageChangeOptions {
  turns: TurnStore;
  running: RunningTurns;
  sessions: Pick<Sessions, 'find'>;
  handOver: HandOver | undefined;
  access: Pick<Access, 'refusal'>;
  /** What concerns one message, by its turn's id. */
  order: Queue;
  /** Handles a message that became a question. */
  hear(message: IncomingMessage): Promise<void>;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/**
 * A mention added to an older message is not heard. What was answered is known for 30 days, so
 * younger messages that are not known never had an answer.
 */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;

export function createMessageChanges(options: MessageChangeOptions): MessageChanges {
  const { turns, running, sessions, handOver, access, order, hear, now = Date.now } = options;

  async function isCurrent(id: string, { address }: Thread): Promise<boolean> {
    if (!running.has(id) && (await sessions.find(address))?.lastTurn !== id) return false;
    const handedOver = await handOver?.find(address);
    return !handedOver || handedOver.ended === true;
  }

  async function offerAgain(id: string, thread: Thread, { locale }: Author): Promise<void> {
    const texts = textsFor(locale);
    const buttons = answerAgainButtons(id, texts);
    const note = await thread.post(
      { markdown: texts.thread.questionEdited, buttons },
      `${id}.edit`,
    );
    await turns.update(id, { editNote: note.id });
  }

  async function askAnew(turn: TurnRecord, { thread, author, text }: IncomingMessage) {
    const { id } = turn;
    if ((turn.edited ?? turn.query) === text || text.trim() === '') return;
    if (await turns.update(id, { query: text }, ['accepted'])) return;
    if (!(await isCurrent(id, thread))) return;
    await turns.update(id, { edited: text });
    if (turn.editNote === undefined) await offerAgain(id, thread, author);
  }

  /** Updates what people said during a hand-over, after the message itself has been recorded. */
  async function correctSaid(id: string, text: string): Promise<void> {
    await order.run(id, async () => handOver?.corrected(id, text));
  }

  return {
    async edited({ message, sentAt }) {
      const { id: messageId, thread, text, addressed } = message;
      const id = turnId(thread.address, messageId);
      const row = await turns.get(id);
      const isForUs = addressed !== 'overheard' && now() - sentAt < maxAgeMs;
      if (!row && isForUs) return () => hear(message);
      const turn = asTurn(row);
      if (!turn) return () => correctSaid(id, text);
      const refusal = await access.refusal(thread.address, message.author, 'ask');
      if (!message.command && !refusal) await askAnew(turn, message);
      return async () => {};
    },
    async removed(message) {
      const id = turnId(message, message.id);
      const gone = { state: 'handled', event: undefined } as const;
      const isDropped = await turns.update(id, gone, ['received', 'accepted']);
      // The deletion may arrive before the message.
      if (!isDropped) await turns.insert({ ...toReceivedRow(message), ...gone });
      running.abort(id, { kind: 'removed' });
      await correctSaid(id, '');
    },
  };
}
