import type { Channel, Message, MessageInteraction, Snapshot } from '../documents.ts';
import { InteractionType } from '../interactions/interaction.ts';
import { guildOf, renderChannel, renderUserById, toTimestamp } from '../render.ts';
import type { DiscordState } from '../state.ts';

const hasThreadFlag = 1 << 5;

/**
 * The thread that starts from a message and has its id. The first message of a post has that id too,
 * but is in the thread.
 */
export function threadOf(
  { documents }: DiscordState,
  { id, channel }: Message,
): Channel | undefined {
  const thread = documents.channels.get(id);
  return thread?.parent === channel ? thread : undefined;
}

/** https://docs.discord.com/developers/resources/message#message-object, as REST answers give it. */
export function renderMessage(state: DiscordState, message: Message, depth = 0): object {
  const { documents, attachments, self } = state;
  const thread = threadOf(state, message);
  const { interaction, reference, forwarded } = message;
  const channel = documents.channels.get(message.channel);
  return {
    id: message.id,
    channel_id: message.channel,
    author: renderUserById(state, message.author),
    type: message.type,
    content: message.content,
    timestamp: toTimestamp(message.createdAt),
    edited_timestamp: message.editedAt ? toTimestamp(message.editedAt) : null,
    tts: false,
    pinned: false,
    mention_everyone: message.mentions.everyone,
    mentions: message.mentions.users.map((id) => renderUserById(state, id)),
    mention_roles: message.mentions.roles,
    attachments: attachments.render(message.attachments),
    embeds: message.embeds,
    components: message.components,
    flags: thread ? message.flags | hasThreadFlag : message.flags,
    nonce: message.nonce,
    ...(thread && { thread: renderChannel(state, thread) }),
    ...(interaction && {
      application_id: self.application,
      webhook_id: self.application,
      interaction_metadata: renderInteraction(state, interaction, channel?.guild),
    }),
    ...(reference && {
      message_reference: {
        type: forwarded ? 1 : 0,
        channel_id: reference.channel,
        message_id: reference.message,
        ...guildOf(documents.channels.get(reference.channel)),
      },
    }),
    ...(forwarded && { message_snapshots: [{ message: renderSnapshot(state, forwarded) }] }),
    ...(reference &&
      !forwarded &&
      depth === 0 && {
        referenced_message: renderReferenced(state, reference.message),
      }),
  };
}

/** https://docs.discord.com/developers/resources/message#message-snapshot-object */
function renderSnapshot(state: DiscordState, snapshot: Snapshot): object {
  const { type, content, createdAt, editedAt, flags, embeds, components, mentions } = snapshot;
  return {
    type,
    content,
    embeds,
    attachments: state.attachments.render(snapshot.attachments),
    timestamp: toTimestamp(createdAt),
    edited_timestamp: editedAt ? toTimestamp(editedAt) : null,
    flags,
    mentions: mentions.users.map((id) => renderUserById(state, id)),
    mention_roles: mentions.roles,
    components,
  };
}

/** https://docs.discord.com/developers/resources/message#message-interaction-metadata-object */
function renderInteraction(
  state: DiscordState,
  { id, type, user, message, opener }: MessageInteraction,
  guild = '0',
): object {
  return {
    id,
    type,
    user: renderUserById(state, user),
    authorizing_integration_owners: { 0: guild },
    ...(type === InteractionType.Component && { interacted_message_id: message }),
    ...(opener && { triggering_interaction_metadata: renderInteraction(state, opener, guild) }),
  };
}

function renderReferenced(state: DiscordState, id: string): object | null {
  const message = state.documents.messages.get(id);
  return message ? renderMessage(state, message, 1) : null;
}
