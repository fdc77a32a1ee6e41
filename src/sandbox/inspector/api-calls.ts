import { monotonicMs } from '../../shared/primitives/monotonic.ts';
import { shorten } from './shorten.ts';

export type PlatformName = 'slack' | 'discord';

/** A call of a platform's API that has been answered. */
export interface AnsweredCall {
  platform: PlatformName;
  /** Slack's method, or Discord's method and route; as faults name it. */
  method: string;
  /** When it began, by `monotonicMs`. */
  beganMs: number;
  arguments: unknown;
  /** HTTP status; 0 if the connection was closed without a response. */
  status: number;
  response: unknown;
  /** Whether the response is an injected fault. */
  isInjected: boolean;
}

/** A call as it is kept: shortened, and without credentials. */
export interface ApiCall extends Omit<AnsweredCall, 'beganMs'> {
  /** Grows from call to call. */
  id: number;
  /** When it began, in ms since the epoch. */
  at: number;
  /** How long it took, in ms. */
  ms: number;
}

export type RecordCall = (call: AnsweredCall) => void;

/** The bot's last calls, in memory. */
export interface ApiCalls {
  record: RecordCall;
  /** Those with a higher id, in the order of their answers. */
  after(id: number): ApiCall[];
  /** The id of the last one; 0 before the first. */
  readonly lastId: number;
  clear(): void;
}

const maxCalls = 500;

export function createApiCalls(now: () => number): ApiCalls {
  let calls: ApiCall[] = [];
  let lastId = 0;

  return {
    record({ beganMs, ...call }) {
      const ms = monotonicMs() - beganMs;
      lastId += 1;
      calls.push({
        ...call,
        id: lastId,
        at: now() - ms,
        ms,
        arguments: shorten(call.arguments),
        response: shorten(call.response),
      });
      // In blocks, because dropping one moves all others.
      if (calls.length >= 2 * maxCalls) calls = calls.slice(-maxCalls);
    },
    get lastId() {
      return lastId;
    },
    after: (id) => calls.slice(-maxCalls).filter((call) => call.id > id),
    clear() {
      calls = [];
    },
  };
}
