import { ChatbotError, isRefusal, StoppedError } from '../errors.ts';
import { textsFor } from '../../texts/texts.ts';
import { growingWaitMs, keepTrying, retry } from '../../../shared/primitives/retry.ts';
import { sleep } from '../../../shared/primitives/time.ts';
import { workspaceKey } from '../address.ts';
import type { HandOver } from '../hand-over/hand-over.ts';
import { renderContext } from '../hand-over/records.ts';
import type { Outcome, Reports } from '../reports.ts';
import type { Thread } from '../thread.ts';
import type { Pacer } from '../reply/pacer.ts';
import { Reply } from '../reply/reply.ts';
import type { Ending } from '../reply/reply-contents.ts';
import { ask, type End, toEarlyEnd, type TurnTools } from './ask.ts';
import type { RunTurn } from './turn-queue.ts';
import { settle } from './settle.ts';
import {
  fromStoredEnding,
  toStoredEnding,
  type TurnRecord,
  type TurnSteps,
  unfinished,
} from './turn-record.ts';

export interface RunTurnOptions extends TurnTools {
  pacer: Pacer;
  /** Max characters of a reply to show; a longer one is attached whole as a file. */
  maxReplyCharacters?: number;
  reports?: Reports;
}

interface RunTurnParts {
  capacity: Capacity;
  handOver: HandOver | undefined;
  steps: TurnSteps;
  /** Called when a turn has ended whose reply the service may have whole later. */
  onUnsettled(turn: TurnRecord, thread: Thread): void;
  /** Aborted when the process begins to stop: waits for the store end. */
  closing: AbortSignal;
  /** Aborted at the end of shutdown: writes still waiting are left to the next start. */
  signal: AbortSignal;
}

export function createRunTurn(
  options: RunTurnOptions,
  { capacity, handOver, steps, onUnsettled, closing, signal }: RunTurnParts,
): RunTurn {
  const { turns, pacer, log, maxReplyCharacters, reports } = options;

  const runTurn: RunTurn = async (turn, thread, { stopped, working, isResumed }) => {
    if (isResumed) await storable(turn);
    await steps.ended(turn.address);
    if (closing.aborted) return;
    let state: 'showing' | 'ending' = turn.ending ? 'ending' : 'showing';
    const watcher = reports?.replies;
    watcher?.began(turn);
    using reply = new Reply({
      thread,
      pacer,
      turn: turn.id,
      question: turn.messageId,
      // "Try again" answers the same turn in new messages.
      key: `${turn.id}.${turn.attempt}`,
      resumed: isResumed,
      texts: textsFor(turn.author.locale),
      signal,
      maxCharacters: maxReplyCharacters,
      posted: turn.posted,
      onLinedUp: working.renew,
      onReceived: watcher && ((characters) => watcher.received(turn.id, characters)),
      async onPosted(posted) {
        working.posted(reply.isGrowingByMessages);
        await steps.store(turn, { posted, state }, ['asking', 'showing', 'ending']);
      },
    });
    working.countAhead = () => reply.countAhead();
    if (isResumed) await endStream(thread, turn);
    if (turn.ending) return await finish(turn, reply, fromStoredEnding(turn.ending), stopped);
    const furtherButtons = Promise.resolve(handOver ? handOver.buttonsFor(turn) : []);
    const end =
      turn.state === 'accepted'
        ? await askWithContext(turn, reply, stopped)
        : await settleOrLeave(turn, stopped);
    if (!end) return;
    const { ending, outcome, answer, sources, unsettled } = end;
    if (!ending) return steps.end(turn, { state: 'ended' });
    const whole = { ...ending, buttons: [...ending.buttons, ...(await furtherButtons)] };
    const stored = { ending: toStoredEnding(whole), answer, sources, unsettled };
    state = 'ending';
    const ended = await steps.store(turn, { state, ...stored }, unfinished);
    try {
      await finish(ended, reply, whole, stopped);
    } finally {
      report(turn, outcome, reply);
    }
    if (unsettled && ended.session !== undefined) onUnsettled(ended, thread);
    if (outcome === 'answered' || outcome === 'cut') await forgetSaid(turn);
  };

  /** Where nothing can be stored, every restart would write the same again. */
  async function storable(turn: TurnRecord): Promise<void> {
    const onFirstFailure = (error: unknown) =>
      log.error({ err: error, turn: turn.id }, 'an interrupted turn waits for the store');
    await keepTrying(() => turns.update(turn.id, {}), { signal: closing, onFirstFailure }).done;
  }

  /** What was said during a hand-over. The reply is written, so failures are only logged. */
  async function forgetSaid({ id, address }: TurnRecord): Promise<void> {
    try {
      await handOver?.forget(address);
    } catch (error) {
      log.error({ err: error, turn: id }, 'what people said was not deleted');
    }
  }

  /** Undefined if the turn is left to the next start, because it has not been asked yet. */
  async function askWithContext(
    turn: TurnRecord,
    reply: Reply,
    stopped: AbortSignal,
  ): Promise<End | undefined> {
    try {
      await addContext(turn);
      return await capacity.run(workspaceKey(turn.address), stopped, () =>
        ask(turn, reply, { tools: options, signal: stopped }),
      );
    } catch (error) {
      const cause: unknown = stopped.aborted ? stopped.reason : error;
      if (isRestart(cause) && !(await isAsked(turn))) return undefined;
      if (isSetUpError(cause)) {
        log.error(
          { err: cause, turn: turn.id },
          'the turn failed: check CHATBOT_API_KEY and CHATBOT_UUID',
        );
      } else if (!(cause instanceof StoppedError)) {
        log.warn({ err: error, turn: turn.id }, 'the turn failed');
      }
      return toEarlyEnd(turn, reply, cause);
    }
  }

  /** Whether the query may have been sent. A store that fails has not stored that it was. */
  async function isAsked({ id }: TurnRecord): Promise<boolean> {
    const row = await turns.get(id).catch(() => undefined);
    return row !== undefined && row.state !== 'accepted';
  }

  /** Stores what people said during a hand-over with the query, so that a retry sends it as well. */
  async function addContext(turn: TurnRecord): Promise<void> {
    const handedOver = await handOver?.find(turn.address);
    if (!handedOver) return;
    if (!handedOver.ended) {
      throw new StoppedError({ kind: 'person', name: handedOver.askedBy.name });
    }
    const context = renderContext(handedOver.said) ?? '';
    if (context !== (turn.context ?? '')) await turns.update(turn.id, { context }, ['accepted']);
  }

  /** Undefined if the process stops before the service has answered. */
  async function settleOrLeave(turn: TurnRecord, stopped: AbortSignal): Promise<End | undefined> {
    try {
      return await settle(turn, { tools: options, signal: stopped });
    } catch (error) {
      const cause: unknown = stopped.aborted ? stopped.reason : error;
      return isRestart(cause)
        ? undefined
        : toEarlyEnd(turn, { text: '', hasBegun: false, isLinedUp: false }, cause);
    }
  }

  /**
   * Writes the ending until the platform has it, or the turn is stopped in the line for its first
   * message.
   */
  async function finish(
    turn: TurnRecord,
    reply: Reply,
    ending: Ending,
    stopped: AbortSignal,
  ): Promise<void> {
    let hasLeft = false;
    const leave = () => {
      hasLeft = reply.isLinedUp && !isRestart(stopped.reason);
      if (hasLeft) reply[Symbol.dispose]();
    };
    if (stopped.aborted) leave();
    stopped.addEventListener('abort', leave, { once: true });
    try {
      await retry(() => reply.finish(ending), { waitMs: waitWhilePassing, sleep, signal });
    } catch (error) {
      if (signal.aborted) return;
      await steps.end(turn, written);
      if (!hasLeft) throw error;
      return;
    }
    await steps.end(turn, written);
    void repeatLater(turn, reply);
  }

  /** The turn has ended: nothing waits for it, and whatever becomes of the reply meanwhile stays. */
  async function repeatLater({ id, attempt, answer }: TurnRecord, reply: Reply): Promise<void> {
    const isCurrent = async () => {
      const row = await turns.get(id);
      return row?.state === 'ended' && row.attempt === attempt && row.answer === answer;
    };
    try {
      await reply.repeatLater({ isCurrent, signal: closing });
    } catch (error) {
      if (!closing.aborted) log.info({ err: error, turn: id }, 'a last edit was not repeated');
    }
  }

  /** The last message may still be streaming, and can't be edited until its stream ends. */
  async function endStream(thread: Thread, { posted }: TurnRecord): Promise<void> {
    const last = posted.at(-1);
    try {
      if (last !== undefined) await thread.message(last).endStream?.();
    } catch (error) {
      log.warn({ err: error, thread: thread.address }, 'an interrupted stream could not be ended');
    }
  }

  function report({ id, address }: TurnRecord, outcome: Outcome, reply: Reply): void {
    const turn = { platform: address.platform, outcome, ...reply.stats() };
    log.info({ turn: id, thread: address, ...turn }, 'a turn ended');
    reports?.turnEnded(turn);
    reports?.replies?.ended(id, outcome);
  }

  return runTurn;
}

const written = { state: 'ended', ending: undefined } as const;

const waitWhilePassing = (error: unknown, failures: number) =>
  isRefusal(error, 'failed', 'rate_limited') ? growingWaitMs(failures) : undefined;

function isRestart(cause: unknown): boolean {
  return cause instanceof StoppedError && cause.reason.kind === 'restart';
}

/** Whether only the people who run the bot can do something about it. */
function isSetUpError(error: unknown): boolean {
  return error instanceof ChatbotError && ['unauthorized', 'misconfigured'].includes(error.kind);
}

/** Limits how many turns are asked at once. Workspaces that wait take turns. */
export interface Capacity {
  /** Whether so many turns wait that another one is refused. */
  readonly isFull: boolean;
  /**
   * Runs a task once there is a free place.
   * @throws {unknown} the signal's reason when it aborts, or what the task throws
   */
  run<Result>(workspace: string, signal: AbortSignal, task: () => Promise<Result>): Promise<Result>;
}

/** This many turns may wait for each that may run. */
const maxWaitingPerPlace = 10;

export function createCapacity(max: number): Capacity {
  /** By workspace; the first in the map is next. */
  const waiting = new Map<string, (() => void)[]>();
  let waitingTotal = 0;
  let running = 0;

  /** The place goes to whoever waits, so that nobody slips in between. */
  function leave(): void {
    const [next] = waiting;
    if (!next) {
      running -= 1;
      return;
    }
    const [workspace, [admit, ...others]] = next;
    waiting.delete(workspace);
    if (others.length > 0) waiting.set(workspace, others);
    admit?.();
  }

  function waitForPlace(workspace: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = waiting.get(workspace) ?? [];
    waiting.set(workspace, [...line, admit]);
    waitingTotal += 1;
    signal.addEventListener('abort', giveUp, { once: true });
    return promise;

    function admit(): void {
      waitingTotal -= 1;
      signal.removeEventListener('abort', giveUp);
      resolve();
    }
    function giveUp(): void {
      waitingTotal -= 1;
      const others = (waiting.get(workspace) ?? []).filter((each) => each !== admit);
      if (others.length > 0) waiting.set(workspace, others);
      else waiting.delete(workspace);
      reject(signal.reason as Error);
    }
  }

  return {
    get isFull() {
      return waitingTotal >= max * maxWaitingPerPlace;
    },
    async run(workspace, signal, task) {
      signal.throwIfAborted();
      if (running < max) running += 1;
      else await waitForPlace(workspace, signal);
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
}
