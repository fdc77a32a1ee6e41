import { randomBytes } from 'node:crypto';
import { messagesFor } from '../messages/messages.ts';
import { addressKey } from './address.ts';
import type { HandOver } from './hand-over/hand-over.ts';
import type { Pacer } from './reply/pacer.ts';
import { isRefusal } from './platform-error.ts';
import type { Outcome, Reports, Thread, ThreadAddress, Log } from './ports.ts';
import { createQueue } from '../primitives/queue.ts';
import { createReply, type Reply } from './reply/reply.ts';
import type { RunningTurns } from './running-turns.ts';
import { runTurn, type TurnTools } from './turn.ts';
import type { TurnRecord } from './turns.ts';
import { renderContext, type Said } from './hand-over/records.ts';

/** Answers questions, one at a time per thread. */
export interface TurnQueue {
  /**
   * Answers in the thread, after earlier questions. Resolves when the reply has ended.
   * @throws {PlatformError} when no message can be posted in the thread
   */
  answer(record: TurnRecord, thread: Thread): Promise<void>;
  /** Whether a question in the thread is being answered or waiting. */
  isAnswering(thread: ThreadAddress): boolean;
  /** Resolves once no question is being answered or waiting. */
  idle(): Promise<void>;
}

export interface TurnQueueOptions extends TurnTools {
  pacer: Pacer;
  /** Max characters of a reply to show; a longer one is attached whole as a file. */
  maxReplyCharacters?: number;
  reports?: Reports;
}

/** Max questions running or waiting per thread; further ones are refused. */
const maxWaiting = 10;

interface TurnQueueParts {
  running: RunningTurns;
  handOver: HandOver | undefined;
  /** Aborted at shutdown: writes still waiting are left to the next start. */
  signal: AbortSignal;
}

export function createTurnQueue(
  options: TurnQueueOptions,
  { running, handOver, signal }: TurnQueueParts,
): TurnQueue {
  const { sessions, turns, pacer, log, maxReplyCharacters, reports } = options;
  const queue = createQueue();

  async function answer(record: TurnRecord, thread: Thread): Promise<void> {
    const key = addressKey(record.address);
    const { tooManyWaiting } = messagesFor(record.author.locale).thread;
    if (queue.length(key) >= maxWaiting) {
      return void (await thread.post({ markdown: tooManyWaiting }));
    }
    using turn = running.start(record);
    using working = showWorking(thread, log);
    const opened = turns.open(record);
    const taken = queue.run(key, async () => {
      await opened;
      try {
        await write(record, thread, turn.signal, working);
      } catch (error) {
        // A write that failed for a temporary reason is left to the next start.
        if (isRefusal(error, 'failed') || signal.aborted) throw error;
        await turns.close(record.id);
        throw error;
      }
      await turns.close(record.id);
      await sessions.remember(record.address, record.id);
    });
    await Promise.all([opened, taken]);
  }

  async function write(
    asked: TurnRecord,
    thread: Thread,
    stopped: AbortSignal,
    working: Disposable,
  ): Promise<void> {
    const handedOver = await handOver?.find(asked.address);
    const record = handedOver ? await addContext(asked, handedOver.said) : asked;
    using reply = createReply({
      thread,
      pacer,
      turn: record.id,
      question: record.messageId,
      // "Try again" answers the same turn in new messages.
      key: `${record.id}.${randomBytes(3).toString('hex')}`,
      messages: messagesFor(record.author.locale),
      signal,
      maxCharacters: maxReplyCharacters,
      async onPosted(posted) {
        working[Symbol.dispose]();
        await turns.update(record.id, { posted });
      },
    });
    const furtherButtons = Promise.resolve(handOver ? handOver.buttonsFor(record) : []);
    let outcome: Outcome = 'failed';
    try {
      outcome = await runTurn({ record, thread, signal: stopped, furtherButtons }, reply, options);
    } finally {
      tell(record, outcome, reply);
    }
    const isTold = outcome === 'answered' || outcome === 'cut';
    if (handedOver && isTold) await handOver?.forget(record.address);
  }

  /** Stores what people said with the query, so that a retry sends it as well. */
  async function addContext(record: TurnRecord, said: readonly Said[]): Promise<TurnRecord> {
    const context = renderContext(said) ?? '';
    if (context === (record.context ?? '')) return record;
    await turns.update(record.id, { context });
    return { ...record, context };
  }

  function tell(record: TurnRecord, outcome: Outcome, reply: Reply): void {
    const report = { platform: record.address.platform, outcome, ...reply.stats() };
    log.info({ turn: record.id, thread: record.address, ...report }, 'a turn ended');
    reports?.turnEnded(report);
  }

  return {
    answer,
    isAnswering: (thread) => queue.length(addressKey(thread)) > 0,
    idle: () => queue.idle(),
  };
}

/** Discord's typing indicator lasts ten seconds, Slack's status two minutes. */
const renewEveryMs = 8000;

/**
 * Shows a typing indicator or status in the thread until disposed. Failures are only logged,
 * because the reply itself does not depend on it.
 */
function showWorking(thread: Thread, log: Log): Disposable {
  const show = () =>
    thread
      .showWorking?.()
      .catch((error: unknown) => log.debug({ err: error }, 'typing could not be shown'));
  void show();
  const timer = setInterval(() => void show(), renewEveryMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
