import { z } from 'zod';
import type { Upload } from '../attachments.ts';
import { editMessage } from '../messages/edit.ts';
import type { Message } from '../documents.ts';
import { MessageFlag, messageSchema } from '../messages/message-form.ts';
import { showMessage } from '../messages/show.ts';
import { invalidForm, refusal } from '../refusals.ts';
import { renderMessage } from '../messages/render-message.ts';
import type { DiscordState } from '../state.ts';
import { list, parseForm, text } from '../validation.ts';
import { postAnswer } from './answers.ts';
import { InteractionType, type Acknowledgement, type Interaction } from './interaction.ts';
import { modalSchema } from './modal-form.ts';

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
