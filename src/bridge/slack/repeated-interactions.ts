import type { Receiver, ReceiverEvent } from '@slack/bolt';
import { createLru } from '../../shared/primitives/cache.ts';
import { withProcessEvent } from './library-patches.ts';

/** Those of the last seconds would do: Slack waits three for an acknowledgement. */
const maxKept = 1_000;

/**
 * A receiver that hands each command, press and submitted modal to Bolt once, even if Slack sends it
 * on both sockets. A repetition is acknowledged as the first one was. Repeated events are left to Bolt:
 * the row of a message says whether it is known.
 */
export function withoutRepetitions(receiver: Receiver): Receiver {
  /** The acknowledgements, by the id that Slack gives to each thing that a person does. */
  const answers = createLru<Promise<unknown>>(maxKept);

  return {
    init(app) {
      const once = withProcessEvent(app, async (event) => {
        const trigger = triggerOf(event);
        if (trigger === undefined) return app.processEvent(event);
        const known = answers.get(trigger);
        if (known) return event.ack(await known);
        const { promise, resolve } = Promise.withResolvers<unknown>();
        answers.set(trigger, promise);
        const ack: ReceiverEvent['ack'] = (response) => {
          resolve(response);
          return event.ack(response);
        };
        await app.processEvent({ ...event, ack });
      });
      receiver.init(once);
    },
    start: (...given) => receiver.start(...(given as [])),
    stop: (...given) => receiver.stop(...(given as [])),
  };
}

function triggerOf({ body }: ReceiverEvent): string | undefined {
  const trigger: unknown = body['trigger_id'];
  return typeof trigger === 'string' ? trigger : undefined;
}
