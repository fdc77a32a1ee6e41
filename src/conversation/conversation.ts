import { addressKey, messageKey } from './address.ts';
import { retryButtons } from './buttons.ts';
import { explainError } from './explain.ts';
import type { Pacer } from './pacer.ts';
import { isRefusal } from './platform-error.ts';
import type {
  Author,
  Coordinator,
  IncomingMessage,
  Outcome,
  Receiver,
  RemovedMessage,
  Reports,
  Thread,
  ThreadAddress,
} from './ports.ts';
import { createPresses } from './presses.ts';
import { createQueue } from './queue.ts';
import { createReply, type Reply } from './reply.ts';
import { createRunningTurns } from './running-turns.ts';
import { StoppedError } from './stopped-error.ts';
import { takeTurn, type TurnTools } from './turn.ts';
import { createTurnRecord, turnId, type TurnRecord } from './turns.ts';
import { showWorking } from './working.ts';

/** The core: what people write goes in, replies grow in their threads. */
export interface Conversation extends Receiver {
  /** Stops the reply that streams in a thread; the sentence to tell where it can't be. */
  stopIn(thread: ThreadAddress, by: Author): string | undefined;
  /** Takes no more messages; turns in flight get `graceMs` to end, then they are ended with a note. */
  close(graceMs: number): Promise<void>;
}

export interface ConversationOptions extends TurnTools {
  pacer: Pacer;
  coordinator: Coordinator;
  /** A thread of any platform, by its address. */
  openThread(address: ThreadAddress): Thread | undefined;
  /** Most characters of a reply that are shown; the whole of a longer one is attached as a file. */
  longestReply?: number;
  reports?: Reports;
}

/** Platforms deliver a message again within minutes; a day is cheap. */
const claimTtlMs = 24 * 60 * 60 * 1000;

/** More questions than this in one thread at once are refused. */
const mostWaiting = 10;

const tooMany = 'I’m still answering earlier questions here. Please ask again when I’m done.';

const greeting = 'Hello! Ask me a question, and I’ll answer here from what I’ve been taught.';

const edited = 'You changed your question.';

/** Said to the bot, these end the reply that streams in the thread. */
const stopWords = /^(?:stop|stopp|halt|cancel)\s*[.!]*$/i;

export function createConversation(options: ConversationOptions): Conversation {
  const { sessions, turns, coordinator, pacer, log, longestReply, reports } = options;
  const queue = createQueue();
  const running = createRunningTurns();
  const pressed = createPresses({ turns, running, askAgain, reports });
  let closed = false;

  async function message(incoming: IncomingMessage): Promise<void> {
    if (!(await isForUs(incoming))) return;
    if (closed) return sayWhy(incoming.thread, new StoppedError({ kind: 'restart' }));
    try {
      if (await coordinator.claim(messageKey(incoming), claimTtlMs)) await take(incoming);
    } catch (error) {
      log.error({ err: error, thread: incoming.thread.address }, 'a message was not answered');
      await sayWhy(incoming.thread, error);
    }
  }

  /** A mention, a direct message, or anything said in a thread that has a session. */
  async function isForUs(incoming: IncomingMessage): Promise<boolean> {
    if (incoming.addressed !== 'overheard') return true;
    if (incoming.text.trim() === '') return false;
    // The session of a thread's first turn may still be on its way.
    if (queue.length(addressKey(incoming.thread.address)) > 0) return true;
    try {
      return (await sessions.find(incoming.thread.address)) !== undefined;
    } catch (error) {
      const { address } = incoming.thread;
      log.error({ err: error, thread: address }, 'an overheard message was skipped');
      return false;
    }
  }

  async function take(incoming: IncomingMessage): Promise<void> {
    const { thread, author, addressed } = incoming;
    const text = incoming.text.trim();
    if (text === '') return void (await thread.post({ markdown: greeting }));
    if (addressed !== 'overheard' && stopWords.test(text)) {
      const problem = running.stopIn(thread.address, author);
      if (problem) await thread.post({ markdown: problem });
      return;
    }
    await answer(createTurnRecord(incoming), thread);
  }

  /** Answers in the thread, after what was asked there before. */
  async function answer(record: TurnRecord, thread: Thread): Promise<void> {
    const key = addressKey(record.address);
    if (queue.length(key) >= mostWaiting) return void (await thread.post({ markdown: tooMany }));
    using turn = running.start(record);
    using working = showWorking(thread, log);
    const opened = turns.open(record);
    const taken = queue.run(key, async () => {
      await opened;
      try {
        await write(record, thread, turn.signal, working);
      } catch (error) {
        // What could not be written for no lasting reason is written at the next start.
        if (isRefusal(error, 'failed')) throw error;
        await turns.close(record.id);
        throw error;
      }
      await turns.close(record.id);
      await sessions.remember(record.address, record.id);
    });
    await Promise.all([opened, taken]);
  }

  async function write(
    record: TurnRecord,
    thread: Thread,
    signal: AbortSignal,
    working: Disposable,
  ): Promise<void> {
    using reply = createReply({
      thread,
      pacer,
      turn: record.id,
      ...(longestReply && { longest: longestReply }),
      async onPosted(posted) {
        working[Symbol.dispose]();
        await turns.update(record.id, { posted });
      },
    });
    let outcome: Outcome = 'failed';
    try {
      outcome = await takeTurn({ record, thread, signal }, reply, options);
    } finally {
      tell(record, outcome, reply);
    }
  }

  function tell(record: TurnRecord, outcome: Outcome, reply: Reply): void {
    const report = { platform: record.address.platform, outcome, ...reply.stats() };
    log.info({ turn: record.id, thread: record.address, ...report }, 'a turn ended');
    reports?.turnEnded(report);
  }

  async function askAgain(record: TurnRecord): Promise<void> {
    const thread = options.openThread(record.address);
    if (thread) await answer({ ...record, posted: [], feedback: {} }, thread);
  }

  async function sayWhy(thread: Thread, error: unknown): Promise<void> {
    try {
      await thread.post({ markdown: `⚠️ ${explainError(error)}` });
    } catch (again) {
      log.error({ err: again }, 'and could not say so in the thread');
    }
  }

  /** The question of the thread's last turn, or of one under way, can be asked anew when it changed. */
  async function messageEdited(incoming: IncomingMessage): Promise<void> {
    const { thread, text } = incoming;
    const id = turnId(incoming);
    const record = await turns.find(id);
    if (!record || record.query === text || text.trim() === '') return;
    const last = (await sessions.find(thread.address))?.lastTurn === id;
    if (!last && !running.has(id)) return;
    await turns.update(id, { query: text });
    await thread.post({ markdown: edited, buttons: retryButtons(id, 'Answer again') });
  }

  async function messageRemoved(removed: RemovedMessage): Promise<void> {
    const address = { ...removed, thread: '' };
    running.abort(turnId({ id: removed.id, thread: { address } }), { kind: 'removed' });
  }

  async function stopped(thread: ThreadAddress, by: Author): Promise<void> {
    running.stopIn(thread, by);
  }

  async function close(graceMs: number): Promise<void> {
    closed = true;
    const timer = setTimeout(() => running.abortAll({ kind: 'restart' }), graceMs);
    await queue.idle();
    clearTimeout(timer);
  }

  /** What fails here is nobody's question: it is logged, and the receiver never rejects. */
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
    message,
    edited: guarded(messageEdited),
    removed: guarded(messageRemoved),
    stopped: guarded(stopped),
    stopIn: (thread, by) => running.stopIn(thread, by),
    async pressed(press) {
      try {
        return closed ? explainError(new StoppedError({ kind: 'restart' })) : await pressed(press);
      } catch (error) {
        log.error({ err: error, turn: press.turn }, 'a button did not work');
        return `⚠️ ${explainError(error)}`;
      }
    },
    close,
  };
}
