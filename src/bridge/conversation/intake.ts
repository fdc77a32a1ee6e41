import { createLru } from '../../shared/primitives/cache.ts';
import { textsFor } from '../texts/texts.ts';
import { keepTrying, retry } from '../../shared/primitives/retry.ts';
import { beginInOrder, createQueue } from '../../shared/primitives/queue.ts';
import { sleep } from '../../shared/primitives/time.ts';
import type { Access } from './access.ts';
import { addressKey, channelKey, type MessageAddress, type ThreadAddress } from './address.ts';
import { answerAgainButtons } from './buttons.ts';
import type { Decide } from './decide.ts';
import { ChatbotError, explainError, PlatformError, StoppedError } from './errors.ts';
import type { HandOver } from './hand-over/hand-over.ts';
import type { Author, Delivery, Edit, IncomingMessage, Receiver } from './platform.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Thread } from './thread.ts';
import type { Sessions } from './sessions.ts';
import type { TurnQueue } from './turns/turn-queue.ts';
import {
  asTurn,
  toReceivedRow,
  type TurnRecord,
  turnId,
  type TurnStore,
} from './turns/turn-record.ts';

/** Takes in what platforms deliver, in order of arrival: messages, edits and deletions. */
export interface Intake extends Pick<Receiver, 'received' | 'message' | 'edited' | 'removed'> {
  /** Reads a stored message, and handles it. Never rejects. */
  read(delivery: Omit<Delivery, 'event'>): Promise<void>;
  /** Resolves once no message is being handled. */
  idle(): Promise<void>;
}

interface IntakeOptions {
  turns: TurnStore;
  decide: Decide;
  recognize(thread: ThreadAddress, person: Author): Promise<Author>;
  queue: TurnQueue;
  sessions: Pick<Sessions, 'find'>;
  handOver: HandOver | undefined;
  access: Pick<Access, 'refusal'>;
  log: Log;
  /** Aborted when the process begins to stop: messages are only stored now, for the next start. */
  closing: AbortSignal;
  /** Aborted at the end of shutdown, when nothing more is written. */
  signal: AbortSignal;
}

/** Reading a message asks the platform for names. */
const maxReads = 4;
const readAgainMs = 1_000;

/** Tries to handle a message while the store or its platform fails: a quarter of an hour. */
const maxTries = 20;

/**
 * A mention that is added to an older message is ignored. Rows of answers are kept for 30 days, so a
 * younger message without a row was never answered.
 */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;

export function createIntake(options: IntakeOptions): Intake {
  const { turns, decide, recognize, queue, sessions, handOver, access, log } = options;
  const { closing, signal } = options;
  /** Messages are read in order of arrival per channel, and decided on per thread. */
  const reading = createQueue();
  const deciding = createQueue();
  /** What concerns one message happens in order. */
  const messages = createQueue();
  /** Messages whose author was told that they can't be handled. */
  const told = createLru<true>(1000);

  async function received(delivery: Delivery): Promise<void> {
    const row = toReceivedRow(delivery, delivery.event);
    try {
      const isNew = await turns.insert(row);
      // Slack delivers a mention as two events; the first may not be for us.
      if (!isNew && (await turns.get(row.id))?.state !== 'received') return;
    } catch (error) {
      void tellAuthor(delivery, error);
      throw error;
    }
    if (!closing.aborted) void read(delivery);
  }

  async function read(delivery: Omit<Delivery, 'event'>): Promise<void> {
    const attempt = () =>
      beginInOrder(reading, channelKey(delivery), async () => {
        const incoming = await retry(() => delivery.read(), {
          waitMs: (_error, failures) => (failures < maxReads ? readAgainMs * failures : undefined),
          sleep,
          signal,
        });
        if (!incoming) await turns.delete(turnId(delivery, delivery.id));
        return () => (incoming ? message(incoming) : undefined);
      });
    // Meanwhile the channel's other messages go on.
    const onFirstFailure = (error: unknown) =>
      log.error({ err: error, channel: delivery.channel }, 'a message could not be read');
    await keepTrying(attempt, {
      signal: closing,
      onFirstFailure,
      mayRetry: (_error, failures) => failures < maxTries,
    }).done;
  }

  async function message(incoming: IncomingMessage): Promise<void> {
    const { thread, id } = incoming;
    const { address } = thread;
    const handle = () =>
      messages.run(turnId(address, id), () =>
        beginInOrder(deciding, addressKey(address), () => begin(incoming)),
      );
    let telling: Promise<void> | undefined;
    const { tried } = keepTrying(handle, {
      signal: closing,
      onFirstFailure(error) {
        telling = failed(incoming, error);
      },
      mayRetry: (error, failures) => !isFinal(error) && failures < maxTries,
    });
    await tried;
    await telling;
  }

  async function begin(incoming: IncomingMessage): Promise<() => Promise<void> | undefined> {
    if (closing.aborted) return () => leave(incoming);
    const author = await recognize(incoming.thread.address, incoming.author);
    const task = await decide({ ...incoming, author });
    return () => task?.();
  }

  /** The process stops: stored messages are handled by the next one. */
  async function leave(incoming: IncomingMessage): Promise<void> {
    const isStored = await turns.get(turnId(incoming.thread.address, incoming.id));
    if (!isStored) await sayWhy(incoming, new StoppedError({ kind: 'restart' }));
  }

  async function failed(incoming: IncomingMessage, error: unknown): Promise<void> {
    const { thread, addressed } = incoming;
    log.error({ err: error, thread: thread.address }, 'a message was not answered');
    const isExpected = addressed !== 'overheard' || error instanceof PlatformError;
    if (isExpected) await sayWhy(incoming, error);
  }

  /** The message could not be stored: if it was meant for us, its author is told. */
  async function tellAuthor(delivery: Delivery, error: unknown): Promise<void> {
    log.error({ err: error, channel: delivery.channel }, 'a message could not be stored');
    const incoming = await delivery.read().catch(() => undefined);
    if (incoming && incoming.addressed !== 'overheard') await sayWhy(incoming, error);
  }

  async function sayWhy({ id, thread, author }: IncomingMessage, error: unknown): Promise<void> {
    const key = turnId(thread.address, id);
    if (signal.aborted || told.has(key)) return;
    told.set(key, true);
    const texts = textsFor(author.locale);
    const why = isFinal(error) ? explainError(error, texts) : texts.failures.later;
    try {
      await thread.post({ markdown: `⚠️ ${why}` });
    } catch (again) {
      log.error({ err: again }, 'the failure could not be posted to the thread');
    }
  }

  async function edited(edit: Edit): Promise<void> {
    await beginInOrder(reading, channelKey(edit), async () => {
      const incoming = await edit.read();
      if (!incoming) return () => undefined;
      const { address } = incoming.thread;
      const author = await recognize(address, incoming.author);
      const changed = { ...incoming, author };
      return () =>
        beginInOrder(deciding, addressKey(address), () => applyEdit(changed, edit.sentAt));
    });
  }

  /**
   * Asks the edited question, if it has not been asked yet. Otherwise offers to ask it again, if it
   * belongs to the thread's last turn or a running one. Resolves with what is left to do outside of
   * the thread's order.
   */
  async function applyEdit(edited: IncomingMessage, sentAt: number): Promise<() => Promise<void>> {
    const { thread, text, addressed, author, command } = edited;
    const id = turnId(thread.address, edited.id);
    const row = await turns.get(id);
    const isForUs = addressed !== 'overheard' && Date.now() - sentAt < maxAgeMs;
    if (!row && isForUs) return () => message(edited);
    const turn = asTurn(row);
    if (!turn) return () => correctSaid(id, text);
    const refusal = await access.refusal(thread.address, author, 'ask');
    if (!command && !refusal) await askAnew(turn, edited);
    return async () => {};
  }

  async function askAnew(turn: TurnRecord, { thread, author, text }: IncomingMessage) {
    const { id } = turn;
    if ((turn.edited ?? turn.query) === text || text.trim() === '') return;
    if (await turns.update(id, { query: text }, ['accepted'])) return;
    if (!(await isCurrent(id, thread))) return;
    await turns.update(id, { edited: text });
    if (turn.editNote === undefined) await offerAgain(id, thread, author);
  }

  async function isCurrent(id: string, { address }: Thread): Promise<boolean> {
    if (!queue.find(id) && (await sessions.find(address))?.lastTurn !== id) return false;
    const handedOver = await handOver?.find(address);
    return !handedOver || handedOver.ended === true;
  }

  async function offerAgain(id: string, thread: Thread, { locale }: Author): Promise<void> {
    const texts = textsFor(locale);
    const buttons = answerAgainButtons(id, texts);
    const content = { markdown: texts.thread.questionEdited, buttons };
    const note = await thread.post(content, `${id}.edit`);
    await turns.update(id, { editNote: note.id });
  }

  /** Updates what people said during a hand-over, after the message itself has been recorded. */
  async function correctSaid(id: string, text: string): Promise<void> {
    await messages.run(id, async () => handOver?.corrected(id, text));
  }

  /** Stops the answer, or keeps it from being begun. */
  async function removed(message: MessageAddress): Promise<void> {
    const id = turnId(message, message.id);
    const gone = { state: 'handled', event: undefined } as const;
    const isDropped = await turns.update(id, gone, ['received', 'accepted']);
    // The deletion may arrive before the message.
    if (!isDropped) await turns.insert({ ...toReceivedRow(message), ...gone });
    queue.abort(id, { kind: 'removed' });
    await correctSaid(id, '');
  }

  /** Logs failures, so that the receiver never rejects. */
  function guarded<Given>(handle: (given: Given) => Promise<void>) {
    return async (given: Given): Promise<void> => {
      try {
        await handle(given);
      } catch (error) {
        log.error({ err: error }, 'a change of a message was not handled');
      }
    };
  }

  return {
    received,
    read,
    message,
    edited: guarded(edited),
    removed: guarded(removed),
    idle: () => messages.idle(),
  };
}

/** Whether another try would end the same way. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof PlatformError || error instanceof ChatbotError || error instanceof StoppedError
  );
}
