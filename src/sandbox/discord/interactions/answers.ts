import type { Upload } from '../attachments.ts';
import { findChannel } from '../channels.ts';
import type { Message } from '../documents.ts';
import { editMessage } from '../messages/edit.ts';
import { MessageFlag, type MessageForm } from '../messages/message-form.ts';
import { dropMessage } from '../messages/messages.ts';
import { postMessage } from '../messages/post.ts';
import { refusal } from '../refusals.ts';
import type { DiscordState } from '../state.ts';
import { InteractionType, type Interaction } from './interaction.ts';

const commandAnswerType = 20;
const replyType = 19;
const answerFlags =
  MessageFlag.SuppressEmbeds |
  MessageFlag.SuppressNotifications |
  MessageFlag.ComponentsV2 |
  MessageFlag.Ephemeral;

/** The content of the bot's response to an interaction. */
export interface Answer {
  form: MessageForm;
  files?: Upload[];
  /** Whether it is a loading message, until it is edited. */
  loading?: boolean;
}

/** Posts a response; only the interacting person sees an ephemeral one. */
export async function postAnswer(
  state: DiscordState,
  interaction: Interaction,
  { form, files = [], loading = false }: Answer,
): Promise<Message> {
  const asked = (form.flags ?? 0) & answerFlags;
  const replyTo = interaction.response ?? interaction.message;
  const { id, type, user, name, message, opener } = interaction;
  return postMessage(state, {
    channel: findChannel(state, interaction.channel),
    author: state.self.user,
    form,
    files,
    answer: {
      type:
        type === InteractionType.Command && !interaction.response ? commandAnswerType : replyType,
      flags: loading ? asked | MessageFlag.Loading : asked,
      interaction: { id, type, user, name, message, opener },
      ...(asked & MessageFlag.Ephemeral && { ephemeralFor: user }),
      ...(replyTo && { reference: { channel: interaction.channel, message: replyTo } }),
    },
  });
}

/** Posts a followup message; after a deferral, the first one replaces the loading message. */
export async function followUp(
  state: DiscordState,
  interaction: Interaction,
  { form, files = [] }: Answer,
): Promise<Message> {
  const original = interaction.response && state.documents.messages.get(interaction.response);
  if (original && original.flags & MessageFlag.Loading) {
    return editMessage(state, original, { form, files });
  }
  return postAnswer(state, interaction, { form, files });
}

/**
 * An answer by its id, or `@original` for the first.
 * @throws {DiscordRefusal} 10008 when there is none
 */
export function findAnswer(state: DiscordState, interaction: Interaction, id: string): Message {
  const wanted = id === '@original' ? interaction.response : id;
  const message = wanted ? state.documents.messages.get(wanted) : undefined;
  const isAnswer = message?.interaction?.id === interaction.id || wanted === interaction.response;
  if (!message || !isAnswer) throw refusal(10008);
  return message;
}

/** Deletes an answer. */
export function removeAnswer(state: DiscordState, interaction: Interaction, id: string): void {
  dropMessage(state, findAnswer(state, interaction, id));
}
