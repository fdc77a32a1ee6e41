import { messageKey } from './address.ts';
import { type TurnQueueOptions, createTurnQueue } from './turn-queue.ts';
import { createMessageFilter } from './message-filter.ts';
import { messagesFor } from '../messages/messages.ts';
import { answerAgainButtons } from './buttons.ts';
import { explainError } from './explain.ts';
import { createHandOver, type HandOver, type HandOverTools } from './hand-over/hand-over.ts';
import type {
  Author,
  Coordinator,
  IncomingMessage,
  Receiver,
  RemovedMessage,
  Thread,
  ThreadAddress,
} from './ports.ts';
import { createButtonActions } from './button-actions.ts';
import { createQueue } from '../primitives/queue.ts';
import { createRunningTurns, StoppedError } from './running-turns.ts';
import type { Settings } from './settings.ts';
import { createTurnRecord, turnId, type TurnRecord } from './turns.ts';

/** The core: receives what people write, and streams replies into their threads. */
export interface Conversation extends Receiver {
  /** Present if threads can be handed over to people. */
  readonly handOver: HandOver | undefined;
  /**
   * Stops the reply that is streaming in a thread. Returns a sentence that says why not if it
   * can't.
   */
  stopIn(thread: ThreadAddress, by: Author): string | undefined;
  /**
   * Stops accepting messages. Running turns get `graceMs` to end; then they are ended with a note.
   * Whatever is not written two seconds later is left to the next start.
   */
  close(graceMs: number): Promise<void>;
}

export interface ConversationOptions extends TurnQueueOptions {
  coordinator: Coordinator;
  /** A thread of any platform, by its address. */
  openThread(address: ThreadAddress): Thread | undefined;
  /** What the bot answers in each channel; `threads` everywhere by default. */
  settings?: Pick<Settings, 'followingIn'>;
  /** With it, threads can be handed over to people. */
  handOver?: HandOverTools;
}

/** Platforms redeliver a message within minutes; keeping claims for a day is cheap. */
const claimTtlMs = 24 * 60 * 60 * 1000;

/** How long the last writes may take after turns were ended at shutdown. */
const lastWritesMs = 2_000;

/** Said to the bot, these words stop the streaming reply. */
const stopWords = /^(?:stop|stopp|halt|cancel)\s*[.!]*$/i;

export function createConversation(options: ConversationOptions): Conversation {
  const { sessions, turns, coordinator, openThread, reports, log } = options;
  const running = createRunningTurns();
  /** Aborted when shutdown no longer waits for writes. */
  const writes = new AbortController();
  const { signal } = writes;
  const handOver =
    options.handOver &&
    createHandOver({
      ...options,
      ...options.handOver,
      signal,
      // Running turns of the thread are for people now.
      onBegun: (thread, { name }) => running.abortIn(thread, { kind: 'person', name }),
    });
  const { answer, isAnswering, idle } = createTurnQueue(options, { running, handOver, signal });
  const pressed = createButtonActions({ turns, running, askAgain, openThread, handOver, reports });
  const isForUs = createMessageFilter({
    sessions,
    settings: options.settings,
    handOver,
    isUnderWay: (thread) => isAnswering(thread) || handOver?.isHandling(thread) === true,
    log,
  });
  /** Messages being handled, including those whose turns have not started. */
  const messages = createQueue();
  let closed = false;

  async function message(incoming: IncomingMessage): Promise<void> {
    if (!(await isForUs(incoming))) return;
    if (closed) return sayWhy(incoming, new StoppedError({ kind: 'restart' }));
    await messages.run(messageKey(incoming), () => claimAndTake(incoming));
  }

  async function claimAndTake(incoming: IncomingMessage): Promise<void> {
    try {
      if (await coordinator.claim(messageKey(incoming), claimTtlMs)) await take(incoming);
    } catch (error) {
      log.error({ err: error, thread: incoming.thread.address }, 'a message was not answered');
      await sayWhy(incoming, error);
    }
  }

  async function take(incoming: IncomingMessage): Promise<void> {
    if (incoming.command) return incoming.command();
    if (await handOver?.handle(incoming)) return;
    const { thread, author, addressed } = incoming;
    const text = incoming.text.trim();
    if (text === '') {
      return void (await thread.post({ markdown: messagesFor(author.locale).thread.greeting }));
    }
    if (addressed !== 'overheard' && stopWords.test(text)) {
      const problem = running.stopIn(thread.address, author);
      if (problem) await thread.post({ markdown: problem });
      return;
    }
    await answer(createTurnRecord(incoming), thread);
  }

  async function askAgain(record: TurnRecord): Promise<void> {
    const thread = openThread(record.address);
    if (thread) await answer({ ...record, posted: [], feedback: {} }, thread);
  }

  async function sayWhy({ thread, author }: IncomingMessage, error: unknown): Promise<void> {
    if (signal.aborted) return;
    try {
      await thread.post({ markdown: `⚠️ ${explainError(error, messagesFor(author.locale))}` });
    } catch (again) {
      log.error({ err: again }, 'the failure could not be posted to the thread');
    }
  }

  /**
   * Offers to ask an edited question again, if it belongs to the thread's last turn or a running
   * one.
   */
  async function messageEdited(incoming: IncomingMessage): Promise<void> {
    if (incoming.command) return;
    const { thread, author, text } = incoming;
    const id = turnId(incoming);
    const record = await turns.find(id);
    if (!record) return correctSaid(incoming, text);
    if (record.query === text || text.trim() === '') return;
    const last = (await sessions.find(thread.address))?.lastTurn === id;
    if (!last && !running.has(id)) return;
    const handedOver = await handOver?.find(thread.address);
    if (handedOver && !handedOver.ended) return;
    await turns.update(id, { query: text });
    const messages = messagesFor(author.locale);
    const { questionEdited } = messages.thread;
    await thread.post({ markdown: questionEdited, buttons: answerAgainButtons(id, messages) });
  }

  /** Updates what people said during a hand-over, after the message itself has been recorded. */
  async function correctSaid(message: Parameters<typeof turnId>[0], text: string): Promise<void> {
    await messages.run(messageKey(message), async () => handOver?.corrected(turnId(message), text));
  }

  async function messageRemoved(removed: RemovedMessage): Promise<void> {
    const message = { id: removed.id, thread: { address: { ...removed, thread: '' } } };
    running.abort(turnId(message), { kind: 'removed' });
    await correctSaid(message, '');
  }

  async function stopped(thread: ThreadAddress, by: Author): Promise<void> {
    running.stopIn(thread, by);
  }

  async function close(graceMs: number): Promise<void> {
    closed = true;
    const restart = { kind: 'restart' } as const;
    const late = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => late.resolve());
    const timers = [
      setTimeout(() => running.abortAll(restart), graceMs),
      setTimeout(() => writes.abort(new StoppedError(restart)), graceMs + lastWritesMs),
    ];
    // A write that the platform never answers ends with the process.
    await Promise.race([finished(), late.promise]);
    timers.forEach(clearTimeout);
  }

  async function finished(): Promise<void> {
    await Promise.all([messages.idle(), idle()]);
    await handOver?.idle();
  }

  /** Logs failures, so that the receiver never rejects. */
  function guarded<Arguments extends unknown[]>(
    handle: (...given: Arguments) => Promise<void>,
  ): (...given: Arguments) => Promise<void> {
    return async (...given) => {
      try {
        if (!closed) await handle(...given);
      } catch (error) {
        log.error({ err: error }, 'an event was not handled');
      }
    };
  }

  return {
    handOver,
    message,
    edited: guarded(messageEdited),
    removed: guarded(messageRemoved),
    stopped: guarded(stopped),
    stopIn: (thread, by) => running.stopIn(thread, by),
    async pressed(press) {
      const messages = messagesFor(press.by.locale);
      try {
        if (closed) return explainError(new StoppedError({ kind: 'restart' }), messages);
        return await pressed(press);
      } catch (error) {
        log.error({ err: error, turn: press.turn }, 'a button did not work');
        return `⚠️ ${explainError(error, messages)}`;
      }
    },
    close,
  };
}
