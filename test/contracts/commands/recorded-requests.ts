import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { operations } from '../../../src/shared/api/operations.ts';

/** What undici tells of a request once its answer begins. */
interface Answered {
  request: { origin: string | URL; method: string; path: string };
  response: { statusCode: number };
}

/** The requests that an app made of the service, as undici's own channel tells of them. */
export interface RecordedRequests extends Disposable {
  /** Where the app reaches the service: requests to elsewhere are not recorded. */
  from(origin: string): void;
  /** Each request so far that was answered with 200, as `POST /api/v1/chatbot/create`. */
  all(): string[];
}

const channel = 'undici:request:headers';

/** Begins to record. What stands in a path for an identifier is written as the API's table does. */
export function recordRequests(): RecordedRequests {
  let origin = '';
  const recorded: string[] = [];

  function record(message: unknown): void {
    const { request, response } = message as Answered;
    if (response.statusCode !== 200 || String(request.origin) !== origin) return;
    const path = request.path.split('?')[0] ?? '';
    if (path.startsWith('/api/'))
      recorded.push(`${request.method} ${toTemplate(request.method, path)}`);
  }

  subscribe(channel, record);
  return {
    from: (of) => void (origin = of),
    all: () => [...recorded],
    [Symbol.dispose]: () => void unsubscribe(channel, record),
  };
}

function toTemplate(method: string, path: string): string {
  const found = Object.values(operations).find(
    (operation) => operation.method === method && toPattern(operation.path).test(path),
  );
  return found?.path ?? path;
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
