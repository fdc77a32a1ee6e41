import { z } from 'zod';
import type { Upload } from '../attachments.ts';
import { findChannel } from '../channels.ts';
import { type Message, MessageType } from '../documents.ts';
import { MessageFlag, type MessageForm, messageSchema } from '../messages/message-schema.ts';
import { renderMessage, showMessage } from '../messages/render-message.ts';
import { editMessage, postMessage } from '../messages/write-message.ts';
import { invalidForm, refusal } from '../refusals.ts';
import type { DiscordState } from '../state.ts';
import { list, parseForm, text } from '../validation.ts';
import { type Acknowledgement, type Interaction, InteractionType } from './interactions.ts';
import { modalSchema } from './modal-schema.ts';

const answerFlags =
  MessageFlag.SuppressEmbeds |
  MessageFlag.SuppressNotifications |
  MessageFlag.ComponentsV2 |
  MessageFlag.Ephemeral;

/** The content of the bot's response to an interaction. */
interface Answer {
  form: MessageForm;
  files?: Upload[];
  /** Whether it is a loading message, until it is edited. */
  loading?: boolean;
}

/** Posts a response; only the interacting person sees an ephemeral one. */
async function postAnswer(
  state: DiscordState,
  interaction: Interaction,
  { form, files = [], loading = false }: Answer,
): Promise<Message> {
  const asked = (form.flags ?? 0) & answerFlags;
  const replyTo = interaction.response ?? interaction.message;
  const { id, type, user, name, message, opener } = interaction;
  const isFirstToCommand = type === InteractionType.Command && !interaction.response;
  return postMessage(state, {
    channel: findChannel(state, interaction.channel),
    author: state.self.user,
    form,
    files,
    answer: {
      type: isFirstToCommand ? MessageType.ChatInputCommand : MessageType.Reply,
      flags: loading ? asked | MessageFlag.Loading : asked,
      interaction: { id, type, user, name, message, opener },
      ephemeralFor: asked & MessageFlag.Ephemeral ? user : undefined,
      reference: replyTo ? { channel: interaction.channel, message: replyTo } : undefined,
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

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type */
const CallbackType = {
  Message: 4,
  DeferredMessage: 5,
  DeferredUpdate: 6,
  Update: 7,
  Choices: 8,
  Modal: 9,
} as const;

const maxChoices = 25;

const callbackSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal(CallbackType.Message), data: messageSchema }),
  z.object({
    type: z.literal(CallbackType.DeferredMessage),
    data: z.object({ flags: z.int().min(0).nullish() }).nullish(),
  }),
  z.object({ type: z.literal(CallbackType.DeferredUpdate) }),
  z.object({ type: z.literal(CallbackType.Update), data: messageSchema.nullish() }),
  z.object({
    type: z.literal(CallbackType.Choices),
    data: z.object({
      choices: list(
        z.object({
          name: text(1, 100),
          name_localizations: z.record(z.string(), z.string()).nullish(),
          value: z.union([text(0, 100), z.number()]),
        }),
        0,
        maxChoices,
      ),
    }),
  }),
  z.object({ type: z.literal(CallbackType.Modal), data: modalSchema }),
]);

type Callback = z.infer<typeof callbackSchema>;

/**
 * Acknowledges an interaction and resolves with what `with_response` answers.
 * https://docs.discord.com/developers/interactions/receiving-and-responding#create-interaction-response
 * @throws {DiscordRefusal} 50035 when the answer is not well formed or not one to this kind of
 * interaction; it may be tried again
 */
export async function acknowledge(
  state: DiscordState,
  interaction: Interaction,
  body: unknown,
  files: Upload[],
): Promise<object> {
  const callback = parseForm(callbackSchema, body);
  checkType(interaction, callback);
  // Set before anything is awaited, so that a second response is rejected.
  interaction.acknowledged = true;
  try {
    const message = await respond(state, interaction, callback, files);
    return renderAcknowledged(state, interaction, callback, message);
  } catch (error) {
    interaction.acknowledged = false;
    throw error;
  }
}

async function respond(
  state: DiscordState,
  interaction: Interaction,
  callback: Callback,
  files: Upload[],
): Promise<Message | undefined> {
  const settle = (acknowledgement: Acknowledgement) => interaction.settle(acknowledgement);
  const show = (message: Message) => {
    interaction.response = message.id;
    return showMessage(state, message);
  };
  switch (callback.type) {
    case CallbackType.Message: {
      const message = await postAnswer(state, interaction, { form: callback.data, files });
      settle({ kind: 'message', message: show(message) });
      return message;
    }
    case CallbackType.DeferredMessage: {
      const form = { flags: checkDeferredFlags(callback.data?.flags ?? 0) };
      const message = await postAnswer(state, interaction, { form, loading: true });
      settle({ kind: 'deferred', message: show(message) });
      return message;
    }
    case CallbackType.DeferredUpdate: {
      if (interaction.message) interaction.response = interaction.message;
      settle({ kind: 'deferred-update' });
      return undefined;
    }
    case CallbackType.Update: {
      const source = interaction.message && state.documents.messages.get(interaction.message);
      if (!source) throw refusal(10008);
      const message = await editMessage(state, source, { form: callback.data ?? {}, files });
      settle({ kind: 'updated', message: show(message) });
      return message;
    }
    case CallbackType.Choices: {
      settle({ kind: 'choices', choices: callback.data.choices });
      return undefined;
    }
    case CallbackType.Modal: {
      const { custom_id: customId, title, components } = callback.data;
      const { id, user, channel } = interaction;
      const modal = { id, user, channel, customId, title, components };
      interaction.modal = modal;
      state.changes.announce({ kind: 'modal', modal });
      settle({ kind: 'modal', modal });
      return undefined;
    }
  }
}

const updateTypes: Callback['type'][] = [CallbackType.DeferredUpdate, CallbackType.Update];
const messageTypes: Callback['type'][] = [CallbackType.Message, CallbackType.DeferredMessage];

function checkType({ type, message }: Interaction, callback: Callback): void {
  const allowed = {
    [InteractionType.Command]: [...messageTypes, CallbackType.Modal],
    [InteractionType.Component]: [...messageTypes, ...updateTypes, CallbackType.Modal],
    [InteractionType.Autocomplete]: [CallbackType.Choices],
    [InteractionType.ModalSubmit]: message ? [...messageTypes, ...updateTypes] : messageTypes,
  }[type];
  if (allowed.some((one) => one === callback.type)) return;
  const choices = allowed.join(', ');
  throw invalidForm(['type'], {
    code: 'BASE_TYPE_CHOICES',
    message: `Value must be one of {${choices}}.`,
  });
}

/** A deferred message can only be ephemeral; other flags come with its content. */
function checkDeferredFlags(flags: number): number {
  if (!(flags & MessageFlag.ComponentsV2)) return flags & MessageFlag.Ephemeral;
  throw invalidForm(['data', 'flags'], {
    code: 'MESSAGE_FLAGS_INVALID',
    message: 'A deferred response can only be EPHEMERAL; set other flags when editing it.',
  });
}

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-callback-interaction-callback-response-object */
function renderAcknowledged(
  state: DiscordState,
  interaction: Interaction,
  { type }: Callback,
  message: Message | undefined,
): object {
  const flags = message?.flags ?? 0;
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      ...(message && {
        response_message_id: message.id,
        response_message_loading: (flags & MessageFlag.Loading) !== 0,
        response_message_ephemeral: message.ephemeralFor !== undefined,
      }),
    },
    resource: { type, ...(message && { message: renderMessage(state, message) }) },
  };
}
