import { once } from 'node:events';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { ChatbotError } from '../conversation/errors.ts';
import {
  abortedError,
  connectionError,
  connectTimeoutError,
  type ExchangeStage,
  timeLimitError,
  timeoutError,
} from './errors.ts';

/** A response whose headers have arrived. Read its body, or leave it with a `break`. */
export interface Answer {
  status: number;
  /** A header's value, the first if there are several, or '' if there is none. */
  header: (name: string) => string;
  /**
   * Its bytes, without their Content-Encoding.
   * @throws {ChatbotError} when it ends early, after yielding everything that arrived; `protocol` when
   * its encoding is unknown or wrong
   */
  body: AsyncIterable<Uint8Array>;
}

/** The timeouts of an exchange in ms, and the signal that cancels it. */
export interface ExchangeLimits {
  /**
   * Max wait for the first piece of the response. It begins with the request, or with the last piece
   * sent of a body that streams, and includes connecting and the headers; for a status other than
   * 200 it includes the whole response.
   */
  firstMs: number;
  /** Max wait for each further piece. Time spent waiting for a slow reader does not count. */
  silenceMs: number;
  /** Max time from the request to the end of the response. Default: no limit. */
  totalMs?: number;
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
  { firstMs, silenceMs, totalMs, signal }: ExchangeLimits,
): Promise<Answer> {
  if (signal?.aborted) throw abortedError(signal);

  const opened = Promise.withResolvers<Answer>();
  let stage: ExchangeStage = 'connecting';
  let controller: Dispatcher.DispatchController | undefined;
  let hasBegun = false;
  let settled = false;
  let failure: Error | undefined;
  let status = 0;
  let silence: NodeJS.Timeout | undefined;
  let silenceOf: number | undefined;
  let total: NodeJS.Timeout | undefined;

  const inbox = createInbox({
    pause() {
      expectNothing();
      controller?.pause();
    },
    resume() {
      controller?.resume();
      expectMore();
    },
    cancel: () => fail(new Error('The rest of the answer is not needed')),
  });
  const onAbort = () => {
    inbox.clear();
    fail(abortedError(signal));
  };
  signal?.addEventListener('abort', onAbort, { once: true });

  /** Starts the next wait. Each piece has one, so the timer of the previous one is reused. */
  function expectMore() {
    const waitMs = hasBegun ? silenceMs : firstMs;
    if (waitMs === silenceOf) return void silence?.refresh();
    expectNothing();
    if (settled || controller?.paused) return;
    silence = setTimeout(onSilence, waitMs);
    silenceOf = waitMs;
  }
  function expectNothing() {
    clearTimeout(silence);
    silenceOf = undefined;
  }
  function onSilence() {
    fail(stage === 'connecting' ? connectTimeoutError() : timeoutError());
  }
  function settle() {
    settled = true;
    expectNothing();
    clearTimeout(total);
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
    },
    onBodySent() {
      if (typeof request.body !== 'string') expectMore();
    },
    onResponseStart(_, code, headers) {
      if (code < 200) return;
      stage = 'receiving';
      status = code;
      const header = (name: string) => [headers[name]].flat()[0] ?? '';
      const body = decodeBody(inbox.reader, header('content-encoding'));
      opened.resolve({ status, header, body });
    },
    onResponseData(_, bytes) {
      inbox.push(bytes);
      hasBegun = true;
      if (status === 200) expectMore();
    },
    onResponseEnd() {
      settle();
      inbox.end();
    },
    onResponseError(_, error) {
      fail(connectionError(error, stage));
    },
  });
  expectMore();
  if (totalMs !== undefined && !settled) {
    total = setTimeout(() => fail(timeLimitError()), totalMs);
  }
  return opened.promise;
}

/** Ends an exchange whose body is not wanted, as soon as the body begins. */
export async function leave(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body) return;
}

/** Bytes that may wait for a slow reader before the sender pauses. */
const fullBytes = 1024 * 1024;
const lowBytes = fullBytes / 4;

/** How an inbox controls its connection. */
interface InboxFlow {
  pause(): void;
  resume(): void;
  /** The reader left before the end. */
  cancel(): void;
}

type Piece = IteratorResult<Uint8Array, undefined>;

/** What a reader gets after the last piece. */
async function readEnd({ error }: { error?: Error }): Promise<Piece> {
  if (error) throw error;
  return { done: true, value: undefined };
}

/**
 * A queue of bytes between a connection that pushes and one reader that pulls. A failure is
 * delivered after everything that came before it.
 */
function createInbox(flow: InboxFlow) {
  const waiting: Uint8Array[] = [];
  let size = 0;
  let paused = false;
  let end: { error?: Error } | undefined;
  /** Resolves what the reader waits for. */
  let hand: ((next: Piece | Promise<Piece>) => void) | undefined;

  function close(how: { error?: Error }) {
    end ??= how;
    hand?.(readEnd(end));
    hand = undefined;
  }

  function take(): Uint8Array | undefined {
    const bytes = waiting.shift();
    size -= bytes?.length ?? 0;
    if (paused && size <= lowBytes) {
      paused = false;
      flow.resume();
    }
    return bytes;
  }

  /** Not a generator: leaving one takes effect only after the piece that it waits for. */
  const reader: AsyncIterableIterator<Uint8Array, undefined> = {
    [Symbol.asyncIterator]: () => reader,
    next() {
      const value = take();
      if (value) return Promise.resolve({ done: false, value });
      return end ? readEnd(end) : new Promise((resolve) => (hand = resolve));
    },
    async return() {
      waiting.length = 0;
      if (!end) flow.cancel();
      return { done: true, value: undefined };
    },
  };

  return {
    reader,
    push(bytes: Uint8Array) {
      if (hand) {
        hand({ done: false, value: bytes });
        hand = undefined;
        return;
      }
      waiting.push(bytes);
      size += bytes.length;
      if (!paused && size > fullBytes) {
        paused = true;
        flow.pause();
      }
    },
    /** Drops everything queued. */
    clear() {
      waiting.length = 0;
      size = 0;
    },
    end: () => close({}),
    fail: (error: Error) => close({ error }),
  };
}

/** What arrives before a connection breaks off is useful, so a missing end is not an error here. */
const untilItBreaks = { finishFlush: constants.Z_SYNC_FLUSH };

const decoders: Record<string, () => ReturnType<typeof createGunzip>> = {
  gzip: () => createGunzip(untilItBreaks),
  'x-gzip': () => createGunzip(untilItBreaks),
  deflate: () => createInflate(untilItBreaks),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

/**
 * Decodes a response as it arrives (RFC 9110 §8.4). No request asks for compression, but some proxies
 * compress anyway.
 */
function decodeBody(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string,
): AsyncIterable<Uint8Array> {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return body;
  const createDecoder = decoders[encoding];
  return createDecoder ? decode(body, createDecoder()) : refuse(body, encoding);
}

async function* refuse(body: AsyncIterable<Uint8Array>, encoding: string) {
  yield* [];
  await leave(body);
  throw new ChatbotError('protocol', `The answer has an unknown encoding, ${encoding}`);
}

async function* decode(
  body: AsyncIterable<Uint8Array>,
  decoder: ReturnType<typeof createGunzip>,
): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  async function feed(): Promise<void> {
    try {
      for await (const bytes of body) {
        if (!decoder.write(bytes)) await once(decoder, 'drain');
      }
    } catch (error) {
      failure = error;
    }
    decoder.end();
  }
  void feed();
  try {
    for await (const bytes of decoder) yield bytes as Uint8Array;
  } catch (cause) {
    throw new ChatbotError('protocol', 'The answer does not have the encoding that it names', {
      cause,
    });
  } finally {
    // Whoever leaves early leaves the exchange too.
    await body[Symbol.asyncIterator]().return?.();
  }
  if (failure) throw failure;
}
