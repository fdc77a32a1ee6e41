/** One thing that goes wrong on purpose, for the next `times` calls of a method. */
export interface Fault {
  /** A Slack method (`chat.update`), or Discord's method and route (`POST /channels/:id/messages`). */
  method: string;
  times: number;
  /** HTTP status to answer with. */
  status?: number;
  /** Seconds, sent as Retry-After; alone it makes the answer a 429. */
  retryAfter?: number;
  /** Slack's error code, or Discord's JSON error code. */
  error?: string | number;
  /** The call takes effect before the fault is answered, as with a 502 that created the message. */
  afterEffect?: boolean;
  /** Closes the connection without an answer. */
  drop?: boolean;
}

/** What goes wrong, and how slow it all is. */
export interface Faults {
  /** Adds a fault; faults of one method are used up in the order they came. */
  inject(fault: Fault): void;
  /** Uses up one time of the first fault that stands for the method, if there is one. */
  take(method: string): Fault | undefined;
  /** Milliseconds each API call takes; what it writes is visible half-way. */
  latency: number;
  /** Whether the documented rate limits are enforced; true from the start. */
  rateLimits: boolean;
  /** Forgets every fault, and latency and rate limits are as at the start. */
  clear(): void;
}

const maxFaults = 1_000;

/** An empty set of faults. Throws when a thousand faults are waiting to be used up. */
export function createFaults(): Faults {
  let waiting: Fault[] = [];
  return {
    latency: 0,
    rateLimits: true,
    inject(fault) {
      if (fault.times < 1) return;
      if (waiting.length >= maxFaults) {
        throw new Error(`${maxFaults} faults are already queued. Clear them first.`);
      }
      waiting.push({ ...fault });
    },
    take(method) {
      const fault = waiting.find((candidate) => candidate.method === method);
      if (!fault) return undefined;
      fault.times -= 1;
      if (fault.times < 1) waiting = waiting.filter((candidate) => candidate !== fault);
      return { ...fault };
    },
    clear() {
      waiting = [];
      this.latency = 0;
      this.rateLimits = true;
    },
  };
}
