import type { Channel, Message } from '../documents.ts';
import { Intent, type GatewayEvent } from '../gateway/intents.ts';
import { memberOf } from '../members.ts';
import { may, Permission } from '../permissions.ts';
import { guildOf, renderMember } from '../render.ts';
import { renderMessage } from './render-message.ts';
import type { DiscordState } from '../state.ts';
import { showMessage } from './show.ts';

const hiddenContent = {
  content: '',
  embeds: [],
  attachments: [],
  components: [],
  message_snapshots: undefined,
};

/** Announces a new or changed message, and sends the bot an event if it can see the channel. */
export function publishMessage(
  state: DiscordState,
  event: 'posted' | 'edited',
  message: Message,
): void {
  const channel = state.documents.channels.get(message.channel);
  if (!channel) return;
  dispatchMessage(state, event, message);
  const shown = showMessage(state, message);
  state.changes.announce({ kind: 'message', event, channel: channel.id, message: shown });
}

/** Sends the bot the event of a message that it can see. */
export function dispatchMessage(
  state: DiscordState,
  event: 'posted' | 'edited',
  message: Message,
): void {
  const channel = state.documents.channels.get(message.channel);
  if (!channel || !isVisible(state, channel, message)) return;
  const name = event === 'posted' ? 'MESSAGE_CREATE' : 'MESSAGE_UPDATE';
  state.dispatch(toEvent(state, name, channel, message));
}

/** Removes a message for people and the bot. */
export function publishRemoval(state: DiscordState, channel: Channel, message: Message): void {
  if (isVisible(state, channel, message)) {
    const data = { id: message.id, channel_id: channel.id, ...guildOf(channel) };
    state.dispatch({ name: 'MESSAGE_DELETE', data, intent: messageIntent(channel) });
  }
  announceRemoval(state, channel, message);
}

/** Removes several messages of one channel. */
export function publishRemovals(
  state: DiscordState,
  channel: Channel,
  messages: readonly Message[],
): void {
  const ids = messages.filter((one) => isVisible(state, channel, one)).map(({ id }) => id);
  if (ids.length > 0) {
    const data = { ids, channel_id: channel.id, ...guildOf(channel) };
    state.dispatch({ name: 'MESSAGE_DELETE_BULK', data, intent: messageIntent(channel) });
  }
  for (const message of messages) announceRemoval(state, channel, message);
}

function announceRemoval(state: DiscordState, channel: Channel, message: Message): void {
  const shown = showMessage(state, message);
  state.changes.announce({
    kind: 'message',
    event: 'removed',
    channel: channel.id,
    message: shown,
  });
}

function isVisible(state: DiscordState, channel: Channel, message: Message): boolean {
  if (message.ephemeralFor) return false;
  return may(state, state.self.user, Permission.ViewChannel, channel);
}

function messageIntent(channel: Channel): number {
  return channel.guild ? Intent.GuildMessages : Intent.DirectMessages;
}

function toEvent(
  state: DiscordState,
  name: string,
  channel: Channel,
  message: Message,
): GatewayEvent {
  const author = memberOf(state, channel.guild, message.author);
  const data = {
    ...renderMessage(state, message),
    channel_type: channel.type,
    ...guildOf(channel),
    ...(author && !message.interaction && { member: renderMember(author) }),
  };
  const intent = messageIntent(channel);
  const concealed = {
    ...data,
    ...(isHidden(state, message) && hiddenContent),
    ...hideReferenced(state, message),
  };
  return channel.guild ? { name, data, intent, concealed } : { name, data, intent };
}

/**
 * Without the message content intent, the bot gets the content only of its own messages and those
 * that mention it: https://docs.discord.com/developers/events/gateway#message-content-intent
 */
function isHidden({ self }: DiscordState, message: Message): boolean {
  return message.author !== self.user && !message.mentions.users.includes(self.user);
}

function hideReferenced(state: DiscordState, { reference }: Message): object {
  const referenced = reference && state.documents.messages.get(reference.message);
  if (!referenced || !isHidden(state, referenced)) return {};
  return { referenced_message: { ...renderMessage(state, referenced, 1), ...hiddenContent } };
}
