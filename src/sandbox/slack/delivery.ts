import type { Faults } from '../faults.ts';
import type { Sleep } from '../sleep.ts';

/** Something Slack tells the app, over whichever way the app is reached. */
export interface Envelope {
  type: 'events_api' | 'slash_commands' | 'interactive';
  payload: object;
}

/** Why an attempt failed, as `retry_reason` and `x-slack-retry-reason` say it. */
type RetryReason =
  | 'timeout'
  | 'http_timeout'
  | 'http_error'
  | 'connection_failed'
  | 'too_many_redirects';

/** Which retry it is, from 1, and why. */
export interface Retry {
  attempt: number;
  reason: RetryReason;
}

/** What became of an attempt; a response is what the acknowledgement carried. */
export type Delivered =
  | { acknowledged: true; response?: unknown }
  | { acknowledged: false; reason: RetryReason; noRetry?: boolean };

/** A way to reach the app. */
export interface Transport {
  /** Resolves once the app has acknowledged, or 3 seconds have passed, or the attempt failed. */
  send(envelope: Envelope, retry?: Retry): Promise<Delivered>;
  /** Resolves when the app can be reached again, as far as that can be known, or at the signal. */
  reachable(signal: AbortSignal): Promise<void>;
}

/** How long Slack waits for an acknowledgement, in milliseconds. */
export const acknowledgeTimeoutMs = 3_000;
/** Before each retry of an event, in milliseconds: docs.slack.dev/apis/events-api, "Error handling". */
const retryDelaysMs = [0, 60_000, 300_000];
const maxPending = 1_000;

/** Delivers events with retries, and commands and interactions once. */
export interface Delivery {
  /**
   * Tells the app of an event until it acknowledges, at most four times. A fault on `events_api`
   * loses a delivery; with `afterEffect` the delivery arrives and its acknowledgement is lost.
   */
  deliverEvent(payload: object): void;
  deliverOnce(envelope: Envelope): Promise<Delivered>;
  close(): void;
}

interface DeliveryOptions {
  transport: Transport;
  faults: Faults;
  sleep: Sleep;
}

/** Delivery that waits for its retries until it is closed; past a thousand waiting, events are lost. */
export function createDelivery({ transport, faults, sleep }: DeliveryOptions): Delivery {
  const closing = new AbortController();
  let pending = 0;

  async function attempt(payload: object, retry?: Retry): Promise<Delivered> {
    const fault = faults.take('events_api');
    if (fault && !fault.afterEffect) return { acknowledged: false, reason: 'timeout' };
    const delivered = await transport.send({ type: 'events_api', payload }, retry);
    return fault ? { acknowledged: false, reason: 'timeout' } : delivered;
  }

  /** An app that was away gets what it missed when it is back, without the wait for its turn. */
  async function waitToRetry(delay: number, reason: RetryReason): Promise<void> {
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, closing.signal]);
    const turn = sleep(delay, signal);
    const away = reason === 'connection_failed';
    await (away ? Promise.race([turn, transport.reachable(signal)]) : turn);
    done.abort();
  }

  async function deliver(payload: object): Promise<void> {
    let delivered = await attempt(payload);
    for (const [index, delay] of retryDelaysMs.entries()) {
      if (delivered.acknowledged || delivered.noRetry) return;
      const { reason } = delivered;
      await waitToRetry(delay, reason);
      delivered = await attempt(payload, { attempt: index + 1, reason });
    }
  }

  return {
    deliverEvent(payload) {
      if (pending >= maxPending) return;
      pending += 1;
      deliver(payload)
        .catch((error: unknown) => {
          if (!closing.signal.aborted) throw error;
        })
        .finally(() => (pending -= 1));
    },
    deliverOnce: (envelope) => transport.send(envelope),
    close: () => closing.abort(),
  };
}
