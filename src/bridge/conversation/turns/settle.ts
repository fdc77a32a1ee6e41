import { textsFor } from '../../texts/texts.ts';
import { translateEnd } from '../../../shared/problems/problem.ts';
import { growingWaitMs, retry } from '../../../shared/primitives/retry.ts';
import { sleep } from '../../../shared/primitives/time.ts';
import { isChatbotError, StoppedError } from '../errors.ts';
import type { StoredReply } from '../chatbot.ts';
import { asTurn, type TurnRecord } from '../inbox/row.ts';
import type { Tools } from '../tools.ts';
import type { TurnRun } from './ask.ts';
import { type End, isDone, isReplyTo, toEarlyEnd, toEnd, toFailedEnd } from './end.ts';

/** So many tries take an hour. */
const maxFailures = 64;

/** A reply that is still to come or to grow is looked at this often, until so many show nothing new. */
const lookEveryMs = 1_000;
const maxLooks = 8;

/** Later looks come less often, and end after this time, or when a reply has to be done. */
const laterLooks = { firstMs: 1_000, maxMs: 30_000 };
const lookForMs = 60 * 60 * 1000;

/**
 * The end of a turn that an earlier run asked: what the service has of its reply. Waits until the
 * service answers. If the reply is still to come, what was shown stays, and it is looked for later.
 * @throws {StoppedError} when the turn is stopped
 */
export async function settle(turn: TurnRecord, { tools, signal }: TurnRun): Promise<End> {
  const stored = await readSettled(turn, tools, signal);
  if (stored && isDone(stored)) return toEnd(turn, stored, tools.typed);
  if (stored?.reason !== undefined) return toFailedEnd(turn, stored);
  const { response = '', failure } = stored ?? {};
  const isFinal = stored?.state === 'partial';
  // What is shown may be more than the service tells, or has stored.
  const keepsShown = response === '' || turn.posted.length > 0;
  const text = keepsShown ? '' : translateEnd(response, failure, textsFor(turn.author.locale));
  const cause = new StoppedError({ kind: 'restart' });
  const end = toEarlyEnd(turn, cause, { text, hasBegun: true, isLinedUp: false });
  const ending = end.ending && { ...end.ending, keepsShown };
  return { ...end, ending, answer: stored?.id, unsettled: !isFinal };
}

/**
 * Looks once for the rest of a reply that broke off. Resolves with when to look again; undefined if
 * the service has it whole now, or will not.
 */
export async function lookAgain(
  turn: TurnRecord,
  { tools, signal }: TurnRun,
): Promise<{ isWhole: boolean; nextMs?: number }> {
  const { chatbot, log, maxReplyMs } = tools;
  const { session, sentAt = turn.createdAt, attempts } = turn;
  if (session === undefined) return { isWhole: false };
  let newest: StoredReply | undefined;
  try {
    newest = await chatbot.lastReply(session, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.debug({ err: error, turn: turn.id }, 'a reply could not be looked for');
    if (!isPassing(error)) return { isWhole: false };
  }
  const found = newest && (await isReplyOf(turn, newest, tools)) ? newest : undefined;
  // The thread has gone on.
  if (newest && !found && newest.id !== turn.after) return { isWhole: false };
  if (found && isDone(found)) return { isWhole: true };
  const isFinal = found?.reason !== undefined;
  const isLate = Date.now() - sentAt > Math.max(maxReplyMs, lookForMs);
  if (isFinal || isLate) return { isWhole: false };
  return { isWhole: false, nextMs: growingWaitMs(attempts + 1, laterLooks) };
}

/**
 * The stored reply, once it no longer grows; undefined if the service has none. Some services store
 * a reply only when it is whole, although nobody reads it any more.
 */
async function readSettled(
  turn: TurnRecord,
  tools: Tools,
  signal: AbortSignal,
): Promise<StoredReply | undefined> {
  const { session } = turn;
  if (session === undefined) return undefined;
  let reply: StoredReply | undefined;
  for (let looks = 0; looks < maxLooks; looks += 1) {
    if (looks > 0) await sleep(lookEveryMs, signal);
    const newest = await readWhenThere(session, tools, signal);
    const found = newest && (await isReplyOf(turn, newest, tools)) ? newest : undefined;
    if (found && found.state !== 'running') return found;
    if (found?.response !== reply?.response) looks = 0;
    reply = found;
  }
  return reply;
}

/** As `isReplyTo`, where the thread may have gone on, even with the same words. */
async function isReplyOf(
  turn: TurnRecord,
  newest: StoredReply,
  { sessions, inbox }: Tools,
): Promise<boolean> {
  if (!isReplyTo(turn, newest)) return false;
  const { lastTurn = turn.id } = (await sessions.find(turn.address)) ?? {};
  const last = lastTurn === turn.id ? undefined : asTurn(await inbox.get(lastTurn));
  const isLater = (last?.sentAt ?? 0) > (turn.sentAt ?? 0);
  return !last || !isLater || !isReplyTo(last, newest);
}

/** The session's newest reply, read until the service answers. */
async function readWhenThere(
  session: string,
  { chatbot, log }: Tools,
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

function isPassing(error: unknown): boolean {
  return isChatbotError(error, 'unavailable', 'timeout', 'interrupted', 'rate_limited');
}
