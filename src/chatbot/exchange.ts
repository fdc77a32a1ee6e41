import type { Dispatcher } from 'undici';
import { abortedError, connectionError, timeoutError } from './failure.ts';
import type { ExchangeStage } from './failure.ts';
import { createInbox } from './inbox.ts';

/** A response whose headers have arrived. Read its body, or leave it with a `break`. */
export interface Answer {
  status: number;
  /** A header's value, the first if there are several, or '' if there is none. */
  header: (name: string) => string;
  /** @throws {ChatbotError} when it ends early, after yielding everything that arrived */
  body: AsyncIterable<Uint8Array>;
}

/** The timeouts of an exchange in ms, and the signal that cancels it. */
export interface ExchangeLimits {
  /** From the last byte sent to the response's headers. */
  headersMs: number;
  /** Between two pieces of the response. Time spent waiting for a slow reader does not count. */
  idleMs: number;
  signal?: AbortSignal;
}

/**
 * Sends one request, once, and resolves when the response's headers arrive, whatever the status.
 * Leaving the body early or aborting cancels the exchange upstream at once.
 *
 * This is a dispatch handler rather than undici's `request`: a failing Node stream drops the data
 * it has buffered, and only a handler learns whether the request began to leave.
 * @throws {ChatbotError} an UnsentError when no connection was made
 */
export async function openExchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { headersMs, idleMs, signal }: ExchangeLimits,
): Promise<Answer> {
  if (signal?.aborted) throw abortedError(signal);

  const opened = Promise.withResolvers<Answer>();
  let stage: ExchangeStage = 'connecting';
  let controller: Dispatcher.DispatchController | undefined;
  let settled = false;
  let failure: Error | undefined;
  let silence: NodeJS.Timeout | undefined;

  const inbox = createInbox({
    pause() {
      clearTimeout(silence);
      controller?.pause();
    },
    resume() {
      controller?.resume();
      expectWithin(idleMs);
    },
    cancel: () => fail(new Error('The rest of the answer is not wanted')),
  });
  const onAbort = () => {
    inbox.clear();
    fail(abortedError(signal));
  };
  signal?.addEventListener('abort', onAbort, { once: true });

  function expectWithin(ms: number) {
    clearTimeout(silence);
    if (settled || controller?.paused) return;
    silence = setTimeout(() => fail(timeoutError()), ms);
  }
  function settle() {
    settled = true;
    clearTimeout(silence);
    signal?.removeEventListener('abort', onAbort);
  }
  function fail(error: Error) {
    if (settled) return;
    failure = error;
    settle();
    opened.reject(error);
    inbox.fail(error);
    controller?.abort(error);
  }

  dispatcher.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      stage = 'waiting';
      if (failure) started.abort(failure);
      else expectWithin(headersMs);
    },
    onBodySent: () => expectWithin(headersMs),
    onResponseStart(_, status, headers) {
      if (status < 200) return;
      stage = 'receiving';
      expectWithin(idleMs);
      const header = (name: string) => [headers[name]].flat()[0] ?? '';
      opened.resolve({ status, header, body: inbox.read() });
    },
    onResponseData(_, bytes) {
      inbox.push(bytes);
      expectWithin(idleMs);
    },
    onResponseEnd() {
      settle();
      inbox.end();
    },
    onResponseError(_, error) {
      fail(connectionError(error, stage));
    },
  });
  return opened.promise;
}
