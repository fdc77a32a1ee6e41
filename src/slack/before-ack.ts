import type { Receiver, ReceiverEvent } from '@slack/bolt';

/** A receiver whose events are handled before Bolt acknowledges them. */
export interface EarlyReceiver extends Receiver {
  /** Resolves once no event is being handled. */
  idle(): Promise<void>;
}

/**
 * Bolt acknowledges events before it runs listeners, so a crash in between would lose them. This
 * hands each event's body to `handle` first, over Socket Mode and HTTP alike. If `handle` rejects,
 * the event is not acknowledged, and Slack delivers it again
 * (docs.slack.dev/apis/events-api#error-handling).
 */
export function handleBeforeAck(
  receiver: Receiver,
  handle: (body: ReceiverEvent['body']) => Promise<void>,
): EarlyReceiver {
  const running = new Set<Promise<void>>();

  return {
    init(app) {
      const early = Object.create(app) as typeof app;
      early.processEvent = async (event) => {
        const handled = handle(event.body);
        running.add(handled);
        try {
          await handled;
        } finally {
          running.delete(handled);
        }
        await app.processEvent(event);
      };
      receiver.init(early);
    },
    start: (...given) => receiver.start(...(given as [])),
    stop: (...given) => receiver.stop(...(given as [])),
    async idle() {
      await Promise.allSettled(running);
    },
  };
}
