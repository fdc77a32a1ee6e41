import { AnswerError } from './answer/answer-error.ts';
import type { Answers } from './answer/answers.ts';
import type { AnswerOutcome, AskedQuestion } from './answer/asked-question.ts';
import { toWholeCharacters } from './answer/whole-characters.ts';
import { toGathered } from './gather.ts';
import { HttpError } from './http-error.ts';
import { createUuid } from './identifiers.ts';
import type { Log } from './log.ts';
import type { ChatbotRecord } from './store/chatbot-store.ts';
import type { MessageRecord } from './store/message-store.ts';
import type { Store } from './store/store.ts';

/** A query, and a response given beforehand where no agent is to answer. */
interface Turn extends Omit<AskedQuestion, 'history'> {
  givenResponse?: string;
}

/** A reply under way. */
export interface Reply {
  deltas: AsyncGenerator<string, void>;
  /** Ends it here, keeping what it came to; does nothing where it has ended. */
  end(): Promise<void>;
}

/** Names the replies to its messages. */
type Scope = { chatbot: string } | { session: string } | { message: string };

export interface Replies extends AsyncDisposable {
  /**
   * Stores the query and gives its reply; what that comes to is stored when it ends, fails, or is
   * left. Failures of the answer are told in the reply.
   * @throws {HttpError} 499 when the client has left already
   */
  start(turn: Turn, signal: AbortSignal): Reply;
  /** The message with what its reply has come to so far, where it is under way. */
  find(message: string): MessageRecord | undefined;
  /** Ends the replies under way that are meant. */
  end(scope: Scope): void;
}

interface ActiveReply {
  chatbot: string;
  message: MessageRecord;
  reply: Reply;
}

const historyTurns = 50;
const defaultLimitMessage =
  'You have sent many messages in a short time. Please wait a little, then ask again.';
const stoppedText = 'The service stopped while it was answering.';
const failedText = 'Something went wrong while answering. Please ask again.';

/**
 * Replies that a former process left under way are closed first. Disposing lets those under way go
 * on for `graceMs`, then ends them.
 */
export function createReplies(parts: {
  store: Store;
  answers: Answers;
  graceMs: number;
  /** Told of each message whose reply has ended and is stored, those of the rate limit left out. */
  onEnd: (message: MessageRecord) => void;
  log: Log;
  now: () => number;
}): Replies {
  const { store, answers, graceMs, onEnd, log, now } = parts;
  /** The replies under way, by their message. */
  const active = new Map<string, ActiveReply>();
  let onDrained = () => {};
  let isClosing = false;
  store.messages.finishAbandoned(stoppedText, now());

  /** Stores the query, counted against the chatbot's rate limit in the same transaction. */
  const take = ({ chatbot, session, query, documents }: Turn) => {
    const message: MessageRecord = {
      uuid: createUuid(),
      session: session.uuid,
      query,
      response: '',
      citations: {},
      finishReason: '',
      errorMessage: '',
      meta: {},
      createdMs: now(),
      modifiedMs: now(),
    };
    if (documents.length > 0) message.meta.session_documents = documents.map(({ uuid }) => uuid);
    store.transaction(() => {
      const sinceMs = message.createdMs - chatbot.rateSeconds * 1000;
      const isLimited = store.messages.countSince(session.uuid, sinceMs) >= chatbot.rateMessages;
      if (isLimited) message.meta.rate_limited = true;
      store.messages.insert(message, isLimited);
      store.sessions.touch(session.uuid, message.createdMs);
    });
    return message;
  };

  /** Stores what has become of a reply, once. */
  const close = (message: MessageRecord) => {
    if (!active.delete(message.uuid)) return;
    if (active.size === 0) onDrained();
    if (message.finishReason === '' && message.errorMessage === '') {
      message.meta.interrupted = true;
      if (isClosing) message.errorMessage = stoppedText;
    }
    const fields = { session: message.session, message: message.uuid };
    try {
      store.messages.finish({ ...message, modifiedMs: now() });
      store.replyLog.forget(message.uuid);
      if (!message.meta.rate_limited && !isClosing) onEnd(message);
      log.debug({ ...fields, ms: now() - message.createdMs }, 'a reply ended');
    } catch (error) {
      log.error({ ...fields, err: error }, 'a reply could not be stored');
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
    const history = store.messages.listRecent(message.session, historyTurns);
    const { meta, deltas } = await answers.begin({ ...turn, history }, signal);
    Object.assign(message.meta, meta);
    return yield* deltas;
  }

  /**
   * Passes the answer on and keeps in `message` what has come of it. What someone reads as it grows
   * is in the store before they do, so that a killed process loses nothing they have seen.
   */
  async function* record(
    { message, isWatched }: { message: MessageRecord; isWatched: boolean },
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
      if (!(error instanceof AnswerError)) {
        log.error({ err: error, message: message.uuid }, 'an answer failed');
      }
      message.errorMessage = error instanceof AnswerError ? error.message : failedText;
      const told = message.response === '' ? message.errorMessage : `\n\n${message.errorMessage}`;
      message.response += told;
      yield told;
    } finally {
      close(message);
      await deltas.return({ finishReason: 'stop', citations: {} });
    }
  }

  return {
    start(turn, signal) {
      if (signal.aborted) throw new HttpError(499, 'The client left before its query was taken');
      const message = take(turn);
      const stop = new AbortController();
      const answered = toGathered(toWholeCharacters(answer(turn, message, stop.signal)));
      const { isWatched } = turn;
      const deltas = record({ message, isWatched }, answered, stop.signal);
      const end = async () => {
        stop.abort();
        await deltas.return();
        // One that nobody has begun to read ends without having run.
        close(message);
      };
      const reply = { deltas, end };
      active.set(message.uuid, { chatbot: turn.chatbot.uuid, message, reply });
      signal.addEventListener('abort', () => void end(), { once: true });
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

async function settleWithin(promise: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([promise, late.promise]);
  clearTimeout(timer);
}

function toLimitMessage({ rateLimitMessage }: ChatbotRecord): string {
  return rateLimitMessage.trim() === '' ? defaultLimitMessage : rateLimitMessage;
}
