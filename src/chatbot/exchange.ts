import type { Dispatcher } from 'undici';
import { abortedError, connectionError, timeoutError } from './failure.ts';
import type { ExchangeStage } from './failure.ts';
import { createInbox } from './inbox.ts';

/** An answer whose headers are here. Its body must be read or left by a `break`. */
export interface Answer {
  status: number;
  /** A header's value, the first where it came more than once, or '' where it did not. */
  header: (name: string) => string;
  /** Throws ChatbotError where it ends early, after all that arrived was handed out. */
  body: AsyncIterable<Uint8Array>;
}

/** How long an exchange may be silent, in ms, and who may call it off. */
export interface ExchangeLimits {
  /** From the latest byte sent until the headers of the answer are here. */
  headersMs: number;
  /** From one piece of the answer to the next; while its reader is behind, nothing is due. */
  idleMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Sends one request, once, and resolves when the headers of its answer are here, whatever the
 * status. Leaving the body early or aborting ends the exchange upstream at once.
 *
 * A handler on the dispatcher rather than undici's `request`: a Node stream that fails drops what
 * it still holds, and only a handler is told whether the request began to leave.
 *
 * @throws {ChatbotError} An UnsentError where the connection was never made.
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
