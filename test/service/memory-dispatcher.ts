import { Readable } from 'node:stream';
import { Dispatcher } from 'undici';

type Answering = (request: Request) => Promise<Response>;

/** Lets undici's users talk to a `fetch` in the same process, with no socket in between. */
export class MemoryDispatcher extends Dispatcher {
  readonly #answer: Answering;

  constructor(answer: Answering) {
    super();
    this.#answer = answer;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const exchange = createController();
    void this.#exchange(options, handler, exchange).catch((error: unknown) => {
      handler.onResponseError?.(exchange, exchange.reason ?? (error as Error));
    });
    return true;
  }

  async #exchange(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    exchange: Controller,
  ): Promise<void> {
    handler.onRequestStart?.(exchange, {});
    const response = await this.#answer(toRequest(options, exchange.left.signal));
    exchange.left.signal.throwIfAborted();
    const headers = Object.fromEntries(response.headers);
    handler.onResponseStart?.(exchange, response.status, headers, response.statusText);
    for await (const bytes of response.body ?? []) {
      exchange.left.signal.throwIfAborted();
      handler.onResponseData?.(exchange, Buffer.from(bytes));
    }
    exchange.left.signal.throwIfAborted();
    handler.onResponseEnd?.(exchange, {});
  }
}

interface Controller extends Dispatcher.DispatchController {
  left: AbortController;
}

/** Replies in tests are short: nothing waits for a reader. */
function createController(): Controller {
  const left = new AbortController();
  return {
    left,
    get aborted() {
      return left.signal.aborted;
    },
    get reason() {
      return (left.signal.reason as Error | undefined) ?? null;
    },
    paused: false,
    pause() {},
    resume() {},
    abort: (reason) => left.abort(reason),
  };
}

function toRequest(options: Dispatcher.DispatchOptions, signal: AbortSignal): Request {
  const { origin = '', path, method, body } = options;
  const headers = new Headers(options.headers as Record<string, string>);
  const sent = body instanceof Readable ? Readable.toWeb(body) : (body as string | undefined);
  return new Request(`${String(origin)}${path}`, {
    method,
    headers,
    signal,
    ...(sent !== undefined && { body: sent as NonNullable<RequestInit['body']>, duplex: 'half' }),
  });
}
