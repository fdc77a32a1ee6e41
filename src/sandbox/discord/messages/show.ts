import { threadOf } from './render-message.ts';
import type { ShownMessage } from '../changes.ts';
import type { Message, User } from '../documents.ts';
import type { DiscordState } from '../state.ts';

/** A message as people see it. */
export function showMessage(state: DiscordState, message: Message): ShownMessage {
  const { documents, attachments } = state;
  const thread = threadOf(state, message);
  const answers = answeredCommand(message);
  const userOf = (id: string) => documents.users.get(id) ?? unknownUser(id);
  return {
    id: message.id,
    channel: message.channel,
    author: userOf(message.author),
    type: message.type,
    content: message.content,
    embeds: message.embeds,
    components: message.components,
    attachments: attachments.render(message.attachments),
    flags: message.flags,
    reference: message.reference,
    ...(answers && { answers: { ...answers, user: userOf(answers.user) } }),
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

/** Discord names the command above the first answer, also where a form came between. */
function answeredCommand({ interaction, reference }: Message) {
  const { user, name = interaction?.opener?.name } = interaction ?? {};
  return user && name && !reference ? { user, command: name } : undefined;
}

function unknownUser(id: string): User {
  return { id, username: 'unknown', displayName: 'Unknown', bot: false };
}
