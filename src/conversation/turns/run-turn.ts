import { messagesFor } from '../../messages/messages.ts';
import { retry } from '../../primitives/retry.ts';
import { sleep } from '../../primitives/sleep.ts';
import { workspaceKey } from '../address.ts';
import type { HandOver } from '../hand-over/hand-over.ts';
import { renderContext } from '../hand-over/records.ts';
import { isRefusal } from '../platform-error.ts';
import type { Outcome, Reports, Thread } from '../ports.ts';
import type { Pacer } from '../reply/pacer.ts';
import { createReply, type Ending, type Reply } from '../reply/reply.ts';
import { ask, type End, toEarlyEnd, type TurnTools } from './ask.ts';
import type { Capacity } from './capacity.ts';
import { StoppedError } from './running-turns.ts';
import { settle } from './settle.ts';
import {
  asTurn,
  fromStoredEnding,
  toStoredEnding,
  type TurnRecord,
  type TurnRow,
  type TurnState,
} from './turn-record.ts';

/**
 * Takes a turn from the state it is in to its end. Resolves when it has ended, or is left to the
 * next start.
 * @throws {PlatformError} when the platform refuses the reply for good
 */
export type RunTurn = (
  turn: TurnRecord,
  thread: Thread,
  run: {
    /** Aborted with a StoppedError to end the turn early. */
    stopped: AbortSignal;
    /** Disposed of once the reply is visible. */
    working: Disposable;
    /** Whether an earlier run left the turn. */
    isResumed: boolean;
  },
) => Promise<void>;

export interface RunTurnOptions extends TurnTools {
  pacer: Pacer;
  /** Max characters of a reply to show; a longer one is attached whole as a file. */
  maxReplyCharacters?: number;
  reports?: Reports;
}

interface RunTurnParts {
  capacity: Capacity;
  handOver: HandOver | undefined;
  /** Aborted at shutdown: writes still waiting are left to the next start. */
  signal: AbortSignal;
}

const firstWaitMs = 1_000;
const maxWaitMs = 60_000;

/** Milliseconds before a retry that goes on until the process ends. */
const backoff = (failures: number) => Math.min(firstWaitMs * 2 ** (failures - 1), maxWaitMs);

const unfinished: readonly TurnState[] = ['accepted', 'asking', 'showing', 'ending'];

export function createRunTurn(
  options: RunTurnOptions,
  { capacity, handOver, signal }: RunTurnParts,
): RunTurn {
  const { sessions, turns, pacer, log, maxReplyCharacters, reports } = options;

  const runTurn: RunTurn = async (turn, thread, { stopped, working, isResumed }) => {
    // Where nothing can be stored, every restart would write the same again.
    if (isResumed)
      await retry(() => turns.update(turn.id, {}), { waitMs: waitAlways, sleep, signal });
    using reply = createReply({
      thread,
      pacer,
      turn: turn.id,
      question: turn.messageId,
      // "Try again" answers the same turn in new messages.
      key: `${turn.id}.${turn.attempt}`,
      resumed: isResumed,
      messages: messagesFor(turn.author.locale),
      signal,
      maxCharacters: maxReplyCharacters,
      posted: turn.posted,
      async onPosted(posted) {
        working[Symbol.dispose]();
        await store(turn, { posted, state: 'showing' }, ['asking', 'showing']);
        await store(turn, { posted }, ['ending']);
      },
    });
    if (isResumed) await endStream(thread, turn);
    if (turn.ending) return finish(turn, reply, fromStoredEnding(turn.ending));
    const furtherButtons = Promise.resolve(handOver ? handOver.buttonsFor(turn) : []);
    const end =
      turn.state === 'accepted'
        ? await askWithContext(turn, reply, stopped)
        : await settleOrLeave(turn, stopped);
    if (!end) return;
    const { ending, outcome, answer, sources } = end;
    if (!ending) return void (await store(turn, { state: 'ended' }, unfinished));
    const whole = { ...ending, buttons: [...ending.buttons, ...(await furtherButtons)] };
    const change = { state: 'ending', ending: toStoredEnding(whole), answer, sources } as const;
    const ended = await store(turn, change, unfinished);
    try {
      await finish(ended, reply, whole);
    } finally {
      report(turn, outcome, reply);
    }
    const isTold = outcome === 'answered' || outcome === 'cut';
    if (isTold) await handOver?.forget(turn.address);
  };

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
      if (isRestart(cause) && (await turns.get(turn.id))?.state === 'accepted') return undefined;
      if (!(cause instanceof StoppedError))
        log.warn({ err: error, turn: turn.id }, 'the turn failed');
      return toEarlyEnd(turn, reply.text, cause);
    }
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
      return isRestart(cause) ? undefined : toEarlyEnd(turn, '', cause);
    }
  }

  /** Writes the ending until the platform has it. */
  async function finish(turn: TurnRecord, reply: Reply, ending: Ending): Promise<void> {
    try {
      await retry(() => reply.finish(ending), { waitMs: waitWhilePassing, sleep, signal });
    } catch (error) {
      if (signal.aborted) return;
      await markEnded(turn);
      throw error;
    }
    await markEnded(turn);
  }

  async function markEnded(turn: TurnRecord): Promise<void> {
    const { id, address, session, answer } = turn;
    try {
      if (session !== undefined) {
        await sessions.remember(address, { session, turn: id, message: answer });
      }
    } catch (error) {
      log.error({ err: error, turn: id }, 'the thread’s last turn was not stored');
    }
    await store(turn, { state: 'ended', ending: undefined }, unfinished);
  }

  /** A change that can't be stored is only logged: the reply goes on. */
  async function store(
    turn: TurnRecord,
    change: Partial<TurnRow>,
    from: readonly TurnState[],
  ): Promise<TurnRecord> {
    try {
      return asTurn(await turns.update(turn.id, change, from)) ?? turn;
    } catch (error) {
      log.error({ err: error, turn: turn.id }, 'a step of a turn was not stored');
      return { ...turn, ...change };
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
  }

  return runTurn;
}

const waitAlways = (_error: unknown, failures: number) => backoff(failures);

const waitWhilePassing = (error: unknown, failures: number) =>
  isRefusal(error, 'failed', 'rate_limited') ? backoff(failures) : undefined;

function isRestart(cause: unknown): boolean {
  return cause instanceof StoppedError && cause.reason.kind === 'restart';
}
