import { createLru } from '../../shared/primitives/lru.ts';
import { textsFor } from '../texts/texts.ts';
import { keepTrying } from '../../shared/primitives/keep-trying.ts';
import { beginInOrder, createQueue } from '../../shared/primitives/queue.ts';
import { retry } from '../../shared/primitives/retry.ts';
import { sleep } from '../../shared/primitives/sleep.ts';
import { addressKey, channelKey } from './address.ts';
import { ChatbotError } from './chatbot-error.ts';
import type { Decide } from './decide.ts';
import { explainError } from './explain.ts';
import { createMessageChanges, type MessageChangeOptions } from './message-changes.ts';
import { PlatformError } from './platform-error.ts';
import type {
  Author,
  Delivery,
  Edit,
  IncomingMessage,
  Log,
  Receiver,
  ThreadAddress,
} from './ports.ts';
import { StoppedError } from './turns/running-turns.ts';
import { toReceivedRow, turnId } from './turns/turn-record.ts';

/** Takes in what platforms deliver, in order of arrival. */
export interface Intake extends Pick<Receiver, 'received' | 'message' | 'edited' | 'removed'> {
  /** Reads a stored message, and handles it. Never rejects. */
  read(delivery: Omit<Delivery, 'event'>): Promise<void>;
  /** Resolves once no message is being handled. */
  idle(): Promise<void>;
}

interface IntakeOptions extends Omit<MessageChangeOptions, 'order' | 'hear'> {
  decide: Decide;
  recognize(thread: ThreadAddress, person: Author): Promise<Author>;
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

export function createIntake(options: IntakeOptions): Intake {
  const { turns, decide, recognize, log, closing, signal } = options;
  /** Messages are read in order of arrival per channel, and decided on per thread. */
  const reading = createQueue();
  const deciding = createQueue();
  /** What concerns one message happens in order. */
  const messages = createQueue();
  const changes = createMessageChanges({ ...options, order: messages, hear: message });
  /** Texts whose author was told that they can't be handled. */
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

  /** Reads a stored message and handles it. Never rejects. */
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

  async function failed(incoming: IncomingMessage, error: unknown): Promise<void> {
    const { thread, addressed } = incoming;
    log.error({ err: error, thread: thread.address }, 'a message was not answered');
    const isExpected = addressed !== 'overheard' || error instanceof PlatformError;
    if (isExpected) await sayWhy(incoming, error);
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
    const { sentAt } = edit;
    await beginInOrder(reading, channelKey(edit), async () => {
      const incoming = await edit.read();
      if (!incoming) return () => undefined;
      const { address } = incoming.thread;
      const key = addressKey(address);
      const author = await recognize(address, incoming.author);
      const begin = () => changes.edited({ message: { ...incoming, author }, sentAt });
      return () => beginInOrder(deciding, key, begin);
    });
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
    removed: guarded(changes.removed),
    idle: () => messages.idle(),
  };
}

/** Whether another try would end the same way. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof PlatformError || error instanceof ChatbotError || error instanceof StoppedError
  );
}
