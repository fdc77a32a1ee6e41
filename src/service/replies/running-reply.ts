import type { Log } from '../../shared/primitives/log.ts';
import { renderProblem, type Problem } from '../../shared/problems/problem.ts';
import { AnswerError } from '../model/answer-errors.ts';
import type { AnswerOutcome } from '../answer/answers.ts';
import { toFailureFields } from '../meta.ts';
import type { MessageRecord } from '../store/message-store.ts';

/** What a running reply needs of the service. */
export interface RunningReplyOptions {
  chatbot: string;
  message: MessageRecord;
  /** Of the `Idempotency-Key` header: with it, the reply goes on when its reader leaves. */
  key: string | undefined;
  /** Gives the answer, delta by delta. */
  answer(signal: AbortSignal): AsyncGenerator<string, AnswerOutcome>;
  /** Stores the end, or tries to. Never rejects. */
  store(): Promise<void>;
  /** Called after each delta. */
  onDelta(reply: RunningReply): void;
  /** Called when the answer has failed. Never rejects. */
  onFailure(problem: Problem): Promise<void>;
  log: Log;
}

/** A reply that this process generates. It can be read from its start, any number of times. */
export class RunningReply {
  readonly chatbot: string;
  readonly message: MessageRecord;
  readonly key: string | undefined;
  /**
   * How much of the text is stored, and until when other processes leave the reply alone; undefined until
   * its message is stored.
   */
  kept: { length: number; untilMs: number } | undefined;
  readonly #options: RunningReplyOptions;
  readonly #stop = new AbortController();
  #state: 'running' | 'closing' | 'over' = 'running';
  #closed: Promise<void> | undefined;
  /** Why nobody can read the rest here. */
  #failure: Error | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(options: RunningReplyOptions) {
    this.#options = options;
    this.chatbot = options.chatbot;
    this.message = options.message;
    this.key = options.key;
  }

  /** Generates the reply to its end, whoever reads it. Never rejects. */
  async run(): Promise<void> {
    const { answer, onDelta, log } = this.#options;
    const { message } = this;
    const deltas = answer(this.#stop.signal);
    try {
      for (let next = await deltas.next(); ; next = await deltas.next()) {
        if (this.#state !== 'running') break;
        if (next.done) {
          const { meta, ...outcome } = next.value;
          Object.assign(message, outcome);
          Object.assign(message.meta, meta);
          break;
        }
        this.#add(next.value);
        onDelta(this);
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) await this.#fail(error);
    } finally {
      await this.end();
      await deltas.return({ finishReason: 'stop', citations: {} }).catch((error: unknown) => {
        log.debug({ err: error, message: message.uuid }, 'an answer that ended early failed');
      });
    }
  }

  /** Ends it, keeping its text so far, and resolves once that is stored. */
  end(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  /** Whether its text still grows. */
  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Leaves a running reply to another process: its readers ask again. Nothing is stored. */
  abandon(reason: Error): void {
    if (!this.isRunning) return;
    this.#failure = reason;
    this.#closed ??= Promise.resolve();
    this.#finish();
  }

  /**
   * The text from its start, as it grows.
   * @throws {Error} when the reply goes on in another process
   */
  async *read(): AsyncGenerator<string, void> {
    for (let length = 0; ;) {
      const { response } = this.message;
      const changed = this.#changed.promise;
      if (response.length > length) {
        yield response.slice(length);
        length = response.length;
      } else {
        if (this.#failure) throw this.#failure;
        if (this.#state === 'over') return;
        await changed;
      }
    }
  }

  async #close(): Promise<void> {
    this.#state = 'closing';
    this.#stop.abort();
    const { message } = this;
    if (message.finishReason === '' && message.errorMessage === '') message.meta.interrupted = true;
    await this.#options.store();
    this.#finish();
  }

  #finish(): void {
    this.#stop.abort();
    this.#state = 'over';
    this.#changed.resolve();
  }

  #add(delta: string): void {
    this.message.response += delta;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** What went wrong is the end of the text. */
  async #fail(error: unknown): Promise<void> {
    const { log, onFailure } = this.#options;
    const { message } = this;
    const fields = { err: error, message: message.uuid };
    const problem: Problem =
      error instanceof AnswerError ? error.problem : { code: 'answer_failed' };
    if (error instanceof AnswerError)
      log.info({ ...fields, problem: problem.code }, 'an answer failed');
    else log.error(fields, 'an answer failed');
    setFailure(message, problem);
    this.#add(message.response === '' ? message.errorMessage : `\n\n${message.errorMessage}`);
    await onFailure(problem);
  }
}

/** Says in a message why its reply failed. */
export function setFailure(message: MessageRecord, problem: Problem): void {
  message.errorMessage = renderProblem(problem);
  Object.assign(message.meta, toFailureFields(problem));
}
