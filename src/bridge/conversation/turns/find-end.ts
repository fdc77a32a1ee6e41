import { growingWaitMs } from '../../../shared/primitives/retry.ts';
import { monotonicMs, sleep } from '../../../shared/primitives/time.ts';
import { textsFor } from '../../texts/texts.ts';
import { workspaceKey } from '../address.ts';
import { isChatbotError, isExplained, StoppedError } from '../errors.ts';
import type { InboxRow, TurnRecord } from '../inbox/row.ts';
import type { Reply } from '../reply/reply.ts';
import type { Thread } from '../thread.ts';
import type { Tools } from '../tools.ts';
import { ask, mayContinue } from './ask.ts';
import {
  type End,
  isRemoved,
  isRestart,
  keepingShown,
  toEarlyEnd,
  toLateEnd,
  toUnreadEnd,
} from './end.ts';
import { settle } from './settle.ts';
import { takeAttachments, withHeard } from './take-attachments.ts';

/** A turn that is being asked. */
export interface Asked {
  thread: Thread;
  reply: Reply;
  /** Aborted with a StoppedError to end the turn early. */
  stopped: AbortSignal;
}

/** How long a question that could not be asked for a reason of our own is tried again. */
const patienceMs = 60_000;

/** If no text has come by then, a note stands in its place. */
const noteAfterMs = 5_000;

/** Finds out how a turn ends: by asking the service, or from what came of it before. */
export function createFindEnd(tools: Tools) {
  const { inbox, log, capacity, handOver, talk, isTooLate, reports } = tools;

  /** Undefined if the turn is left to the next start. */
  async function findEnd(turn: TurnRecord, asked: Asked): Promise<End | undefined> {
    if (turn.removed) {
      const cause = new StoppedError({ kind: 'removed' });
      return keepingShown(await toBrokenEnd(turn, asked.reply, cause));
    }
    const isLate = isTooLate(turn.askedAt ?? turn.createdAt);
    if (!isLate && mayContinue(turn, tools)) return askWithContext(turn, asked);
    if (turn.state !== 'accepted') return settleOrLeave(turn, asked);
    if (isLate) return toLateEnd(turn);
    return askWithContext(turn, asked);
  }

  async function askWithContext(turn: TurnRecord, asked: Asked): Promise<End | undefined> {
    const { reply, stopped } = asked;
    try {
      return await askWhenStored(turn, asked);
    } catch (error) {
      const cause: unknown = stopped.aborted ? stopped.reason : error;
      if (isRestart(cause) && (await isLeft(turn))) return undefined;
      // Only the people who run the bot can do something about it.
      if (isChatbotError(cause, 'unauthorized', 'misconfigured')) {
        log.error(
          { err: cause, turn: turn.id },
          'the turn failed: check CHATBOT_API_KEY and CHATBOT_UUID',
        );
      } else if (!(cause instanceof StoppedError)) {
        log.warn({ err: error, turn: turn.id }, 'the turn failed');
      }
      const end = await toBrokenEnd(turn, reply, cause);
      return turn.posted.length > 0 && reply.text === '' ? keepingShown(end) : end;
    }
  }

  /**
   * Asks again if that fails for a reason of our own before the query is sent, such as a store that is
   * away. The thread's next question waits meanwhile.
   */
  async function askWhenStored(turn: TurnRecord, asked: Asked): Promise<End> {
    const since = monotonicMs();
    for (let failures = 1; ; failures += 1) {
      try {
        return await prepareAndAsk(turn, asked);
      } catch (error) {
        const isOver = isExplained(error) || monotonicMs() - since >= patienceMs;
        if (isOver || !(await isLeft(turn))) throw error;
        log.warn(
          { err: error, turn: turn.id },
          'a question could not be asked: it will be retried',
        );
        await sleep(growingWaitMs(failures), asked.stopped);
      }
    }
  }

  async function prepareAndAsk(turn: TurnRecord, { thread, reply, stopped }: Asked): Promise<End> {
    if (turn.state === 'accepted') {
      await addContext(turn, thread);
      const { query, unread } = await addFiles(turn, thread, stopped);
      if (query === '' && unread !== undefined) return toUnreadEnd(unread);
    }
    return capacity.run(workspaceKey(turn.address), stopped, () =>
      askPatiently(turn, reply, stopped),
    );
  }

  /** A service that takes long can be stopped before its first text. */
  async function askPatiently(turn: TurnRecord, reply: Reply, stopped: AbortSignal): Promise<End> {
    const { stillWorking } = textsFor(turn.author.locale).thread;
    const timer = setTimeout(() => {
      if (!stopped.aborted && !turn.quiet) reply.showNote(stillWorking);
    }, noteAfterMs);
    try {
      return await ask(turn, reply, { tools, signal: stopped });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Whether the next start asks: the query was not sent, or was sent with a key. A failing store has not
   * stored that it was.
   */
  async function isLeft({ id }: TurnRecord): Promise<boolean> {
    const row = await inbox.get(id).catch(() => undefined);
    return row === undefined || row.state === 'accepted' || row.key !== undefined;
  }

  /** Stores what people said before the question with it, so that a query sent again is the same. */
  async function addContext(turn: TurnRecord, thread: Thread): Promise<void> {
    const handedOver = await handOver.active(turn.address);
    if (handedOver) {
      throw new StoppedError({ kind: 'person', name: handedOver.askedBy.name });
    }
    // Asked again, it takes what was not deleted meanwhile.
    const context = (await talk.before(turn, thread)) || undefined;
    if (context !== turn.context) await inbox.update(turn.id, { context }, ['accepted']);
    if (context) reports.replies?.took?.(turn.id, context);
  }

  /** Reads the files beside the question once, and stores with it what came of them. */
  async function addFiles(turn: TurnRecord, thread: Thread, stopped: AbortSignal) {
    const { id, files = [], documents } = turn;
    if (files.length === 0 || documents) return turn;
    const { heard, alone, ...taken } = await takeAttachments(turn, thread, {
      tools,
      signal: stopped,
    });
    const withFiles = (known: InboxRow) => ({
      ...taken,
      query: withHeard(known.query, heard) || alone,
      heard: withHeard(known.heard, heard),
    });
    // Its words may have been edited meanwhile.
    return (await inbox.update(id, withFiles, ['accepted'])) ?? withFiles(turn);
  }

  /** Undefined if the process stops before the service has answered. */
  async function settleOrLeave(
    turn: TurnRecord,
    { reply, stopped }: Asked,
  ): Promise<End | undefined> {
    try {
      return await settle(turn, { tools, signal: stopped });
    } catch (error) {
      const cause: unknown = stopped.aborted ? stopped.reason : error;
      if (isRestart(cause)) return undefined;
      return keepingShown(await toBrokenEnd(turn, reply, cause));
    }
  }

  return findEnd;
}

/** The end of a turn that was stopped or failed. A deleted question gets none if nothing was posted. */
async function toBrokenEnd(turn: TurnRecord, reply: Reply, cause: unknown): Promise<End> {
  if (isRemoved(cause)) await reply.dropUnseen();
  return toEarlyEnd(turn, cause, reply);
}
