import type { Channel, Message } from '../documents.ts';
import { findChannel } from '../channels.ts';
import { requirePermission, sendPermission } from '../permissions.ts';
import type { DiscordState } from '../state.ts';
import { nobodyMentioned } from './mentions.ts';
import { MessageFlag } from './message-form.ts';
import { savePosted } from './post.ts';
import { publishMessage } from './publish.ts';

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
  const { type, content, createdAt, editedAt, flags, embeds, components } = message;
  const { attachments, mentions } = message;
  const shown = { type, content, createdAt, editedAt, flags, embeds, components };
  const forward: Message = {
    id: state.nextId(),
    channel: channel.id,
    author,
    type: 0,
    content: '',
    createdAt: state.now(),
    flags: MessageFlag.HasSnapshot,
    embeds: [],
    components: [],
    attachments: [],
    mentions: nobodyMentioned,
    pings: nobodyMentioned,
    reference: { channel: message.channel, message: message.id },
    forwarded: message.forwarded ?? { ...shown, attachments, mentions },
  };
  savePosted(state, forward);
  publishMessage(state, 'posted', forward);
  return forward;
}
