import type { Upload } from '../attachments.ts';
import { findChannel } from '../channels.ts';
import type { Channel, Message } from '../documents.ts';
import { invalidForm, refusal } from '../refusals.ts';
import type { DiscordState } from '../state.ts';
import { numberComponents } from './component-tree.ts';
import { toEmbed } from './embeds.ts';
import { joinMentions, resolveMentions } from './mentions.ts';
import { MessageFlag, type MessageForm } from './message-form.ts';
import { checkBody } from './message-rules.ts';
import { addRevision, shownText } from './messages.ts';
import { describe, grantedMentions } from './post.ts';
import { publishMessage } from './publish.ts';

const editableFlags = MessageFlag.SuppressEmbeds | MessageFlag.ComponentsV2;

/** The new content of a message. */
export interface Edit {
  form: MessageForm;
  files?: Upload[];
}

/**
 * Changes the parts of a message the form names; `allowed_mentions` not given is the default again,
 * whatever the message was posted with.
 * https://docs.discord.com/developers/resources/message#edit-message
 * @throws {DiscordRefusal} 50083 when the thread is archived
 */
export async function editMessage(
  state: DiscordState,
  message: Message,
  { form, files = [] }: Edit,
): Promise<Message> {
  const channel = findChannel(state, message.channel);
  if (channel.thread?.archived) throw refusal(50083);
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
    content: content === undefined ? message.content : (content ?? '').trim(),
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
