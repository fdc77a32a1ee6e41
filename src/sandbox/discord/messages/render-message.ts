import type { ShownMessage } from '../changes.ts';
import type { Channel, Message, MessageInteraction } from '../documents.ts';
import { InteractionType } from '../interactions/interactions.ts';
import { guildOf, renderChannel, renderUserById, toTimestamp, userOf } from '../render.ts';
import type { DiscordState } from '../state.ts';

const hasThreadFlag = 1 << 5;

/**
 * The thread that starts from a message and has its id. The first message of a post has that id too,
 * but is in the thread.
 */
function threadOf({ documents }: DiscordState, { id, channel }: Message): Channel | undefined {
  const thread = documents.channels.get(id);
  return thread?.parent === channel ? thread : undefined;
}

/** What messages are without when the bot may not read them. */
const hiddenContent = {
  content: '',
  embeds: [],
  attachments: [],
  components: [],
  message_snapshots: undefined,
};

/**
 * Without the Message Content intent, the bot reads its own messages, those that mention it, and direct
 * ones: https://docs.discord.com/developers/events/gateway#message-content-intent
 */
function isHidden({ documents, self }: DiscordState, message: Message): boolean {
  if (message.author === self.user || message.mentions.users.includes(self.user)) return false;
  return documents.channels.get(message.channel)?.guild !== undefined;
}

/**
 * https://docs.discord.com/developers/resources/message#message-object, as REST answers give it.
 *
 * @param readsAll whether the bot has the Message Content intent
 */
export function renderMessage(
  state: DiscordState,
  message: Message,
  readsAll = state.settings.messageContent,
): object {
  const { reference, forwarded } = message;
  const isAnswer = reference && !forwarded;
  const answered = isAnswer && state.documents.messages.get(reference.message);
  return {
    ...renderOne(state, message, readsAll),
    ...(isAnswer && {
      referenced_message: answered ? renderOne(state, answered, readsAll) : null,
    }),
  };
}

function renderOne(state: DiscordState, message: Message, readsAll: boolean): object {
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
    thread: thread && renderChannel(state, thread),
    ...(interaction && {
      application_id: self.application,
      webhook_id: self.application,
      interaction_metadata: renderInteraction(state, interaction, channel?.guild),
    }),
    message_reference: reference && {
      type: forwarded ? 1 : 0,
      channel_id: reference.channel,
      message_id: reference.message,
      ...guildOf(documents.channels.get(reference.channel)),
    },
    message_snapshots: forwarded && [{ message: renderSnapshot(state, forwarded) }],
    ...(!readsAll && isHidden(state, message) && hiddenContent),
  };
}

/** https://docs.discord.com/developers/resources/message#message-snapshot-object */
function renderSnapshot(state: DiscordState, message: Message): object {
  const { type, content, embeds, components, flags, mentions, createdAt, editedAt } = message;
  return {
    type,
    content,
    embeds,
    attachments: state.attachments.render(message.attachments),
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

/** A message as people see it. */
export function showMessage(state: DiscordState, message: Message): ShownMessage {
  const { attachments } = state;
  const thread = threadOf(state, message);
  const { forwarded } = message;
  const answers = answeredCommand(message);
  return {
    id: message.id,
    channel: message.channel,
    author: userOf(state, message.author),
    type: message.type,
    content: message.content,
    embeds: message.embeds,
    components: message.components,
    attachments: attachments.render(message.attachments),
    flags: message.flags,
    reference: message.reference,
    answers: answers && { ...answers, user: userOf(state, answers.user) },
    forwarded: forwarded && {
      content: forwarded.content,
      attachments: attachments.render(forwarded.attachments),
    },
    thread: thread?.id,
    ephemeralFor: message.ephemeralFor,
    pings: message.pings,
    createdAt: message.createdAt,
    editedAt: message.editedAt,
  };
}

/** Discord names the command above the first answer, even when a modal came in between. */
function answeredCommand({ interaction, reference }: Message) {
  const { user, name = interaction?.opener?.name } = interaction ?? {};
  return user && name && !reference ? { user, command: name } : undefined;
}
