import type { Receiver, ReceiverEvent } from '@slack/bolt';
import type { Log } from '../conversation/ports.ts';
import { withProcessEvent } from './library-patches.ts';

const tooManyEvents =
  'Slack holds back events for a minute: there are more than 30,000 an hour in the workspace';

/** A receiver whose events are handled before Bolt acknowledges them. */
export interface EarlyReceiver extends Receiver {
  /** Resolves once no event is being handled. */
  idle(): Promise<void>;
}

/**
 * Bolt acknowledges events before it runs listeners, so a crash in between would lose them. This
 * hands each event's body to `handle` first, over Socket Mode and HTTP alike. If `handle` rejects,
 * the event is not acknowledged, and Slack delivers it again
 * (docs.slack.dev/apis/events-api#error-handling). What `handle` says it has handled is not for
 * Bolt's listeners.
 */
export function handleBeforeAck(
  receiver: Receiver,
  handle: (body: ReceiverEvent['body']) => Promise<boolean>,
  log: Pick<Log, 'warn'>,
): EarlyReceiver {
  const running = new Set<Promise<boolean>>();

  return {
    init(app) {
      const early = withProcessEvent(app, async (event) => {
        const handled = handle(event.body);
        running.add(handled);
        try {
          if (await handled) return await event.ack();
        } finally {
          running.delete(handled);
        }
        await acknowledgeUnheard(event, (heard) => app.processEvent(heard));
        if (event.body['type'] === 'app_rate_limited') log.warn({}, tooManyEvents);
      });
      receiver.init(early);
    },
    start: (...given) => receiver.start(...(given as [])),
    stop: (...given) => receiver.stop(...(given as [])),
    async idle() {
      await Promise.allSettled(running);
    },
  };
}

/**
 * Acknowledges at once what nothing listens to, such as a button of an older version: over HTTP, Bolt
 * would answer 404 after three seconds, and the person would see an error. Events are left to Bolt,
 * except that it doesn't know `app_rate_limited` (docs.slack.dev/reference/events/app_rate_limited).
 */
async function acknowledgeUnheard(
  event: ReceiverEvent,
  process: (event: ReceiverEvent) => Promise<void>,
): Promise<void> {
  const { body } = event;
  let isAcknowledged = false;
  const ack: ReceiverEvent['ack'] = (response) => {
    isAcknowledged = true;
    return event.ack(response);
  };
  if (body['type'] !== 'app_rate_limited') await process({ ...event, ack });
  if (!isAcknowledged && body['type'] !== 'event_callback') await ack();
}
