/** The response that a call gets instead of its own. */
export interface FaultKind {
  /** HTTP status of the response. */
  status?: number;
  /** Seconds for the Retry-After header; without a status, the response is a 429. */
  retryAfter?: number;
  /** Slack's error code, or Discord's JSON error code. */
  error?: string | number;
  /** The response's body, as HTML, as proxies send it. Without this, JSON, as the platform sends it. */
  html?: string;
  /** The call takes effect before the faulty response, as with a 502 that created the message. */
  afterEffect?: boolean;
  /** Closes the connection without a response. */
  drop?: boolean;
}

/** An injected fault for the next `times` calls of a method. */
export interface Fault extends FaultKind {
  /**
   * A Slack method (`chat.update`), or a Discord method and route (`POST /channels/:id/messages`).
   */
  method: string;
  times: number;
}

/** Injected faults, latency, and rate limits. */
export interface Faults {
  /** Adds a fault. Faults for the same method apply in the order they were added. */
  inject(fault: Fault): void;
  /** Takes one use of the first fault for the method, if there is one. */
  take(method: string): Fault | undefined;
  /** Duration of each API call in ms; what it writes becomes visible half-way through. */
  latency: number;
  /** The fault for every call that has none of its own. */
  every?: FaultKind;
  /** Whether new connections for events are refused. */
  offline: boolean;
  /** Whether the documented rate limits are enforced; initially true. */
  rateLimits: boolean;
  /** Removes all faults, and resets everything else. */
  clear(): void;
}

const maxFaults = 1_000;

/** Creates an empty set of faults. Adding throws once a thousand faults are queued. */
export function createFaults(): Faults {
  let waiting: Fault[] = [];
  return {
    latency: 0,
    every: undefined,
    offline: false,
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
      this.every = undefined;
      this.offline = false;
      this.rateLimits = true;
    },
  };
}
