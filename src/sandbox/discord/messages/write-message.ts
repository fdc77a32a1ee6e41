import type { Upload } from '../attachments.ts';
import { findChannel } from '../channels.ts';
import { type Channel, holdsPosts, type Message, MessageType } from '../documents.ts';
import { guildsOf } from '../gateway/greeting.ts';
import {
  isLockedFor,
  may,
  memberOf,
  Permission,
  requireOpenable,
  requirePermission,
  sendPermission,
} from '../permissions.ts';
import { invalidForm, refusal } from '../refusals.ts';
import { type DiscordState, moderate } from '../state.ts';
import { joinThread, setArchived } from '../threads.ts';
import { numberComponents } from './components.ts';
import { grantedMentions, joinMentions, resolveMentions } from './mentions.ts';
import { checkBody, MessageFlag, type MessageForm, toEmbed } from './message-schema.ts';
import {
  addRevision,
  keepMessage,
  newMessage,
  publishMessage,
  shownText,
} from './message-store.ts';

const freeFlags =
  MessageFlag.SuppressEmbeds | MessageFlag.SuppressNotifications | MessageFlag.ComponentsV2;

/** A message to post. */
interface Draft {
  channel: Channel;
  author: string;
  form: MessageForm;
  files?: Upload[];
  /** By default, a new id. */
  id?: string;
  /** Set for the response to an interaction, which needs no permissions. */
  answer?: Pick<Message, 'type' | 'interaction' | 'ephemeralFor' | 'reference'> & { flags: number };
}

/**
 * Posts a message.
 * @throws {DiscordRefusal} when it is not allowed or not well formed
 */
export async function postMessage(state: DiscordState, draft: Draft): Promise<Message> {
  const { author, form, files = [], answer } = draft;
  if (answer) requireOpenable(state, author, draft.channel);
  else checkMayPost(state, draft);
  const reference = answer?.reference ?? findReference(state, draft);
  const flags = answer ? answer.flags : (form.flags ?? 0) & freeFlags;
  const content = toContent(form.content);
  const components = numberComponents(form.components ?? []);
  const embeds = (form.embeds ?? []).map(toEmbed);
  if (!(flags & MessageFlag.Loading)) {
    checkBody({ content, embeds, components, flags, attachments: files.length }, form);
  }
  const attachments = await state.attachments.store(draft.channel.id, describe(files, form), {
    ephemeral: answer?.ephemeralFor !== undefined,
  });

  const message: Message = {
    ...newMessage(state, draft.channel.id, author),
    ...(draft.id && { id: draft.id }),
    type: answer?.type ?? (reference ? MessageType.Reply : MessageType.Default),
    content,
    flags,
    embeds,
    components,
    attachments,
    reference,
    nonce: form.nonce ?? undefined,
    interaction: answer?.interaction,
    ephemeralFor: answer?.ephemeralFor,
  };
  message.pings = resolveMentions({
    text: shownText(message),
    allowed: form.allowed_mentions,
    fallback: answer ? 'users' : 'all',
    repliedTo: answer
      ? undefined
      : reference && state.documents.messages.get(reference.message)?.author,
  });
  message.mentions = grantedMentions(state, draft.channel, author, message.pings);
  savePosted(state, message);
  if (!(flags & MessageFlag.Loading)) addRevision(state, message);
  publishMessage(state, 'posted', message);
  return message;
}

/** What Discord keeps of a text: no lone surrogates, and no control characters. */
function toContent(text: string | null | undefined): string {
  return (text ?? '').replaceAll(/(?![\n\t])[\p{Cs}\p{Cc}]/gu, '').trim();
}

/** The files with the descriptions that the form has for their numbers. */
function describe(files: Upload[], { attachments }: MessageForm): Upload[] {
  return files.map((file, index) => {
    const entry = attachments?.find(({ id }) => id === String(index));
    return entry?.description ? { ...file, description: entry.description } : file;
  });
}

function checkMayPost(state: DiscordState, { channel, author, form, files = [] }: Draft): void {
  if (holdsPosts(channel)) throw refusal(50008);
  requirePermission(state, author, channel, sendPermission(channel));
  if (files.length > 0) requirePermission(state, author, channel, Permission.AttachFiles);
  if (form.embeds?.length) requirePermission(state, author, channel, Permission.EmbedLinks);
  if (isLockedFor(state, author, channel)) throw refusal(160005);
  checkSlowMode(state, author, channel);
  if (author === state.self.user && isStranger(state, channel.recipient)) throw refusal(50278);
  if (channel.guild) moderate(state.rules, 'message', form.content ?? '');
}

/** Whether a person is in none of the bot's servers; undefined stands for nobody. */
function isStranger(state: DiscordState, recipient: string | undefined): boolean {
  if (recipient === undefined) return false;
  return !guildsOf(state).some(({ id }) => memberOf(state, id, recipient));
}

/**
 * People wait between two messages where a channel says so; moderators and bots do not.
 * https://github.com/discord/discord-api-docs/issues/8002
 * @throws {DiscordRefusal} 20016
 */
function checkSlowMode(state: DiscordState, author: string, channel: Channel): void {
  const { documents, now } = state;
  const waitMs = (channel.slowMode ?? 0) * 1_000;
  const isBound = waitMs > 0 && documents.users.get(author)?.bot === false;
  if (!isBound || may(state, author, Permission.ManageMessages, channel)) return;
  const newest = Iterator.from(documents.messages.newest(channel.id));
  const last = newest.find((message) => message.author === author);
  if (last && now() - last.createdAt < waitMs) throw refusal(20016);
}

function findReference(state: DiscordState, draft: Draft): Message['reference'] {
  const { channel, author, form } = draft;
  const asked = form.message_reference;
  if (!asked) return undefined;
  if (!may(state, author, Permission.ReadMessageHistory, channel)) throw refusal(160002);
  const message = state.documents.messages.get(asked.message_id);
  const isHere = message?.channel === channel.id && !message.ephemeralFor;
  if (isHere) return { channel: channel.id, message: asked.message_id };
  if (asked.fail_if_not_exists === false) return undefined;
  throw invalidForm(['message_reference'], {
    code: 'REPLIES_UNKNOWN_MESSAGE',
    message: 'Unknown message',
  });
}

/** Stores a new message, with what follows from it for its channel and its author. */
function savePosted(state: DiscordState, message: Message): void {
  const channel = keepMessage(state, message);
  // https://docs.discord.com/developers/topics/threads#active--archived-threads
  if (channel.thread?.archived && !message.ephemeralFor) setArchived(state, channel, false);
  if (channel.thread) joinThread(state, message.author, channel.id);
  state.typing.stop(channel.id, message.author);
}

const editableFlags = MessageFlag.SuppressEmbeds | MessageFlag.ComponentsV2;

/** The new content of a message. */
interface Edit {
  form: MessageForm;
  files?: Upload[];
}

/**
 * Changes the parts of a message that the form names. Without `allowed_mentions`, the default applies
 * again, whatever the message was posted with.
 * https://docs.discord.com/developers/resources/message#edit-message
 * @throws {DiscordRefusal} 50083 when the thread is archived, 160005 when it is locked
 */
export async function editMessage(
  state: DiscordState,
  message: Message,
  { form, files = [] }: Edit,
): Promise<Message> {
  const channel = findChannel(state, message.channel);
  if (channel.thread?.archived) throw refusal(50083);
  if (isLockedFor(state, message.author, channel)) throw refusal(160005);
  const draft = applyForm(message, form);
  checkBody({ ...draft, attachments: draft.attachments.length + files.length }, form);
  const ephemeral = message.ephemeralFor !== undefined;
  const added = await state.attachments.store(channel.id, describe(files, form), { ephemeral });

  // Another edit may have happened while the files were stored.
  const before = state.documents.messages.get(message.id);
  if (!before) throw refusal(10008);
  const changed = applyForm(before, form);
  state.attachments.delete(before.attachments.filter((id) => !changed.attachments.includes(id)));
  changed.attachments = [...changed.attachments, ...added];
  changed.editedAt = state.now();
  mention(state, channel, changed, form);
  state.documents.messages.put(changed);
  if (shownText(changed) !== shownText(before)) addRevision(state, changed);
  publishMessage(state, 'edited', changed);
  return changed;
}

function applyForm(message: Message, form: MessageForm): Message {
  const { content, embeds, components } = form;
  return {
    ...message,
    content: content === undefined ? message.content : toContent(content),
    embeds: embeds === undefined ? message.embeds : (embeds ?? []).map(toEmbed),
    components: components === undefined ? message.components : numberComponents(components ?? []),
    attachments: keptAttachments(message, form),
    flags: changedFlags(message, form),
  };
}

/** An edit can set and clear some flags; the components V2 flag stays. */
function changedFlags({ flags }: Message, form: MessageForm): number {
  const shown = flags & ~MessageFlag.Loading;
  if (form.flags === undefined || form.flags === null) return shown;
  if (flags & ~form.flags & MessageFlag.ComponentsV2) {
    throw invalidForm(['flags'], {
      code: 'MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG',
      message: 'The IS_COMPONENTS_V2 flag cannot be removed from a message.',
    });
  }
  return (shown & ~editableFlags) | (form.flags & editableFlags);
}

function keptAttachments(message: Message, { attachments }: MessageForm): string[] {
  if (!attachments) return message.attachments;
  const listed = new Set(attachments.map(({ id }) => id));
  return message.attachments.filter((id) => listed.has(id));
}

function mention(
  state: DiscordState,
  channel: Channel,
  message: Message,
  { allowed_mentions: allowed }: MessageForm,
): void {
  const { pings, interaction } = message;
  const fallback = interaction ? 'users' : 'all';
  const mentions = resolveMentions({ text: shownText(message), allowed, fallback });
  message.mentions = grantedMentions(state, channel, message.author, mentions);
  message.pings = joinMentions(pings, mentions);
}

/**
 * Forwards a message to a channel: a message without any content of its own, and with a snapshot of
 * the other one. https://docs.discord.com/developers/resources/message#message-reference-types
 * @throws {DiscordRefusal} when the person may not see the one or not write in the other
 */
export function forwardMessage(
  state: DiscordState,
  { author, message, channel }: { author: string; message: Message; channel: Channel },
): Message {
  requirePermission(state, author, findChannel(state, message.channel));
  requirePermission(state, author, channel, sendPermission(channel));
  const forward: Message = {
    ...newMessage(state, channel.id, author),
    flags: MessageFlag.HasSnapshot,
    reference: { channel: message.channel, message: message.id },
    forwarded: message.forwarded ?? message,
  };
  savePosted(state, forward);
  publishMessage(state, 'posted', forward);
  return forward;
}
