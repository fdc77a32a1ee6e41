import { type Problem, renderProblem } from '../shared/problems/problem.ts';
import { createAccess } from './access.ts';
import { AnswerError } from './answer/answer-errors.ts';
import type { AnswerOutcome, Answers } from './answer/answers.ts';
import type { AskedQuestion } from './answer/prompt.ts';
import { toWholeCharacters } from './answer/deltas.ts';
import { toGathered } from './gather.ts';
import { HttpError } from './http-error.ts';
import { createUuid } from './identifiers.ts';
import type { Log } from '../shared/primitives/log.ts';
import type { Quota } from './quota.ts';
import type { ChatbotRecord } from './store/chatbot-store.ts';
import type { MessageRecord } from './store/message-store.ts';
import { toFailureFields } from './meta.ts';
import type { Store } from './store/store.ts';

/** A query, and the given response if no agent is to answer. */
interface Turn extends Omit<AskedQuestion, 'history'> {
  givenResponse?: string;
}

/** A running reply. */
export interface Reply {
  deltas: AsyncGenerator<string, void>;
  /** Ends it, keeping its text so far; does nothing if it has ended. */
  end(): Promise<void>;
}

/** Selects replies by their messages. */
type Scope = { chatbot: string } | { session: string } | { message: string };

export interface Replies extends AsyncDisposable {
  /**
   * Stores the query and starts its reply, which is stored when it ends, fails, or is abandoned.
   * Errors of the answer are part of the reply.
   * @throws {HttpError} 499 when the client has already left; 404 when the session is gone; 422 when
   *   there is no room for the query.
   *   A reply that has begun is stored whatever room it takes.
   */
  start(turn: Turn, signal: AbortSignal): Promise<Reply>;
  /** The message with its reply so far, while it is running. */
  find(message: string): MessageRecord | undefined;
  /** Ends the running replies in the scope. */
  end(scope: Scope): void;
}

interface ActiveReply {
  chatbot: string;
  message: MessageRecord;
  reply: Reply;
  /** Resolves once the query is stored, or could not be. */
  taken: Promise<unknown>;
  /** Resolves once the reply is stored; there from its end on. */
  closed?: Promise<void>;
}

/** After these problems, a session forgets the documents that were added. */
const documentFailures = new Set<string>(['documents_too_long', 'documents_too_many']);
const defaultLimitMessage =
  'You have sent many messages in a short time. Please wait a little, then ask again.';

/** Disposing lets running replies continue for `graceMs`, then ends them. */
export function createReplies(parts: {
  store: Store;
  quota: Pick<Quota, 'within'>;
  answers: Answers;
  graceMs: number;
  /** Called for each message whose reply has ended and is stored, except rate-limited ones. */
  onEnd: (message: MessageRecord) => Promise<void>;
  log: Log;
  now: () => number;
}): Replies {
  const { store, quota, answers, graceMs, onEnd, log, now } = parts;
  /** The running replies by message. */
  const active = new Map<string, ActiveReply>();
  let onDrained = () => {};
  let isClosing = false;

  const toMessage = ({ session, query, documents }: Turn): MessageRecord => {
    const used = [...documents.remembered, ...documents.added].map(({ uuid }) => uuid);
    return {
      uuid: createUuid(),
      session: session.uuid,
      query,
      response: '',
      citations: {},
      finishReason: '',
      errorMessage: '',
      meta: used.length > 0 ? { session_documents: used } : {},
      createdMs: now(),
      modifiedMs: now(),
    };
  };

  /** Stores the query and counts it against the chatbot's rate limit, in one transaction. */
  const take = ({ chatbot, session }: Turn, message: MessageRecord) =>
    quota.within(chatbot.owner, async (tx) => {
      // First, so that other queries of the session wait until this one is counted.
      await tx.sessions.touch(session.uuid, message.createdMs);
      // It may have been deleted in the meantime.
      await createAccess(tx).session(chatbot.owner, session.uuid);
      const sinceMs = message.createdMs - chatbot.rateSeconds * 1000;
      const count = await tx.messages.countSince(session.uuid, sinceMs);
      const isLimited = count >= chatbot.rateMessages;
      if (isLimited) message.meta.rate_limited = true;
      await tx.messages.insert(message, isLimited);
      await tx.documents.remember(session.uuid, message.meta.session_documents ?? []);
    });

  /** Stores the final state of a reply, once. */
  const close = async (message: MessageRecord): Promise<void> => {
    const reply = active.get(message.uuid);
    if (reply) await (reply.closed ??= finish(reply));
  };

  const finish = async ({ message, taken }: ActiveReply): Promise<void> => {
    if (message.finishReason === '' && message.errorMessage === '') {
      message.meta.interrupted = true;
      if (isClosing) setFailure(message, { code: 'answer_stopped' });
    }
    const fields = { session: message.session, message: message.uuid };
    try {
      await taken.catch(() => undefined);
      await store.messages.finish({ ...message, modifiedMs: now() });
      await store.replyLog.forget(message.uuid);
      if (!message.meta.rate_limited && !isClosing) await onEnd(message);
      log.debug({ ...fields, ms: now() - message.createdMs }, 'a reply ended');
    } catch (error) {
      log.error({ ...fields, err: error }, 'a reply could not be stored');
    } finally {
      active.delete(message.uuid);
      if (active.size === 0) onDrained();
    }
  };

  async function* answer(
    turn: Turn,
    message: MessageRecord,
    signal: AbortSignal,
  ): AsyncGenerator<string, AnswerOutcome> {
    const fixed = message.meta.rate_limited ? toLimitMessage(turn.chatbot) : turn.givenResponse;
    if (fixed !== undefined) {
      yield fixed;
      return { finishReason: 'stop', citations: {} };
    }
    const history = await store.messages.listRecent(message.session, answers.historyTurns);
    const { meta, deltas } = await answers.begin({ ...turn, history }, signal);
    Object.assign(message.meta, meta);
    return yield* deltas;
  }

  /**
   * Passes the answer on and updates `message` with it. Watched text is stored before the reader
   * gets it, so that a killed process loses nothing they have seen.
   */
  async function* record(
    { message, isWatched, added }: { message: MessageRecord; isWatched: boolean; added: string[] },
    deltas: AsyncGenerator<string, AnswerOutcome>,
    signal: AbortSignal,
  ): AsyncGenerator<string, void> {
    const keep = async (delta: string) => {
      message.response += delta;
      if (isWatched) await store.replyLog.append(message.uuid, delta);
    };
    try {
      for (;;) {
        const { done, value } = await deltas.next();
        if (done) {
          const { meta, ...outcome } = value;
          Object.assign(message, outcome);
          Object.assign(message.meta, meta);
          return;
        }
        await keep(value);
        yield value;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isKnown = error instanceof AnswerError;
      const fields = { err: error, message: message.uuid };
      if (isKnown) log.info({ ...fields, problem: error.problem.code }, 'an answer failed');
      else log.error(fields, 'an answer failed');
      setFailure(message, isKnown ? error.problem : { code: 'answer_failed' });
      if (isKnown && documentFailures.has(error.problem.code)) {
        await store.documents.forget(message.session, added);
      }
      const told = message.response === '' ? message.errorMessage : `\n\n${message.errorMessage}`;
      message.response += told;
      yield told;
    } finally {
      await close(message);
      await deltas.return({ finishReason: 'stop', citations: {} });
    }
  }

  return {
    async start(turn, signal) {
      if (signal.aborted) throw new HttpError(499, 'client_left');
      const message = toMessage(turn);
      const stop = new AbortController();
      const answered = toGathered(toWholeCharacters(answer(turn, message, stop.signal)));
      const { isWatched } = turn;
      const added = turn.documents.added.map(({ uuid }) => uuid);
      const deltas = record({ message, isWatched, added }, answered, stop.signal);
      const end = async () => {
        stop.abort();
        await deltas.return();
        // A reply that was never read ends without running.
        await close(message);
      };
      const reply = { deltas, end };
      const taken = take(turn, message);
      active.set(message.uuid, { chatbot: turn.chatbot.uuid, message, reply, taken });
      try {
        await taken;
      } catch (error) {
        active.delete(message.uuid);
        if (active.size === 0) onDrained();
        throw error;
      }
      if (signal.aborted) void end();
      else signal.addEventListener('abort', () => void end(), { once: true });
      return reply;
    },

    find: (message) => active.get(message)?.message,

    end(scope) {
      for (const { chatbot, message, reply } of active.values()) {
        const isMeant =
          ('chatbot' in scope && scope.chatbot === chatbot) ||
          ('session' in scope && scope.session === message.session) ||
          ('message' in scope && scope.message === message.uuid);
        if (isMeant) void reply.end();
      }
    },

    async [Symbol.asyncDispose]() {
      isClosing = true;
      const drained = Promise.withResolvers<void>();
      onDrained = drained.resolve;
      if (active.size > 0) await settleWithin(drained.promise, graceMs);
      await Promise.all([...active.values()].map(({ reply }) => reply.end()));
    },
  };
}

function setFailure(message: MessageRecord, problem: Problem): void {
  message.errorMessage = renderProblem(problem);
  Object.assign(message.meta, toFailureFields(problem));
}

async function settleWithin(promise: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([promise, late.promise]);
  clearTimeout(timer);
}

function toLimitMessage({ rateLimitMessage }: ChatbotRecord): string {
  return rateLimitMessage.trim() === '' ? defaultLimitMessage : rateLimitMessage;
}
