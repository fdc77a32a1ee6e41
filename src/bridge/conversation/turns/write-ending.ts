import { growingWaitMs, retry } from '../../../shared/primitives/retry.ts';
import { monotonicMs, sleep } from '../../../shared/primitives/time.ts';
import { textsFor } from '../../texts/texts.ts';
import { offerAgain } from '../ask-again.ts';
import {
  explainError,
  isPassingRefusal,
  isQuestionGone,
  isRefusal,
  PlatformError,
} from '../errors.ts';
import type { Ending, TurnRecord } from '../inbox/row.ts';
import type { Reply } from '../reply/reply.ts';
import type { Tools } from '../tools.ts';
import { isRemoved, isRestart, quoteQuestion } from './end.ts';
import type { Asked } from './find-end.ts';
import type { TurnProgress } from './progress.ts';

/** A turn that is being written. */
interface Writing extends Asked {
  progress: TurnProgress;
  /** Aborted once its writes are left to the next start, or to another process. */
  signal: AbortSignal;
}

/** A platform that refuses a last text for a reason that may pass is waited for; then later tries. */
const patienceMs = 60_000;

/** A last text is given up after so many equal refusals over this time, or after a day. */
const maxRefusals = 5;
const refusedForMs = 10 * 60_000;
const dayMs = 24 * 60 * 60 * 1000;

/** The first look for a reply that broke off. */
const lookAgainMs = 1_000;

const written = { state: 'ended', ending: undefined, refusals: undefined } as const;

/** Writes the last text of a turn until the platform has accepted it. */
export function createWriteEnding(tools: Tools) {
  const { inbox, reports, tell, removed, closing, log } = tools;

  /** Resolves with when there is more to do. */
  async function finish(writing: Writing, ending: Ending): Promise<number | undefined> {
    const { progress, reply, stopped, signal } = writing;
    const isToOffer = wasEditedUnseen(progress.turn);
    let hasLeft = false;
    const leave = () => {
      const isUnwanted = isRemoved(stopped.reason) && !reply.hasBegun;
      hasLeft = isUnwanted || (reply.isLinedUp && !isRestart(stopped.reason));
      if (hasLeft) reply[Symbol.dispose]();
    };
    try {
      await retryPassing(() => reply.adoptLost(ending), signal);
      if (stopped.aborted) leave();
      stopped.addEventListener('abort', leave, { once: true });
      await write(writing, ending);
      if (isToOffer && !stopped.aborted) await offerEdited(writing);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!hasLeft && isPassingRefusal(error) && !(await isGivenUp(progress, error))) throw error;
      if (isQuestionGone(error)) await noteRemoved(progress.turn);
      else if (!hasLeft) await sayBriefly(writing, error);
    }
    const dueAt = Date.now() + lookAgainMs;
    await progress.end({ ...written, dueAt });
    void repeatLater(progress.turn, reply);
    return progress.turn.unsettled ? dueAt : undefined;
  }

  async function write(
    { progress, thread, reply, signal }: Writing,
    ending: Ending,
  ): Promise<void> {
    const { posted } = progress.turn;
    const last = posted.at(-1);
    const keep = ending.keepsShown && last !== undefined ? thread.message(last).keep : undefined;
    const show = async () => {
      try {
        await (keep ? keep(ending.text, ending.buttons) : reply.finish(ending));
      } catch (error) {
        // The bot may not be allowed to read what its message shows.
        if (!keep || isPassingRefusal(error)) throw error;
        await reply.finish(ending);
      }
    };
    await retryPassing(show, signal);
  }

  /** The answer is posted, so failures are only logged. */
  async function offerEdited({ progress, thread, signal }: Writing): Promise<void> {
    const { turn } = progress;
    try {
      await retryPassing(() => offerAgain(turn, thread, inbox), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ err: error, turn: turn.id }, 'an edited question was not offered again');
    }
  }

  /**
   * Retries a task for as long as `patienceMs` while the platform refuses it for a reason that may pass.
   * The thread's next question waits meanwhile: otherwise its answer would come first.
   */
  async function retryPassing(task: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const since = monotonicMs();
    await retry(task, {
      sleep,
      signal,
      waitMs: (error, failures) =>
        isPassingRefusal(error) && monotonicMs() - since < patienceMs
          ? growingWaitMs(failures)
          : undefined,
    });
  }

  /**
   * Whether an ending was refused too often to be tried again: something between the bot and the
   * platform may refuse its words for good.
   */
  async function isGivenUp(progress: TurnProgress, error: unknown): Promise<boolean> {
    const { refusals, failingSince = Date.now() } = progress.turn;
    const failingMs = Date.now() - failingSince;
    const status = error instanceof PlatformError ? error.status : undefined;
    const isRefused = status !== undefined && status >= 400 && status < 500;
    if (!isRefused) return failingMs >= dayMs;
    const count = refusals?.status === status ? refusals.count + 1 : 1;
    await progress.store({ refusals: { status, count } }, ['ending']);
    return failingMs >= dayMs || (count >= maxRefusals && failingMs >= refusedForMs);
  }

  /** In place of an ending that the platform does not accept. If it refuses this too, the asker is told. */
  async function sayBriefly({ progress, thread, reply }: Writing, error: unknown): Promise<void> {
    const { turn } = progress;
    const { id, address, author } = turn;
    log.error({ err: error, turn: id, thread: address }, 'an answer could not be written');
    const texts = textsFor(author.locale);
    const why = isRefusal(error, 'failed') ? texts.thread.notShown : explainError(error, texts);
    const content = { text: `⚠️ ${why}`, footer: '', buttons: [] };
    try {
      if (isRefusal(error, 'failed')) await reply.finish(content);
      else await thread.post({ markdown: content.text });
    } catch (again) {
      if (isQuestionGone(again)) return noteRemoved(turn);
      log.error({ err: again, turn: id, thread: address }, 'an answer is set aside');
      reports.setAside(address.platform);
      const question = quoteQuestion(turn);
      const told = { id: turn.messageId, thread, author };
      await tell(told, `⚠️ ${texts.thread.notHere(question, why)}`);
    }
  }

  /** The question was deleted while nothing heard of it, so nobody waits for its answer. */
  async function noteRemoved(turn: TurnRecord): Promise<void> {
    const { id, platform, workspace, channel, messageId } = turn;
    log.info({ turn: id }, 'the question of an answer was deleted');
    await removed({ platform, workspace, channel, id: messageId });
  }

  /** The turn has ended: nothing waits for it, and whatever becomes of the reply meanwhile stays. */
  async function repeatLater({ id, attempt, answer }: TurnRecord, reply: Reply): Promise<void> {
    const isCurrent = async () => {
      const row = await inbox.get(id);
      return row?.state === 'ended' && row.attempt === attempt && row.answer === answer;
    };
    try {
      await reply.repeatLater({ isCurrent, signal: closing });
    } catch (error) {
      if (!closing.aborted) log.info({ err: error, turn: id }, 'a last edit was not repeated');
    }
  }

  return finish;
}

/** Whether a question was edited while nothing of it could be shown, because nobody addressed the bot. */
function wasEditedUnseen({ quiet, query, edited = query, editNote }: TurnRecord): boolean {
  return quiet === 'unasked' && edited !== query && editNote === undefined;
}
