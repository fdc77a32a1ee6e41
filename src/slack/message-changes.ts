import { z } from 'zod';
import { isPerson, type WrittenMessage, writtenMessage } from './events.ts';
import type { Identity } from './identity.ts';

/** What became of a message that stood already. */
export type MessageChange =
  | { kind: 'edited'; message: WrittenMessage }
  | { kind: 'removed'; channel: string; id: string };

const place = { type: z.literal('message'), channel: z.string().min(1) };

const changed = z.object({
  ...place,
  subtype: z.literal('message_changed'),
  channel_type: z.string().optional(),
  message: writtenMessage.extend({ edited: z.object({ user: z.string() }) }),
  previous_message: z.object({ text: z.string().default('') }).optional(),
});

const author = { user: z.string().min(1), bot_id: z.undefined().optional() };

const deleted = z.object({
  ...place,
  subtype: z.literal('message_deleted'),
  deleted_ts: z.string().min(1),
  previous_message: z.object(author),
});

/** A message with replies, of which a stub stays that holds the thread. */
const buried = z.object({
  ...place,
  subtype: z.literal('message_changed'),
  message: z.object({ subtype: z.literal('tombstone'), ts: z.string().min(1) }),
  previous_message: z.object(author),
});

/**
 * A person's edit or deletion of a message, or undefined where the event is none: an unfurl and
 * Slack's own bookkeeping leave the text as it was, and what bots do is not acted on. Events:
 * docs.slack.dev/reference/events/message/message_changed and message_deleted.
 */
export function parseMessageChange(event: unknown, identity: Identity): MessageChange | undefined {
  return parseEdit(event, identity) ?? parseRemoval(event, identity);
}

function parseEdit(event: unknown, identity: Identity): MessageChange | undefined {
  const { data } = changed.safeParse(event);
  if (!data) return undefined;
  const { message, previous_message: previous, channel, channel_type } = data;
  const { edited, ...written } = message;
  const ownEdit = edited.user === written.user && isPerson(written.user, identity);
  if (!ownEdit || previous?.text === written.text) return undefined;
  return { kind: 'edited', message: { ...written, channel, channel_type } };
}

function parseRemoval(event: unknown, identity: Identity): MessageChange | undefined {
  const { data: gone } = deleted.safeParse(event);
  const { data: stub } = buried.safeParse(event);
  const found = gone ?? stub;
  if (!found || !isPerson(found.previous_message.user, identity)) return undefined;
  const id = gone?.deleted_ts ?? stub?.message.ts ?? '';
  return { kind: 'removed', channel: found.channel, id };
}
