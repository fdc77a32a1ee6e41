import { z } from 'zod';

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
export function isReadable(body: unknown): boolean {
  return readable.safeParse(body).success;
}
