import { growingWaitMs, retry } from '../../../shared/primitives/retry.ts';
import { sleep, withTimeLimit } from '../../../shared/primitives/time.ts';
import { textsFor } from '../../texts/texts.ts';
import type { ThreadAddress } from '../address.ts';
import type { Chatbot, StoredReply } from '../chatbot.ts';
import { ChatbotError, isChatbotError, StoppedError } from '../errors.ts';
import { beginsToAnswer, findHelp } from '../help.ts';
import { unfinished } from '../inbox/inbox.ts';
import { asTurn, type TurnRecord } from '../inbox/row.ts';
import type { Reply } from '../reply/reply.ts';
import type { OpenSession } from '../sessions.ts';
import type { Tools } from '../tools.ts';
import {
  type End,
  type EndedReply,
  isBrokenStream,
  isDone,
  isReplyTo,
  noted,
  toEnd,
  toFailedEnd,
} from './end.ts';

/** How long a service that fell silent may take to give its stored reply: people wait for a word. */
const lastChanceMs = 1_500;

/** A turn that is being asked, until the signal stops it. */
export interface TurnRun {
  tools: Tools;
  signal: AbortSignal;
}

/** More starts than these in a row are the fault of something in the question or its reply. */
const maxContinued = 5;

/** Whether a query that an earlier run sent with a key is to be sent again: the service has its reply. */
export function mayContinue(
  { state, session, key, sentAt = 0, continued = 0 }: TurnRecord,
  { maxReplyMs }: Tools,
): boolean {
  const isAsked = state === 'asking' || state === 'showing';
  const isInTime = Date.now() < sentAt + maxReplyMs && continued < maxContinued;
  return isAsked && session !== undefined && key !== undefined && isInTime;
}

/**
 * Sends the query to the thread's session and streams the reply, or goes on with the reply to a query
 * that was sent with a key. If the service no longer knows the session, asks once more in a new one.
 * @throws {ChatbotError}
 * @throws {StoppedError} when the turn is stopped
 */
export async function ask(turn: TurnRecord, reply: Reply, run: TurnRun): Promise<End> {
  const { tools, signal } = run;
  const { usualChatbot, freshSession } = textsFor(turn.author.locale).thread;
  let gone = turn.session ?? '';
  try {
    if (turn.state !== 'accepted') return await askOn(turn, reply, run);
    const known = await findSession(turn, run);
    gone = known.session;
    const end = await askIn(known, turn, reply, run);
    return known.usesFallback ? noted(end, usualChatbot) : end;
  } catch (error) {
    const isShown = reply.hasBegun || reply.text !== '';
    if (isShown || !isChatbotError(error, 'not_found')) throw error;
  }
  const created = await tools.sessions.renew(turn.address, gone, signal, turn.tags);
  const end = await askIn(created, turn, reply, run);
  return noted(end, created.usesFallback ? usualChatbot : freshSession);
}

async function askIn(
  session: OpenSession,
  { id, attempt, address }: TurnRecord,
  reply: Reply,
  run: TurnRun,
): Promise<End> {
  const { tools, signal } = run;
  const { chatbot, inbox } = tools;
  const after = session.lastMessage ?? (await newestMessage(session.session, chatbot, signal));
  const takesKeys = session.takesKeys ?? (await learnKeys(session, address, run));
  const intent = {
    state: 'asking',
    session: session.session,
    key: takesKeys ? `${id}.${attempt}` : undefined,
    after,
    sentAt: Date.now(),
  } as const;
  // The query may have been edited while the turn waited.
  const turn = asTurn(await inbox.update(id, intent, ['accepted', 'asking']));
  if (!turn) throw new StoppedError({ kind: 'removed' });
  return streamAndEnd(turn, reply, { ...run, answeredBy: session.chatbot });
}

function findSession(
  { address, tags }: TurnRecord,
  { tools, signal }: TurnRun,
): Promise<OpenSession> {
  return untilThere(() => tools.sessions.findOrCreate(address, signal, tags), signal);
}

/** Asks the service whether a session of before 0.3.0 takes keys. */
async function learnKeys(
  { session }: OpenSession,
  address: ThreadAddress,
  { tools, signal }: TurnRun,
): Promise<boolean> {
  const takesKeys = await untilThere(() => tools.chatbot.takesKeys(session, signal), signal);
  await tools.sessions.noteKeys(address, session, takesKeys);
  return takesKeys;
}

/** A service that is restarted is away for a few seconds. */
function untilThere<Result>(read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  return retry(read, {
    waitMs: (error, failures) =>
      isBrokenOff(error) && failures < maxBeginnings
        ? growingWaitMs(failures, asksAgain)
        : undefined,
    sleep,
    signal,
  });
}

/** Goes on with the reply to a query that an earlier run sent with a key. */
async function askOn(
  { id, continued = 0 }: TurnRecord,
  reply: Reply,
  { tools, signal }: TurnRun,
): Promise<End> {
  const counted = await tools.inbox.update(id, { continued: continued + 1 }, unfinished);
  const turn = asTurn(counted);
  if (!turn) throw new StoppedError({ kind: 'removed' });
  const known = await tools.sessions.find(turn.address);
  const answeredBy = known?.session === turn.session ? known?.chatbot : undefined;
  return streamAndEnd(turn, reply, { tools, signal, answeredBy });
}

/**
 * Streams the reply to a query that is stored as sent.
 * @param run.answeredBy the uuid of the chatbot, if it is known
 */
export async function streamAndEnd(
  turn: TurnRecord,
  reply: Pick<Reply, 'append' | 'restart'>,
  run: TurnRun & { answeredBy: string | undefined },
): Promise<End> {
  const { log, typed } = run.tools;
  const { id } = turn;
  const { received, failure } = await stream(turn, reply, run);
  if (failure && !isBrokenStream(failure)) throw failure;
  const stored = await readReply(turn, failure, run);
  const hasFailed = stored?.state === 'partial' && (!failure || stored.reason !== undefined);
  if (hasFailed) {
    log.warn({ turn: id, reason: stored.reason }, 'the service could not answer');
    return toFailedEnd(turn, stored);
  }
  if (failure && (!stored || !isDone(stored))) throw failure;
  const streamed: EndedReply = { sources: [], ...stored, response: received, state: 'whole' };
  return toEnd(turn, stored && isDone(stored) ? stored : streamed, typed);
}

/** Tries in a row to begin a reply: the service may be away for longer. */
const maxBeginnings = 6;
const asksAgain = { firstMs: 500, maxMs: 10_000 };

/** Streams the reply. With a key, it is asked for again where it breaks off, and comes from its start. */
async function stream(
  turn: TurnRecord,
  reply: Pick<Reply, 'append' | 'restart'>,
  { tools, signal }: TurnRun,
): Promise<{ received: string; failure?: unknown }> {
  const { chatbot, log, maxReplyMs } = tools;
  const { session = '', sentAt = 0, query, author } = turn;
  let { key } = turn;
  const onKeyIgnored = async () => {
    key = undefined;
    await forgetKey(turn, tools);
  };
  // The help may come in place of the reply, unless that begins with an answer.
  const help = findHelp(query, author.locale);
  // Where the query may have reached the service, its reply is there, or will be.
  let isThere = (turn.continued ?? 0) > 0;
  let longest = 0;
  for (let failures = 1; ; failures += 1) {
    let received = '';
    let isShown = false;
    let isSent = false;
    try {
      // By now, another service may answer there, or a proxy that drops the key.
      if (isThere && !(await chatbot.takesKeys(session, signal))) {
        await onKeyIgnored();
        throw new ChatbotError('interrupted', 'The service takes no keys any more');
      }
      isSent = true;
      for await (const delta of chatbot.reply(session, { ...turn, onKeyIgnored }, signal)) {
        received += delta;
        if (isShown) reply.append(delta);
        else if (turn.quiet) continue;
        else if (!help || beginsToAnswer(received, query, help)) {
          reply.append(received);
          isShown = true;
        }
      }
      return { received };
    } catch (failure) {
      if (key === undefined || !isBrokenOff(failure)) return { received, failure };
      isThere ||= isSent && (received !== '' || (!failure.isUnsent && !failure.status));
      if (received.length > longest) failures = 1;
      longest = Math.max(longest, received.length);
      const isOver = Date.now() > sentAt + maxReplyMs || (!isThere && failures >= maxBeginnings);
      if (isOver) return { received, failure };
      log.info({ err: failure, turn: turn.id }, 'a reply broke off, and is asked for again');
      await sleep(growingWaitMs(failures, asksAgain), signal);
      reply.restart();
    }
  }
}

/** From now on, neither this query nor others of its session are sent again. Never rejects. */
async function forgetKey(
  { id, address, session = '' }: TurnRecord,
  { inbox, sessions, log }: Tools,
): Promise<void> {
  log.warn({ turn: id, session }, 'the service ignores keys: replies that break off stay so');
  try {
    await inbox.update(id, { key: undefined }, unfinished);
    await sessions.noteKeys(address, session, false);
  } catch (error) {
    log.error({ err: error, turn: id }, 'it could not be stored that the service ignores keys');
  }
}

async function newestMessage(
  session: string,
  chatbot: Chatbot,
  signal: AbortSignal,
): Promise<string> {
  return (await chatbot.lastReply(session, signal))?.id ?? '';
}

/** The stored reply, if the service has it. A reply that was shown whole does not need it. */
async function readReply(
  turn: TurnRecord,
  failure: unknown,
  run: TurnRun & { answeredBy: string | undefined },
): Promise<StoredReply | undefined> {
  const { signal, answeredBy } = run;
  const { chatbot, log } = run.tools;
  const { session = '' } = turn;
  const timedOut = isChatbotError(failure, 'timeout');
  const read = (limited: AbortSignal) => chatbot.lastReply(session, limited, answeredBy);
  try {
    const newest = await (timedOut ? withTimeLimit(lastChanceMs, signal, read) : read(signal));
    return newest && isReplyTo(turn, newest) ? newest : undefined;
  } catch (error) {
    // The reply of a session that was deleted meanwhile ended early.
    if (signal.aborted || isChatbotError(error, 'not_found')) throw error;
    log.warn({ err: error, session }, 'the reply’s sources could not be read');
    return undefined;
  }
}

/** Whether the connection to the service was lost, or the service is away. */
function isBrokenOff(error: unknown): error is ChatbotError {
  return isChatbotError(error, 'interrupted', 'unavailable');
}
