import type { ShownMessage } from '../changes.ts';
import { findChannel } from '../channels.ts';
import { type Channel, type Message, MessageType } from '../documents.ts';
import { type GatewayEvent, Intent } from '../gateway/session.ts';
import { may, memberOf, Permission, requireOpenable, requirePermission } from '../permissions.ts';
import { refusal } from '../refusals.ts';
import { guildOf, renderMember } from '../render.ts';
import type { DiscordState } from '../state.ts';
import { flatten } from './components.ts';
import { nobodyMentioned } from './mentions.ts';
import { renderMessage, showMessage } from './render-message.ts';

const maxMessages = 10_000;
const deletedAtOnce = 100;
const maxRevisions = 200;

/** Whether a person or bot wrote it, as opposed to Discord's notices about threads. */
export function isSaid({ type }: Pick<Message, 'type'>): boolean {
  return type !== MessageType.ThreadCreated && type !== MessageType.ThreadStarterMessage;
}

/**
 * A message everyone in a channel sees.
 * @throws {DiscordRefusal} 10008 when there is none; ephemeral messages are not found here
 */
export function findMessage(state: DiscordState, channel: string, id: string): Message {
  const message = state.documents.messages.get(id);
  if (!message || message.channel !== channel || message.ephemeralFor) throw refusal(10008);
  return message;
}

/** A page of a channel's messages: at most one of the three ids. */
export interface Page {
  limit: number;
  before?: string;
  after?: string;
  around?: string;
}

/** A channel's messages, newest first: https://docs.discord.com/developers/resources/message#get-channel-messages */
export function listMessages(
  state: DiscordState,
  channel: string,
  { limit, before, after, around }: Page,
): Message[] {
  const { messages } = state.documents;
  const take = (found: Iterable<Message>, count: number) => [
    ...Iterator.from(found)
      .filter((message) => !message.ephemeralFor)
      .take(count),
  ];
  if (around) {
    const older = take(messages.newest(channel, { before: around }), Math.floor(limit / 2));
    const oldest = older.at(-1)?.id ?? around;
    return take(
      messages.oldest(channel, { after: String(BigInt(oldest) - 1n) }),
      limit,
    ).toReversed();
  }
  if (after) return take(messages.oldest(channel, { after }), limit).toReversed();
  return take(messages.newest(channel, { before }), limit);
}

/** Deletes a message; its author and moderators may. */
export function removeMessage(state: DiscordState, user: string, message: Message): void {
  const channel = findChannel(state, message.channel);
  requirePermission(state, user, channel);
  requireOpenable(state, user, channel);
  const isOwn = message.author === user;
  if (!isOwn && !may(state, user, Permission.ManageMessages, channel)) throw refusal(50013);
  dropMessage(state, message);
}

/** Deletes a message without checking permissions. */
export function dropMessage(state: DiscordState, message: Message): void {
  const channel = findChannel(state, message.channel);
  if (isVisible(state, channel, message)) {
    const data = { id: message.id, channel_id: channel.id, ...guildOf(channel) };
    state.dispatch({ name: 'MESSAGE_DELETE', data, intent: messageIntent(channel) });
  }
  withdraw(state, message);
}

/** Deletes several messages of one channel without checking permissions. */
export function dropMessages(state: DiscordState, messages: readonly Message[]): void {
  const [first] = messages;
  if (!first) return;
  const channel = findChannel(state, first.channel);
  const ids = messages.filter((one) => isVisible(state, channel, one)).map(({ id }) => id);
  if (ids.length > 0) {
    const data = { ids, channel_id: channel.id, ...guildOf(channel) };
    state.dispatch({ name: 'MESSAGE_DELETE_BULK', data, intent: messageIntent(channel) });
  }
  for (const message of messages) withdraw(state, message);
}

/** Deletes a message, and then announces that. */
function withdraw(state: DiscordState, message: Message): void {
  const shown = showMessage(state, message);
  forget(state, message);
  announce(state, 'removed', shown);
}

/** A new message without content. */
export function newMessage(state: DiscordState, channel: string, author: string): Message {
  return {
    id: state.nextId(),
    channel,
    author,
    type: 0,
    content: '',
    createdAt: state.now(),
    flags: 0,
    embeds: [],
    components: [],
    attachments: [],
    mentions: nobodyMentioned,
    pings: nobodyMentioned,
  };
}

/** Stores a new message and returns its channel, with this as the last message. */
export function keepMessage(state: DiscordState, message: Message): Channel {
  state.documents.messages.put(message);
  dropOldest(state, message.channel);
  const channel = { ...findChannel(state, message.channel), lastMessage: message.id };
  if (channel.thread) channel.thread = { ...channel.thread, messages: channel.thread.messages + 1 };
  state.documents.channels.put(channel);
  return channel;
}

/** Deletes the oldest messages of a channel, a hundred at a time, to make room for new ones. */
function dropOldest(state: DiscordState, channel: string): void {
  const { messages } = state.documents;
  if (messages.count(channel) < maxMessages + deletedAtOnce) return;
  const oldest = [...Iterator.from(messages.oldest(channel)).take(deletedAtOnce)];
  for (const message of oldest) forget(state, message);
}

/** Keeps the current text of a message, at most the newest 200 versions. */
export function addRevision(state: DiscordState, message: Message): void {
  const { revisions } = state.documents;
  const texts = [...(revisions.get(message.id)?.texts ?? []), shownText(message)];
  revisions.put({ message: message.id, texts: texts.slice(-maxRevisions) });
}

function forget(state: DiscordState, message: Message): void {
  state.documents.messages.delete(message.id);
  state.documents.revisions.delete(message.id);
  state.attachments.delete(message.attachments);
}

/** All text of a message, wherever it appears. */
export function shownText({ content, embeds, components }: Message): string {
  const described = embeds.map(({ description }) => description);
  const displayed = flatten(components).map((component) => component.content);
  return [content, ...described, ...displayed].filter(Boolean).join('\n');
}

/** Announces a new or changed message, and sends the bot an event if it can see the channel. */
export function publishMessage(
  state: DiscordState,
  event: 'posted' | 'edited',
  message: Message,
): void {
  dispatchMessage(state, event, message);
  announce(state, event, showMessage(state, message));
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

function announce(
  state: DiscordState,
  event: 'posted' | 'edited' | 'removed',
  message: ShownMessage,
): void {
  state.changes.announce({ kind: 'message', event, channel: message.channel, message });
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
  const render = (readsAll: boolean) => ({
    ...renderMessage(state, message, readsAll),
    channel_type: channel.type,
    ...guildOf(channel),
    ...(author && !message.interaction && { member: renderMember(author) }),
  });
  const concealed = () => render(false);
  return { name, data: render(true), intent: messageIntent(channel), concealed };
}
