import { threadOf } from './render-message.ts';
import type { ShownMessage } from '../changes.ts';
import type { Message, User } from '../documents.ts';
import type { DiscordState } from '../state.ts';

/** A message as people see it. */
export function showMessage(state: DiscordState, message: Message): ShownMessage {
  const { documents, attachments } = state;
  const thread = threadOf(state, message);
  return {
    id: message.id,
    channel: message.channel,
    author: documents.users.get(message.author) ?? unknownUser(message.author),
    type: message.type,
    content: message.content,
    embeds: message.embeds,
    components: message.components,
    attachments: attachments.render(message.attachments),
    flags: message.flags,
    reference: message.reference,
    ...(message.forwarded && {
      forwarded: {
        content: message.forwarded.content,
        attachments: attachments.render(message.forwarded.attachments),
      },
    }),
    ...(thread && { thread: thread.id }),
    ...(message.ephemeralFor && { ephemeralFor: message.ephemeralFor }),
    pings: message.pings,
    createdAt: message.createdAt,
    ...(message.editedAt && { editedAt: message.editedAt }),
  };
}

function unknownUser(id: string): User {
  return { id, username: 'unknown', displayName: 'Unknown', bot: false };
}
