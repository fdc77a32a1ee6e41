import { textsFor } from '../../texts/texts.ts';
import { translateEnd } from '../../../shared/problems/problem.ts';
import { growingWaitMs, retry } from '../../../shared/primitives/retry.ts';
import { sleep } from '../../../shared/primitives/time.ts';
import { ChatbotError, type ChatbotErrorKind, StoppedError } from '../errors.ts';
import type { StoredReply } from '../chatbot.ts';
import type { Thread } from '../thread.ts';
import {
  type End,
  isDone,
  isReplyTo,
  toEarlyEnd,
  toEnd,
  toFailedEnd,
  type TurnTools,
} from './ask.ts';
import { asTurn, type TurnRecord } from './turn-record.ts';

/** So many tries take an hour. */
const maxFailures = 64;

/** A reply that is still to come or to grow is looked at this often, until so many show nothing new. */
const lookEveryMs = 1_000;
const maxLooks = 8;

/**
 * The end of a turn that an earlier run asked: what the service has of its reply. Waits until the
 * service answers.
 * @throws {StoppedError} when the turn is stopped
 */
export async function settle(
  turn: TurnRecord,
  { tools, signal }: { tools: TurnTools; signal: AbortSignal },
): Promise<End> {
  const stored = await readSettled(turn, tools, signal);
  if (stored && isDone(stored)) return toEnd(turn, stored);
  if (stored?.reason !== undefined) return toFailedEnd(turn, stored);
  const { response = '', failure } = stored ?? {};
  const text = translateEnd(response, failure, textsFor(turn.author.locale));
  const end = toEarlyEnd(
    turn,
    { text, hasBegun: true, isLinedUp: false },
    new StoppedError({ kind: 'restart' }),
  );
  return { ...end, answer: stored?.id };
}

/**
 * The stored reply, once it no longer grows; undefined if the service has none. Some services store
 * a reply only when it is whole, although nobody reads it any more.
 */
async function readSettled(
  turn: TurnRecord,
  { chatbot, log }: TurnTools,
  signal: AbortSignal,
): Promise<StoredReply | undefined> {
  const { session } = turn;
  if (session === undefined) return undefined;
  let reply: StoredReply | undefined;
  for (let looks = 0; looks < maxLooks; looks += 1) {
    if (looks > 0) await sleep(lookEveryMs, signal);
    const newest = await readWhenThere(session, { chatbot, log }, signal);
    const found = newest && isReplyTo(turn, newest) ? newest : undefined;
    if (found && found.state !== 'running') return found;
    if (found?.response !== reply?.response) looks = 0;
    reply = found;
  }
  return reply;
}

/** The session's newest reply, read until the service answers. */
async function readWhenThere(
  session: string,
  { chatbot, log }: Pick<TurnTools, 'chatbot' | 'log'>,
  signal: AbortSignal,
): Promise<StoredReply | undefined> {
  try {
    return await retry(() => chatbot.lastReply(session, signal), {
      sleep,
      signal,
      waitMs: (error, failures) =>
        isPassing(error) && failures < maxFailures ? growingWaitMs(failures) : undefined,
    });
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, session }, 'an interrupted turn could not be read');
    return undefined;
  }
}

const passing = new Set<ChatbotErrorKind>([
  'unavailable',
  'timeout',
  'interrupted',
  'rate_limited',
]);

function isPassing(error: unknown): boolean {
  return error instanceof ChatbotError && passing.has(error.kind);
}

/**
 * Completes a reply that broke off, if the service has it after all: waits until the service
 * answers. Resolves once that is done, or left to the next start. Never rejects.
 */
export type CompleteLate = (turn: TurnRecord, thread: Thread) => Promise<void>;

/** @param closing aborted when the process begins to stop */
export function createCompleteLate(
  tools: TurnTools,
  run: (turn: TurnRecord, thread: Thread) => Promise<void>,
  closing: AbortSignal,
): CompleteLate {
  const { turns, log } = tools;

  async function complete(turn: TurnRecord, thread: Thread): Promise<void> {
    const stored = await readSettled(turn, tools, closing);
    const { unsettled, attempt } = (await turns.get(turn.id)) ?? {};
    // Somebody may have tried again meanwhile.
    if (!unsettled || attempt !== turn.attempt) return;
    const state = stored && isDone(stored) ? 'showing' : 'ended';
    const changed = asTurn(await turns.update(turn.id, { state, unsettled: undefined }, ['ended']));
    if (changed?.state === 'showing') await run(changed, thread);
  }

  return async (turn, thread) => {
    try {
      await complete(turn, thread);
    } catch (error) {
      if (!closing.aborted) log.error({ err: error, turn: turn.id }, 'a reply was not completed');
    }
  };
}
