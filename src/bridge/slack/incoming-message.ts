import { z } from 'zod';
import type { ReadSaid } from '../commands/adapters/mention-command.ts';
import type { Author, IncomingMessage } from '../conversation/platform.ts';
import { isToSomebody } from '../conversation/question-rule.ts';
import type { Thread } from '../conversation/thread.ts';
import { slackFile, toAttachment } from './files.ts';
import type { Identity } from './clients.ts';
import { mentionedUsers, toReadableText, withoutMention } from './message-text.ts';
import type { People } from './people.ts';

/** An attachment of a forwarded message. The preview of a link is not one. */
const forwarded = z.object({
  is_share: z.literal(true),
  text: z.string().default(''),
  files: z.array(slackFile).default([]),
});

/** The messages that a message forwards. */
export const forwards = z
  .array(z.unknown())
  .default([])
  .transform((attachments) =>
    attachments.flatMap((attachment) => forwarded.safeParse(attachment).data ?? []),
  );

/** The fields of a person's message, whether new or inside a change event. */
const writtenMessage = z.object({
  subtype: z.enum(['file_share', 'thread_broadcast', 'me_message']).optional(),
  user: z.string().min(1),
  text: z.string().default(''),
  ts: z.string().min(1),
  thread_ts: z.string().optional(),
  bot_id: z.undefined().optional(),
  attachments: forwards,
  files: z.array(slackFile).default([]),
});

const messageEvent = writtenMessage.extend({
  type: z.enum(['message', 'app_mention']),
  channel: z.string().min(1),
  channel_type: z.string().optional(),
  hidden: z.literal(false).optional(),
  edited: z.undefined().optional(),
});

/** Slack also sends app_mention for an edited message, with `edited`. */
const editedMention = writtenMessage.extend({
  type: z.literal('app_mention'),
  channel: z.string().min(1),
  edited: z.object({ user: z.string(), ts: z.string().default('') }),
});

/** A person's message in Slack's terms. */
export interface WrittenMessage extends z.infer<typeof writtenMessage> {
  type?: 'message' | 'app_mention';
  channel: string;
  channel_type?: string;
  /** Present if no person wrote it. */
  bot?: { ids: string[]; name: string };
}

/** A new message of another bot, a workflow or a webhook. */
const botMessage = messageEvent.extend({
  subtype: z.enum(['bot_message', 'file_share', 'thread_broadcast', 'me_message']).optional(),
  bot_id: z.string().min(1),
  user: z.string().min(1).optional(),
  app_id: z.string().optional(),
  username: z.string().optional(),
  bot_profile: z.object({ name: z.string(), app_id: z.string().optional() }).optional(),
});

/** Parses the new message of another bot: docs.slack.dev/reference/events/message/bot_message. */
export function parseBotMessage(event: unknown, identity: Identity): WrittenMessage | undefined {
  const { data } = botMessage.safeParse(event);
  if (!data || data.bot_id === identity.botId || data.user === identity.userId) return undefined;
  const { subtype: _, bot_id: id, app_id: app, username, bot_profile: profile, ...rest } = data;
  const { user = id } = data;
  const ids = [...new Set([id, user, app ?? profile?.app_id ?? []].flat())];
  return { ...rest, bot_id: undefined, user, bot: { ids, name: username ?? profile?.name ?? id } };
}

/**
 * Whether an event is about a bot's message. Most are: Slack reports every edit of the bot's own
 * replies, and trying each schema on them takes long.
 */
export function isOfBot(event: Record<string, unknown>): boolean {
  const { bot_id: bot, message } = event;
  return bot !== undefined || (message instanceof Object && 'bot_id' in message);
}

/**
 * Parses a message or app_mention event. Undefined if there is nothing to act on: a message of a
 * bot (this one included), an edit (Slack sends app_mention again, with `edited`), an unfurl, a
 * deletion, someone joining. Events: docs.slack.dev/reference/events/message and app_mention.
 */
export function parseMessageEvent(event: unknown, identity: Identity): WrittenMessage | undefined {
  const { data } = messageEvent.safeParse(event);
  return data && isPerson(data.user, identity) ? data : undefined;
}

/** Whether an id is neither this bot's nor Slackbot's. */
function isPerson(user: string, identity: Identity): boolean {
  return user !== identity.userId && user !== 'USLACKBOT';
}

/**
 * Converts a message for the core. Both events of one message give the same result, so the core
 * handles it once.
 */
export async function toIncomingMessage(
  message: WrittenMessage,
  workspace: {
    identity: () => Identity;
    people: People;
    openThread: (channel: string, thread: string) => Thread;
    readSaid: ReadSaid<WrittenMessage>;
  },
): Promise<IncomingMessage> {
  const { people, openThread, readSaid } = workspace;
  const { userId } = workspace.identity();
  const { text, mentioned } = withoutMention(message.text, userId);
  const addressed = addressedOf(message, mentioned);
  // Bots ask, and use no commands.
  const said = addressed === 'overheard' || message.bot ? undefined : readSaid(message, text);
  const own = said?.kind === 'question' ? said.text : text;
  const shared = message.attachments.map((each) => withoutMention(each.text, userId).text);
  const whole = [own, ...shared].filter(Boolean).join('\n\n');
  const files = [...message.files, ...message.attachments.flatMap((each) => each.files)].map(
    toAttachment,
  );
  const [author, names] = await Promise.all([
    message.bot ? toBot(message.user, message.bot) : people.find(message.user),
    namesOf(mentionedUsers(whole), people),
  ]);
  return {
    id: message.ts,
    author,
    text: toReadableText(whole, (id) => names.get(id)),
    ...(files.length > 0 && { files }),
    addressed,
    isToOthers: addressed === 'overheard' && isToSomebody(message.text, mentionOfOthers),
    thread: openThread(message.channel, message.thread_ts ?? message.ts),
    ...(said?.kind === 'command' && { command: said.run, isOwn: said.isOwn }),
  };
}

function toBot(id: string, { ids, name }: { ids: string[]; name: string }): Author {
  return { id, name, isManager: false, bot: ids };
}

/** A person, or a group of people. */
const mentionOfOthers = /^<(?:@[UW][A-Z0-9]+|!subteam\^)/;

/** Names beyond this number stay ids: each look-up may cost a call. */
const maxNames = 20;

/** The names of people by their ids, as far as Slack tells them. */
export async function namesOf(
  ids: readonly string[],
  people: People,
): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(ids)].slice(0, maxNames);
  const found = await Promise.all(asked.map((id) => people.find(id)));
  const known = found.filter(({ id, name }) => name !== id);
  return new Map(known.map(({ id, name }) => [id, name]));
}

function addressedOf(message: WrittenMessage, mentioned: boolean): IncomingMessage['addressed'] {
  if (message.channel_type === 'im' || isDirect(message.channel)) return 'direct';
  return mentioned || message.type === 'app_mention' ? 'mention' : 'overheard';
}

/** Whether a message is neither a direct one nor mentions the bot. */
export function isOverheardBy(message: WrittenMessage, bot: string): boolean {
  const { mentioned } = withoutMention(message.text, bot);
  return addressedOf(message, mentioned) === 'overheard';
}

/** Whether a channel is a direct message between one person and the bot, by its id. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

/** A change to an existing message. */
export type MessageChange =
  | { kind: 'edited'; message: WrittenMessage; editedAt: string }
  | { kind: 'removed'; channel: string; id: string };

const place = { type: z.literal('message'), channel: z.string().min(1) };

const changed = z.object({
  ...place,
  subtype: z.literal('message_changed'),
  channel_type: z.string().optional(),
  message: writtenMessage.extend({
    edited: z.object({ user: z.string(), ts: z.string().default('') }),
  }),
  previous_message: z.object({ text: z.string().default('') }).optional(),
});

const author = { user: z.string().min(1), bot_id: z.undefined().optional() };

const deleted = z.object({
  ...place,
  subtype: z.literal('message_deleted'),
  deleted_ts: z.string().min(1),
  previous_message: z.object(author),
});

/** A deleted message with replies, of which a stub remains that holds the thread. */
const buried = z.object({
  ...place,
  subtype: z.literal('message_changed'),
  message: z.object({ subtype: z.literal('tombstone'), ts: z.string().min(1) }),
  previous_message: z.object(author),
});

/**
 * Parses a person's edit or deletion of a message. Undefined for anything else: unfurls and Slack's
 * own bookkeeping leave the text unchanged, and changes by bots are ignored. Events:
 * docs.slack.dev/reference/events/message/message_changed and message_deleted.
 */
export function parseMessageChange(event: unknown, identity: Identity): MessageChange | undefined {
  return (
    parseEdit(event, identity) ??
    parseEditedMention(event, identity) ??
    parseRemoval(event, identity)
  );
}

function parseEdit(event: unknown, identity: Identity): MessageChange | undefined {
  const { data } = changed.safeParse(event);
  if (!data) return undefined;
  const { message, previous_message: previous, channel, channel_type } = data;
  const { edited, ...written } = message;
  const ownEdit = edited.user === written.user && isPerson(written.user, identity);
  if (!ownEdit || previous?.text === written.text) return undefined;
  return { kind: 'edited', message: { ...written, channel, channel_type }, editedAt: edited.ts };
}

function parseEditedMention(event: unknown, identity: Identity): MessageChange | undefined {
  const { data } = editedMention.safeParse(event);
  if (!data) return undefined;
  const { edited, ...message } = data;
  const ownEdit = edited.user === message.user && isPerson(message.user, identity);
  return ownEdit ? { kind: 'edited', message, editedAt: edited.ts } : undefined;
}

function parseRemoval(event: unknown, identity: Identity): MessageChange | undefined {
  const { data: gone } = deleted.safeParse(event);
  const { data: stub } = buried.safeParse(event);
  const found = gone ?? stub;
  if (!found || !isPerson(found.previous_message.user, identity)) return undefined;
  const id = gone?.deleted_ts ?? stub?.message.ts ?? '';
  return { kind: 'removed', channel: found.channel, id };
}
