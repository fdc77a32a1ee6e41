import { channel } from 'node:diagnostics_channel';
import { z } from 'zod';
import { monotonicMs, type Sleep } from '../../shared/primitives/time.ts';
import type { Changes } from '../changes.ts';
import type { Faults } from '../faults.ts';
import type { RecordCall } from '../inspector/api-calls.ts';
import { newId } from './identifiers.ts';
import type { SlackApp } from './model.ts';

/** A payload that Slack sends to the app, by either transport. */
export interface Envelope {
  type: 'events_api' | 'slash_commands' | 'interactive';
  payload: object;
}

/** What every event comes in: docs.slack.dev/apis/events-api, "Event type structure". */
export function wrapEvent(event: object, app: SlackApp, now: number) {
  return {
    token: app.verificationToken,
    api_app_id: app.id,
    event,
    type: 'event_callback',
    event_id: newId('Ev'),
    event_time: Math.floor(now / 1000),
  };
}

/** Why an attempt failed, as in `retry_reason` and `x-slack-retry-reason`. */
type RetryReason =
  | 'timeout'
  | 'http_timeout'
  | 'http_error'
  | 'connection_failed'
  | 'too_many_redirects';

/** The number of the retry, from 1, and its reason. */
export interface Retry {
  attempt: number;
  reason: RetryReason;
}

/** The result of an attempt; `response` is the content of the acknowledgement. */
export type Delivered =
  | { acknowledged: true; response?: unknown }
  | { acknowledged: false; reason: RetryReason; noRetry?: boolean };

/** A way to reach the app. */
export interface Transport {
  /** Resolves when the app has acknowledged, the attempt has failed, or 3 seconds have passed. */
  send(envelope: Envelope, retry?: Retry): Promise<Delivered>;
  /** Resolves when the app is reachable again, if that can be known, or when the signal aborts. */
  reachable(signal: AbortSignal): Promise<void>;
}

/** How long Slack waits for an acknowledgement, in ms. */
const acknowledgeTimeoutMs = 3_000;

/** The outcome of `attempt`, or a failure if it takes longer than Slack's 3 seconds. */
export async function withinAcknowledgement(
  attempt: (signal: AbortSignal) => Promise<Delivered>,
  late: Delivered,
  sleep: Sleep,
): Promise<Delivered> {
  const done = new AbortController();
  try {
    const timeout = sleep(acknowledgeTimeoutMs, done.signal).then(() => late);
    return await Promise.race([attempt(done.signal), timeout]);
  } finally {
    done.abort();
  }
}

/** What the workspace sends to the app, as it is sent. */
export type Sent =
  | { kind: 'response'; method: string; body: object }
  | { kind: 'events_api' | 'slash_commands' | 'interactive'; payload: object };

const sent = channel('causeway.sandbox.slack.sent');

/** Publishes what is sent; costs nothing where nobody listens. */
export function publishSent(message: Sent): void {
  if (sent.hasSubscribers) sent.publish(message);
}

/**
 * Delays before the retries of an event, in ms: docs.slack.dev/apis/events-api, "Error handling".
 */
const retryDelaysMs = [0, 60_000, 300_000];
const maxPending = 1_000;

/** What became of an event on its way to the app. */
export interface DeliveryChange {
  /** `failed` if it is sent again later; `lost` after the last attempt. */
  state: 'sent' | 'acknowledged' | 'failed' | 'lost';
  /** As in Slack's envelope: `event_id` stays the same in every attempt. */
  payload: object;
}

/** Delivers events with retries, and commands and interactions without. */
export interface Delivery {
  /**
   * Sends an event to the app until it acknowledges, at most four times. A fault on `events_api`
   * loses a delivery; with `afterEffect` the delivery arrives and its acknowledgement is lost.
   */
  deliverEvent(payload: object): void;
  deliverOnce(envelope: Envelope): Promise<Delivered>;
  close(): void;
}

/**
 * Events wait for their retries until the delivery is closed. With a thousand waiting, further
 * events are lost.
 */
export function createDelivery(
  transport: Transport,
  faults: Faults,
  changes: Changes<DeliveryChange>,
  sleep: Sleep,
): Delivery {
  const closing = new AbortController();
  let pending = 0;

  async function attempt(payload: object, retry?: Retry): Promise<Delivered> {
    const fault = faults.take('events_api');
    if (fault && !fault.afterEffect) return { acknowledged: false, reason: 'timeout' };
    const delivered = await transport.send({ type: 'events_api', payload }, retry);
    return fault ? { acknowledged: false, reason: 'timeout' } : delivered;
  }

  /** An app that reconnects gets what it missed at once, without waiting for the next retry. */
  async function waitToRetry(delay: number, reason: RetryReason): Promise<void> {
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, closing.signal]);
    const turn = sleep(delay, signal);
    const away = reason === 'connection_failed';
    await (away ? Promise.race([turn, transport.reachable(signal)]) : turn);
    done.abort();
  }

  async function deliver(payload: object): Promise<void> {
    const announce = (state: DeliveryChange['state']) => changes.announce({ state, payload });
    announce('sent');
    let delivered = await attempt(payload);
    for (const [index, delay] of retryDelaysMs.entries()) {
      if (delivered.acknowledged || delivered.noRetry) break;
      announce('failed');
      const { reason } = delivered;
      await waitToRetry(delay, reason);
      announce('sent');
      delivered = await attempt(payload, { attempt: index + 1, reason });
    }
    announce(delivered.acknowledged ? 'acknowledged' : 'lost');
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

/** Tells of everything that reaches the app, and how it is acknowledged. */
export function recordDeliveries(transport: Transport, record: RecordCall): Transport {
  return {
    ...transport,
    async send(envelope, retry) {
      const beganMs = monotonicMs();
      const delivered = await transport.send(envelope, retry);
      const isReached = delivered.acknowledged || delivered.reason !== 'connection_failed';
      if (!isReached) return delivered;
      record({
        platform: 'slack',
        method: `event ${nameOf(envelope)}`,
        beganMs,
        arguments: envelope.payload,
        status: delivered.acknowledged ? 200 : 0,
        response: delivered.acknowledged ? delivered.response : delivered.reason,
        isInjected: false,
      });
      return delivered;
    },
  };
}

const named = z.looseObject({
  event: z.looseObject({ type: z.string() }).optional(),
  command: z.string().optional(),
  type: z.string().optional(),
});

/** Such as `message`, `/causeway` or `block_actions`. */
function nameOf({ type, payload }: Envelope): string {
  const { data } = named.safeParse(payload);
  return data?.event?.type ?? data?.command ?? data?.type ?? type;
}
