import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { readUpTo } from '../../shared/primitives/bytes.ts';
import { createDispatcher } from '../../shared/primitives/dispatcher.ts';
import { parseRetryAfterMs, retry } from '../../shared/primitives/retry.ts';
import { sleep as sleepFor, type Sleep } from '../../shared/primitives/time.ts';
import { ChatbotError, isChatbotError } from '../conversation/errors.ts';
import { abortedError, answerError, type FailedAnswer, UnsentError } from './errors.ts';
import { type Answer, openExchange } from './exchange.ts';

export interface TransportOptions {
  /** An origin or a sub-path of one. A trailing slash or `/api/v1` is ignored. */
  baseUrl: string;
  /** Bearer key. */
  apiKey: string;
  /** Default: its own, which disposal destroys. */
  dispatcher?: Dispatcher;
  timeouts?: {
    /** To make a connection, with its own dispatcher. Default: 10 s. */
    connectMs?: number;
    /** Max wait for the next piece of a response, the first one included. Default: 120 s. */
    silenceMs?: number;
  };
  /** Default: 3 attempts in total, with at most 250 ms before the second. */
  retry?: { attempts?: number; baseMs?: number };
  random?: () => number;
  sleep?: Sleep;
  now?: () => number;
}

/** The limits of one response, in ms. */
export interface StreamLimits {
  /** Max wait for its first piece. Default: `silenceMs`. */
  firstMs?: number;
  /** Max wait for its next piece. Default: that of the client. */
  silenceMs?: number;
  /** Max time from the request to its end. Default: no limit. */
  totalMs?: number;
}

export interface TransportRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Includes the query, as in `/api/v1/chatbots`. */
  path: string;
  accept: string;
  headers?: Record<string, string>;
  body?: string | Readable;
  signal?: AbortSignal;
}

/**
 * When a request may be sent again: `safe` after any transient failure, `unsent` only if none of it
 * was sent.
 */
type Repeat = 'safe' | 'unsent' | 'never';

export interface WholeAnswer extends Pick<Answer, 'header'> {
  text: string;
  /** The error for a response with the `accepted` status. */
  failure?: ChatbotError;
}

export interface Transport extends AsyncDisposable {
  /** Sends a request, once, and streams the response. Any status but 200 throws. */
  stream(request: TransportRequest, limits?: StreamLimits): Promise<Answer>;
  /**
   * Sends a request that reads, and hands its response to `take` as it arrives. Both are repeated
   * after a transient failure. Any status but 200 throws.
   */
  read<Result>(
    request: TransportRequest,
    take: (body: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result>;
  /** Sends a request and reads the whole response. Any status but 200 and `accepted` throws. */
  ask(request: TransportRequest, repeat: Repeat, accepted?: number): Promise<WholeAnswer>;
}

/**
 * Timeouts are measured here: undici's timers have a resolution of a second and ignore request
 * bodies.
 */
const ownTimers = { headersTimeout: 0, bodyTimeout: 0 };

/** Max bytes read of a response. A longer error is cut, any other longer response is rejected. */
const maxAnswerSize = 32 * 1024 * 1024;
const maxErrorSize = 64 * 1024;

/**
 * The service at its base URL, with its key.
 * @throws {TypeError} when the base URL or the key is malformed
 */
export function createTransport(options: TransportOptions): Transport {
  const { origin, prefix } = parseBaseUrl(options.baseUrl);
  const { apiKey, timeouts = {}, now = Date.now } = options;
  const { random = Math.random, sleep = sleepFor } = options;
  const { attempts = 3, baseMs = 250 } = options.retry ?? {};
  if (!/^[\x21-\x7e]*$/.test(apiKey)) {
    throw new TypeError('apiKey must consist of visible ASCII characters');
  }
  const dispatcher = options.dispatcher ?? createDispatcher(timeouts.connectMs);
  const { silenceMs: usualSilenceMs = 120_000 } = timeouts;

  async function open(
    { path, accept, signal, ...request }: TransportRequest,
    { silenceMs = usualSilenceMs, firstMs = silenceMs, totalMs }: StreamLimits = {},
  ): Promise<Answer> {
    const authorization = `Bearer ${apiKey}`;
    const headers = { accept, authorization, 'user-agent': 'causeway', ...request.headers };
    const dispatched = { ...request, ...ownTimers, origin, path: prefix + path, headers };
    const limits = { firstMs, silenceMs, totalMs, signal };
    return openExchange(dispatcher, dispatched, limits);
  }

  async function readFailure({ status, header, body }: Answer): Promise<Required<WholeAnswer>> {
    const text = await readStart(body);
    const answer: FailedAnswer = {
      status,
      text,
      type: header('content-type'),
      location: header('location'),
      retryAfterMs: parseRetryAfterMs(header('retry-after'), now()),
    };
    return { text, header, failure: answerError(answer, apiKey) };
  }

  async function askOnce(request: TransportRequest, accepted?: number): Promise<WholeAnswer> {
    const answer = await open(request);
    if (answer.status === 200) return { text: await readWhole(answer.body), header: answer.header };
    const failed = await readFailure(answer);
    if (answer.status !== accepted) throw failed.failure;
    return failed;
  }

  async function stream(request: TransportRequest, limits?: StreamLimits): Promise<Answer> {
    const answer = await open(request, limits);
    if (answer.status === 200) return answer;
    const { failure } = await readFailure(answer);
    throw failure;
  }

  /**
   * Runs `attempt` until it succeeds, fails for good, or its tries are used up. Waits with full
   * jitter in between, or as long as the service asked, up to 10 s.
   * @throws {ChatbotError} the last failure
   */
  function withRetries<Result>(
    repeat: Repeat,
    attempt: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return retry(attempt, {
      signal,
      waitMs(error, failures) {
        if (failures >= attempts || !mayRepeat(error, repeat)) return undefined;
        const jitterMs = random() * baseMs * 2 ** (failures - 1);
        return Math.min(maxWaitMs, Math.max(jitterMs, error.retryAfterMs ?? 0));
      },
      async sleep(ms) {
        try {
          await sleep(ms, signal);
        } catch (error) {
          throw signal?.aborted ? abortedError(signal) : error;
        }
      },
    });
  }

  return {
    stream,
    read: (request, take) =>
      withRetries('safe', async () => take(unbroken((await stream(request)).body)), request.signal),
    ask: (request, repeat, accepted) =>
      withRetries(repeat, () => askOnce(request, accepted), request.signal),
    async [Symbol.asyncDispose]() {
      if (!options.dispatcher) await dispatcher.destroy();
    },
  };
}

const maxWaitMs = 10_000;

function mayRepeat(error: unknown, repeat: Repeat): error is ChatbotError {
  if (!(error instanceof ChatbotError) || repeat === 'never') return false;
  return error instanceof UnsentError || (repeat === 'safe' && isTransient(error));
}

/** No status: a lost connection. The others are those of a gateway whose service is away for now. */
const transientStatuses = new Set([undefined, 404, 410, 502, 503, 504]);

function isTransient({ kind, status }: ChatbotError): boolean {
  return kind === 'unavailable' && transientStatuses.has(status);
}

async function readWhole(body: AsyncIterable<Uint8Array>): Promise<string> {
  const tooLarge = () => new ChatbotError('protocol', 'The answer is over 32 MB');
  return (await readUpTo(unbroken(body), maxAnswerSize, tooLarge)).toString();
}

/** A response that is only useful whole: if it breaks off, the service counts as unavailable. */
async function* unbroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (!isChatbotError(error, 'interrupted')) throw error;
    throw new ChatbotError('unavailable', error.message, { cause: error.cause });
  }
}

/** As much of an error's body as arrives. If it breaks off, the status still says the most. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const bytes of body) {
      pieces.push(bytes);
      size += bytes.length;
      if (size >= maxErrorSize) break;
    }
  } catch (error) {
    if (isChatbotError(error, 'aborted')) throw error;
  }
  return Buffer.concat(pieces).toString();
}

/** Base address of the API: `/api/v1` follows the prefix. */
interface BaseAddress {
  origin: string;
  /** '' or a path such as `/sub`, without a trailing slash. */
  prefix: string;
}

/**
 * Parses a service's base URL, with or without a trailing slash or `/api/v1`.
 * @throws {TypeError} when it is not a URL, or contains parts that a base URL can't have
 */
function parseBaseUrl(baseUrl: string): BaseAddress {
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be an http or https address, like https://example.com');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl must be an address without user, query and fragment');
  }
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v1$/, '');
  return { origin: url.origin, prefix: prefix.replace(/(?<!\/)\/+$/, '') };
}
