import { type Dispatcher, getGlobalDispatcher } from 'undici';

/** A form for Slack. */
export interface Form {
  headers: Record<string, string>;
  /** URL-encoded. */
  body: string;
  /** Ms until the first byte of the response, and between two pieces of it. */
  timeoutMs: number;
}

/** A whole response, whatever its status. */
export interface FormAnswer {
  status: number;
  statusText: string;
  headers: Map<string, string>;
  text: string;
}

/**
 * Posts a form and reads the whole response. As a handler of undici's: a Node or web stream of the
 * response takes longer than all the rest. Redirects are not followed, so a token goes nowhere else.
 * @throws {Error} undici's, when no whole response arrives
 */
export function postForm(url: string | URL, form: Form): Promise<FormAnswer> {
  const { origin, pathname, search } = new URL(url);
  const { headers, body, timeoutMs } = form;
  const { promise, resolve, reject } = Promise.withResolvers<FormAnswer>();
  const pieces: Uint8Array[] = [];
  let head: Omit<FormAnswer, 'text'>;
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {},
    onResponseStart(_, status, received, statusText = '') {
      const pairs = Object.entries(received).map(([name, value]) => [name, String(value)] as const);
      head = { status, statusText, headers: new Map(pairs) };
    },
    onResponseData: (_, piece) => void pieces.push(piece),
    onResponseEnd: () => resolve({ ...head, text: Buffer.concat(pieces).toString() }),
    onResponseError: (_, error) => reject(error),
  };
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const request = { origin, path: pathname + search, method: 'POST', headers, body } as const;
  getGlobalDispatcher().dispatch({ ...request, ...timeouts }, handler);
  return promise;
}
