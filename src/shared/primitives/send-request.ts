import { type Dispatcher, getGlobalDispatcher } from 'undici';

export interface Request {
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** Ms until the first byte of the response, and between two pieces of it. Default: undici's. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** A whole response, whatever its status. */
export interface WholeResponse {
  status: number;
  statusText: string;
  headers: Map<string, string>;
  body: Buffer;
}

/**
 * Sends a request, and resolves once the whole response is here. As a handler of undici's: a Node or
 * web stream of the response takes longer than all the rest. Redirects are not followed, so a token
 * goes nowhere else.
 * @throws {Error} undici's, when no whole response arrives; or the signal's reason
 */
export function sendRequest(url: string | URL, request: Request): Promise<WholeResponse> {
  const { origin, pathname, search } = new URL(url);
  const { method, headers, body, timeoutMs, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<WholeResponse>();
  let controller: Dispatcher.DispatchController | undefined;
  let head: Omit<WholeResponse, 'body'>;
  const pieces: Uint8Array[] = [];

  function abort(): void {
    controller?.abort(signal?.reason);
    reject(signal?.reason);
  }
  signal?.addEventListener('abort', abort, { once: true });

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (signal?.aborted) abort();
    },
    onResponseStart(_, status, received, statusText = '') {
      const pairs = Object.entries(received).map(([name, value]) => [name, String(value)] as const);
      head = { status, statusText, headers: new Map(pairs) };
    },
    onResponseData: (_, piece) => void pieces.push(piece),
    onResponseEnd() {
      signal?.removeEventListener('abort', abort);
      resolve({ ...head, body: Buffer.concat(pieces) });
    },
    onResponseError(_, error) {
      signal?.removeEventListener('abort', abort);
      reject(error);
    },
  };
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const target = { origin, path: pathname + search, method };
  getGlobalDispatcher().dispatch({ ...target, headers, body, ...timeouts }, handler);
  return promise;
}
