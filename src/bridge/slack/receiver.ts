import type { App, ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import { createLru } from '../../shared/primitives/cache.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { withProcessEvent } from './library-patches.ts';

const tooManyEvents =
  'Slack holds back events for a minute: there are more than 30,000 an hour in the workspace';

/**
 * Bolt acknowledges events before it runs listeners, so a crash in between would lose them. This
 * hands each event's body to `handle` first, over Socket Mode and HTTP alike. If `handle` rejects,
 * the event is not acknowledged, and Slack delivers it again
 * (docs.slack.dev/apis/events-api#error-handling). Events that `handle` has handled do not reach
 * Bolt's listeners. `idle` resolves once no event is being handled.
 */
export function handleBeforeAck(
  app: App,
  handle: (body: ReceiverEvent['body']) => Promise<boolean>,
  log: Pick<Log, 'warn'>,
): { app: App; idle(): Promise<void> } {
  const running = new Set<Promise<boolean>>();

  return {
    app: withProcessEvent(app, async (event) => {
      const handled = handle(event.body);
      running.add(handled);
      try {
        if (await handled) return await event.ack();
      } finally {
        running.delete(handled);
      }
      await acknowledgeUnheard(event, (heard) => app.processEvent(heard));
      if (event.body['type'] === 'app_rate_limited') log.warn({}, tooManyEvents);
    }),
    async idle() {
      await Promise.allSettled(running);
    },
  };
}

/**
 * Acknowledges at once what has no listener, such as a button of an older version, or lacks what
 * listeners need: over HTTP, Bolt would answer 404 after three seconds, or 500.
 */
async function acknowledgeUnheard(
  event: ReceiverEvent,
  process: (event: ReceiverEvent) => Promise<void>,
): Promise<void> {
  let isAcknowledged = false;
  const ack: ReceiverEvent['ack'] = (response) => {
    isAcknowledged = true;
    return event.ack(response);
  };
  if (isReadable(event.body)) await process({ ...event, ack });
  if (!isAcknowledged) await ack();
}

const text = z.string();
const person = z.object({ id: text });
const channel = z.object({ id: text }).optional();
const team = z.object({ id: text }).nullish();
const origin = { user: person, channel, team, enterprise: team, event: z.undefined().optional() };
const action = z.object({ action_id: text });
const view = z.object({
  id: text,
  callback_id: text,
  private_metadata: text,
  state: z.object({ values: z.record(text, z.record(text, z.unknown())) }),
});
const stop = z.object({ type: z.literal('agent_session_stopped'), channel: text, user: text });

/** As much of each request as Bolt and the listeners rely on: of events, only those with a listener. */
const readable = z.union([
  z.object({ type: z.literal('event_callback'), event: stop }),
  z.object({
    command: text,
    text,
    user_id: text,
    user_name: text,
    channel_id: text,
    trigger_id: text,
    response_url: text,
    event: z.undefined().optional(),
  }),
  z.object({
    type: z.literal('block_actions'),
    ...origin,
    actions: z.tuple([action], z.unknown()),
  }),
  z.object({ type: z.literal('block_suggestion'), ...origin, action_id: text }),
  z.object({ type: z.enum(['view_submission', 'view_closed']), ...origin, view }),
  z.object({ type: z.enum(['shortcut', 'message_action']), ...origin, callback_id: text }),
]);

/**
 * Whether a request has a listener, as far as its type tells, and is complete: Bolt throws a TypeError
 * where a field is missing, and never acknowledges an event that it has no listener for.
 */
function isReadable(body: unknown): boolean {
  return readable.safeParse(body).success;
}

/** Those of the last seconds would do: Slack waits three for an acknowledgement. */
const maxKept = 1_000;

/**
 * The app as it takes each command, press and submitted modal once, even if Slack sends it
 * on both sockets. A repetition is acknowledged as the first one was. Repeated events are left to Bolt:
 * the row of a message says whether it is known.
 */
export function withoutRepetitions(app: App): App {
  /** The acknowledgements, by the id that Slack gives to each thing that a person does. */
  const answers = createLru<Promise<unknown>>(maxKept);

  return withProcessEvent(app, async (event) => {
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
}

function triggerOf({ body }: ReceiverEvent): string | undefined {
  const trigger: unknown = body['trigger_id'];
  return typeof trigger === 'string' ? trigger : undefined;
}
