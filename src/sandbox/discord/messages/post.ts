import type { Upload } from '../attachments.ts';
import { saveChannel } from '../channels.ts';
import { type Channel, holdsPosts, type Mentions, type Message } from '../documents.ts';
import { may, Permission, requirePermission, sendPermission } from '../permissions.ts';
import { invalidForm, refusal } from '../refusals.ts';
import { moderate } from '../rules.ts';
import type { DiscordState } from '../state.ts';
import { joinThread } from '../threads.ts';
import { numberComponents } from './component-tree.ts';
import { toEmbed } from './embeds.ts';
import { nobodyMentioned, resolveMentions } from './mentions.ts';
import { MessageFlag, type MessageForm } from './message-form.ts';
import { checkBody } from './message-rules.ts';
import { addRevision, keepMessage, shownText } from './messages.ts';
import { publishMessage } from './publish.ts';

const replyType = 19;
const freeFlags =
  MessageFlag.SuppressEmbeds | MessageFlag.SuppressNotifications | MessageFlag.ComponentsV2;

/** A message to post. */
export interface Draft {
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
  if (!answer) checkMayPost(state, draft);
  const reference = answer?.reference ?? findReference(state, draft);
  const flags = answer ? answer.flags : (form.flags ?? 0) & freeFlags;
  const content = (form.content ?? '').trim();
  const components = numberComponents(form.components ?? []);
  const embeds = (form.embeds ?? []).map(toEmbed);
  if (!(flags & MessageFlag.Loading)) {
    checkBody({ content, embeds, components, flags, attachments: files.length }, form);
  }
  const attachments = await state.attachments.store(draft.channel.id, describe(files, form), {
    ephemeral: answer?.ephemeralFor !== undefined,
  });

  const now = state.now();
  const message: Message = {
    id: draft.id ?? state.nextId(),
    channel: draft.channel.id,
    author,
    type: answer?.type ?? (reference ? replyType : 0),
    content,
    createdAt: now,
    flags,
    embeds,
    components,
    attachments,
    mentions: nobodyMentioned,
    pings: nobodyMentioned,
    reference,
    ...(form.nonce !== undefined && form.nonce !== null && { nonce: form.nonce }),
    ...(answer?.interaction && { interaction: answer.interaction }),
    ...(answer?.ephemeralFor && { ephemeralFor: answer.ephemeralFor }),
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

/** The effective mentions: existing users, and everyone only with the permission for it. */
export function grantedMentions(
  state: DiscordState,
  channel: Channel,
  author: string,
  pings: Mentions,
): Mentions {
  return {
    everyone: pings.everyone && may(state, author, Permission.MentionEveryone, channel),
    users: pings.users.filter((id) => state.documents.users.get(id)),
    roles: pings.roles.filter((id) => state.documents.roles.get(id)),
  };
}

/** The files with the descriptions that the form gives by number. */
export function describe(files: Upload[], { attachments }: MessageForm): Upload[] {
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
  const isLocked = channel.thread?.locked && !may(state, author, Permission.ManageThreads, channel);
  if (isLocked) throw refusal(160005);
  checkSlowMode(state, author, channel);
  if (channel.guild) moderate(state.rules, 'message', form.content ?? '');
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
export function savePosted(state: DiscordState, message: Message): void {
  const channel = keepMessage(state, message);
  if (channel.thread?.archived) openThread(state, channel);
  if (channel.thread) joinThread(state, message.author, channel.id);
  state.typing.stop(channel.id, message.author);
}

/**
 * A message unarchives its thread:
 * https://docs.discord.com/developers/topics/threads#active--archived-threads
 */
function openThread(state: DiscordState, channel: Channel): void {
  if (!channel.thread) return;
  const thread = { ...channel.thread, archived: false, archiveChangedAt: state.now() };
  saveChannel(state, { ...channel, thread }, 'THREAD_UPDATE');
}
