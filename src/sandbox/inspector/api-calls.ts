import { monotonicMs } from '../../shared/primitives/time.ts';

export type PlatformName = 'slack' | 'discord';

/** A call of a platform's API that has been answered, or an event that the platform sent to the bot. */
export interface AnsweredCall {
  platform: PlatformName;
  /** Slack's method, or Discord's method and route, as faults name it; or the event, `event message`. */
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
interface ApiCall extends Omit<AnsweredCall, 'beganMs'> {
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
  /** The calls with a higher id, in the order of their answers. */
  after(id: number): ApiCall[];
  /** The id of the last call; 0 before the first. */
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
      // Many at a time, because dropping a single call would move all others each time.
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

const maxText = 4_000;
const maxItems = 50;
const maxDepth = 8;
const maxValues = 300;

const hidden = '(hidden)';

/** Names of fields with credentials, or with addresses that need none. */
const secretName = /token|secret|password|authorization|cookie|^upload_url$/i;
/** Parameters of an address with credentials. */
const secretParameter = /([?&](?:ticket|token|secret|hm)=)[^&#\s]+/g;

/**
 * A copy of a JSON value to store and show: without credentials, and of limited size. This takes a
 * few microseconds for an ordinary message.
 */
export function shorten(value: unknown): unknown {
  let values = 0;

  function copy(value: unknown, depth: number): unknown {
    values += 1;
    if (typeof value === 'string') return shortenText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Blob) return `(${value.size} bytes)`;
    if (depth >= maxDepth || values > maxValues) return '…';
    if (Array.isArray(value)) {
      const items = value.slice(0, maxItems).map((item) => copy(item, depth + 1));
      return value.length > maxItems ? [...items, `… ${value.length - maxItems} more`] : items;
    }
    const copied: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(value).slice(0, maxItems)) {
      copied[name] = secretName.test(name) && field ? hidden : copy(field, depth + 1);
    }
    return copied;
  }

  return copy(value, 0);
}

function shortenText(text: string): string {
  const start = text.length > maxText ? copyStart(text) : text;
  return start.includes('=') ? start.replace(secretParameter, `$1${hidden}`) : start;
}

/** A slice would keep the whole text in memory. */
function copyStart(text: string): string {
  const start = Buffer.from(text.slice(0, maxText)).toString();
  return `${start}… ${text.length - maxText} more characters`;
}
