import { createAccess } from '../access.ts';
import { ActiveReplies } from './active-replies.ts';
import type { AnswerOutcome, Answers } from '../answer/answers.ts';
import type { AskedQuestion } from '../answer/prompt.ts';
import { toWholeCharacters } from '../answer/deltas.ts';
import { HttpError } from '../http-error.ts';
import { createUuid } from '../identifiers.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { keepTrying } from '../../shared/primitives/retry.ts';
import { sleep } from '../../shared/primitives/time.ts';
import type { Quota } from '../quota.ts';
import { RunningReply, setFailure } from './running-reply.ts';
import type { ChatbotRecord } from '../store/chatbot-store.ts';
import type { MessageRecord } from '../store/message-store.ts';
import type { Store, Stores } from '../store/store.ts';

/** A query, and the given response if no agent is to answer. */
interface Turn extends Omit<AskedQuestion, 'history'> {
  givenResponse?: string;
  /** Of the `Idempotency-Key` header: the same key gives the same reply. */
  key?: string;
}

/** A reply as one reader gets it. */
export interface Reply {
  /**
   * The text from its start.
   * @throws {Error} when the reply goes on in another process: the reader asks again
   */
  deltas: AsyncGenerator<string, void>;
  /** The reader leaves. Without a key, that ends the reply, and its text so far is kept. */
  leave(): Promise<void>;
}

/** Selects replies by their messages. */
type Scope = { chatbot: string } | { session: string } | { message: string };

export interface Replies extends AsyncDisposable {
  /**
   * Stores the query and starts its reply, which is stored when it ends, fails, or is abandoned; or, for
   * a known key, gives the reply that there is: whole, running, or started anew where the process that
   * generated it has died. Errors of the answer are part of the reply.
   * @throws {HttpError} 499 when the client has already left; 404 when the session is gone; 422 when
   *   there is no room for the query, or its key belongs to another one.
   *   A reply that has begun is stored whatever room it takes.
   */
  start(turn: Turn, signal: AbortSignal): Promise<Reply>;
  /** The message with its reply so far, while this process generates it. */
  find(message: string): MessageRecord | undefined;
  /**
   * Ends the reply to the query with this key, wherever it is generated.
   * @throws {HttpError} 404 when the session has no such query
   */
  stop(session: string, key: string): Promise<void>;
  /** Ends the running replies in the scope. */
  end(scope: Scope): void;
}

/** After these problems, a session forgets the documents that were added. */
const documentFailures = new Set<string>(['documents_too_long', 'documents_too_many']);
const defaultLimitMessage =
  'You have sent many messages in a short time. Please wait a little, then ask again.';

/** A reply that another process generates is looked at this often. */
const lookEveryMs = 500;

/** Disposing lets running replies continue for `graceMs`, then ends them, or leaves them to be continued. */
export function createReplies(parts: {
  store: Store;
  quota: Pick<Quota, 'within'>;
  answers: Answers;
  /** The id of this process. */
  generator: string;
  graceMs: number;
  /** Called for each message whose reply has ended and is stored, except rate-limited ones. */
  onEnd: (message: MessageRecord) => Promise<void>;
  log: Log;
  now: () => number;
}): Replies {
  const { store, quota, answers, generator, graceMs, onEnd, log, now } = parts;
  const active = new ActiveReplies({ store, generator, log, now });
  const closing = new AbortController();

  /** Stores the query and counts it against the chatbot's rate limit, in one transaction. */
  async function insert(tx: Stores, turn: Turn, message: MessageRecord): Promise<undefined> {
    const { chatbot, session, key } = turn;
    const windowMs = chatbot.rateSeconds * 1000;
    const count = await tx.messages.countAround(session.uuid, message.createdMs, windowMs);
    const isLimited = count >= chatbot.rateMessages;
    if (isLimited) message.meta.rate_limited = true;
    await tx.messages.insert(message, { ...active.lease(), isLimited, key });
    await tx.documents.remember(session.uuid, message.meta.session_documents ?? []);
  }

  /**
   * The message that has the key already, with a reply; undefined if `running` is to generate it, which is
   * active then, and has the known message if that was left by a process that has died.
   */
  const take = (turn: Turn, running: RunningReply) =>
    quota.within(turn.chatbot.owner, async (tx) => {
      const { chatbot, session, key, query } = turn;
      const { message } = running;
      // First, so that other queries of the session wait until this one is counted.
      await tx.sessions.touch(session.uuid, message.createdMs);
      // It may have been deleted in the meantime.
      await createAccess(tx).session(chatbot.owner, session.uuid);
      const known = key === undefined ? undefined : await tx.messages.findByKey(session.uuid, key);
      if (!known) return insert(tx, turn, message);
      if (known.message.query !== query) throw new HttpError(422, 'idempotency_key_taken');
      const { uuid } = known.message;
      if (known.isDone || active.get(uuid) || known.generatesUntilMs > now()) return known.message;
      active.forget(message.uuid);
      Object.assign(message, known.message, { response: '' });
      active.add(running);
      await tx.messages.claim(uuid, active.lease());
      return undefined;
    });

  /** Stores the end. Where that fails, it is tried again, and the reply can be read until then. */
  async function finish(message: MessageRecord): Promise<void> {
    const fields = { session: message.session, message: message.uuid };
    const isClosing = closing.signal.aborted;
    if (isClosing && message.meta.interrupted) setFailure(message, { code: 'answer_stopped' });
    const write = async () => {
      const isFirst = await store.messages.finish({ ...message, modifiedMs: now() }, generator);
      active.forget(message.uuid);
      if (isFirst && !message.meta.rate_limited && !isClosing) await onEnd(message);
      log.debug({ ...fields, ms: now() - message.createdMs }, 'a reply ended');
    };
    const { tried, done } = keepTrying(write, {
      signal: closing.signal,
      onFirstFailure: (error) =>
        log.error({ ...fields, err: error }, 'a reply could not be stored; trying again'),
    });
    await tried;
    void done.then(() => active.forget(message.uuid));
  }

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

  function begin(turn: Turn): { running: RunningReply; taken: ReturnType<typeof take> } {
    const added = turn.documents.added.map(({ uuid }) => uuid);
    const message = toMessage(turn, now());
    const running: RunningReply = new RunningReply({
      chatbot: turn.chatbot.uuid,
      message,
      key: turn.key,
      answer: (signal) => toWholeCharacters(answer(turn, message, signal)),
      async store() {
        // One that ends before its query is stored waits for that.
        await taken.catch(() => undefined);
        await finish(message);
      },
      onDelta: (reply) => active.grown(reply),
      async onFailure({ code }) {
        if (!documentFailures.has(code)) return;
        try {
          await store.documents.forget(message.session, added);
        } catch (error) {
          log.error({ err: error, session: message.session }, 'documents could not be forgotten');
        }
      },
      log,
    });
    // From here on, a deletion ends it.
    active.add(running);
    const taken = take(turn, running);
    return { running, taken };
  }

  /**
   * A reply that another process generates, as it is stored.
   * @throws {Error} when that process has died, or another one generates the reply anew
   */
  async function* follow(session: string, key: string): AsyncGenerator<string, void> {
    const first = await store.messages.findByKey(session, key);
    let length = 0;
    for (let next = first; next; next = await store.messages.findByKey(session, key)) {
      const { message, isDone, generator: current, generatesUntilMs } = next;
      const isOther = !isDone && (current !== first?.generator || generatesUntilMs <= now());
      if (isOther || message.response.length < length) throw new Error('The reply broke off');
      if (message.response.length > length) yield message.response.slice(length);
      if (isDone) return;
      length = message.response.length;
      await sleep(lookEveryMs);
    }
  }

  const read = ({ session, key = '' }: Turn, known: MessageRecord) =>
    active.get(known.uuid)?.read() ?? follow(session.uuid, key);

  return {
    async start(turn, signal) {
      if (signal.aborted) throw new HttpError(499, 'client_left');
      const { running, taken } = begin(turn);
      try {
        const known = await taken;
        if (known) {
          active.forget(running.message.uuid);
          return { deltas: read(turn, known), leave: async () => {} };
        }
      } catch (error) {
        active.forget(running.message.uuid);
        throw error;
      }
      running.kept = { length: 0, untilMs: active.lease().untilMs };
      void running.run();
      const leave = async () => {
        if (turn.key === undefined) await running.end();
      };
      if (signal.aborted) void leave();
      else signal.addEventListener('abort', () => void leave(), { once: true });
      return { deltas: running.read(), leave };
    },

    find: (message) => active.get(message)?.message,

    async stop(session, key) {
      const known = await store.messages.findByKey(session, key);
      if (!known) throw new HttpError(404, 'idempotency_key_unknown');
      const { message } = known;
      const running = active.get(message.uuid);
      if (running) return running.end();
      message.meta.interrupted = true;
      await store.messages.finish({ ...message, modifiedMs: now() });
    },

    end(scope) {
      for (const running of active.all()) {
        const { chatbot, message } = running;
        const isMeant =
          ('chatbot' in scope && scope.chatbot === chatbot) ||
          ('session' in scope && scope.session === message.session) ||
          ('message' in scope && scope.message === message.uuid);
        if (isMeant) void running.end();
      }
    },

    async [Symbol.asyncDispose]() {
      closing.abort();
      await active.drained(graceMs);
      active[Symbol.dispose]();
      await Promise.all(active.all().map(close));
    },
  };

  /** With a key, whoever asks again continues it. */
  async function close(running: RunningReply): Promise<void> {
    if (running.key === undefined) return running.end();
    const { message } = running;
    running.abandon(new Error('The service is stopping'));
    try {
      await store.messages.release(message, generator);
    } catch (error) {
      log.error({ err: error, message: message.uuid }, 'a reply could not be released');
    }
    active.forget(message.uuid);
  }
}

function toMessage({ session, query, documents }: Turn, nowMs: number): MessageRecord {
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
    createdMs: nowMs,
    modifiedMs: nowMs,
  };
}

function toLimitMessage({ rateLimitMessage }: ChatbotRecord): string {
  return rateLimitMessage.trim() === '' ? defaultLimitMessage : rateLimitMessage;
}
