import {
  type APIMessage,
  InteractionResponseType,
  MessageFlags,
  type REST,
  Routes,
} from 'discord.js';
import { discordErrorCode, ErrorCode, toPlatformError } from './errors.ts';
import { encodeFile } from './encode-file.ts';
import { messageBody, type MessagePart } from './message.ts';
import type { MessageTarget } from './result-target.ts';

/** How Discord identifies an interaction; its token is valid for 15 minutes. */
export interface InteractionHandle {
  id: string;
  applicationId: string;
  token: string;
  channelId: string | null;
}

/**
 * Acknowledges a command, for which Discord allows three seconds, and resolves with the target for
 * its answer. With `isPrivate`, only the person who used the command sees the answer.
 * docs.discord.com/developers/interactions/receiving-and-responding
 * @throws {PlatformError} `uneditable` when it is too late
 */
export async function acknowledge(
  rest: REST,
  interaction: InteractionHandle,
  isPrivate: boolean,
): Promise<MessageTarget> {
  const flags = isPrivate ? MessageFlags.Ephemeral : 0;
  const type = InteractionResponseType.DeferredChannelMessageWithSource;
  await callBack(rest, interaction, { type, data: { flags } });
  const outlet = createInteractionOutlet(rest, interaction, { flags, promised: true });
  // Unlike what one person alone sees, it is a message like others: github.com/discord/discord-api-docs/issues/3090
  return isPrivate ? outlet : { ...outlet, channel: interaction.channelId ?? undefined };
}

/** Where the answer to a button press can be shown. */
export interface PressTargets {
  /** Below the button's message, only to the person who pressed. */
  beside: MessageTarget;
  /** In place of the button's message. */
  inPlace: MessageTarget;
}

/**
 * Acknowledges a button press, for which Discord allows three seconds, and resolves with the targets
 * for an optional answer.
 * @throws {PlatformError} `uneditable` when it is too late
 */
export async function acknowledgePress(
  rest: REST,
  interaction: InteractionHandle,
): Promise<PressTargets> {
  await callBack(rest, interaction, { type: InteractionResponseType.DeferredMessageUpdate });
  const flags = MessageFlags.Ephemeral;
  return {
    beside: createInteractionOutlet(rest, interaction, { flags, promised: false }),
    inPlace: createInteractionOutlet(rest, interaction, { flags, promised: true }),
  };
}

/** The target for what follows a form, which is the answer itself: only its person sees it. */
export function afterForm(rest: REST, interaction: InteractionHandle): MessageTarget {
  const flags = MessageFlags.Ephemeral;
  return createInteractionOutlet(rest, interaction, { flags, promised: false });
}

async function callBack(
  rest: REST,
  { id, token }: InteractionHandle,
  body: { type: InteractionResponseType; data?: { flags: number } },
): Promise<void> {
  try {
    await rest.post(Routes.interactionCallback(id, token), { body, auth: false });
  } catch (error) {
    // If the response to the first try was lost, Discord refuses the library's retry.
    if (discordErrorCode(error) !== ErrorCode.AlreadyAcknowledged) throw toPlatformError(error);
  }
}

/** After a deferred answer, the first text replaces "thinking…"; others are follow-ups. */
function createInteractionOutlet(
  rest: REST,
  { applicationId, token }: InteractionHandle,
  { flags, promised }: { flags: number; promised: boolean },
): MessageTarget {
  const auth = false;
  let isFirst = promised;

  async function edit(id: string, part: MessagePart): Promise<string> {
    const route = Routes.webhookMessage(applicationId, token, id);
    try {
      const message = await rest.patch(route, { body: messageBody(part), auth });
      return (message as APIMessage).id;
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  async function follow(part: MessagePart): Promise<string> {
    const body = messageBody(part);
    const route = Routes.webhook(applicationId, token);
    try {
      const message = await rest.post(route, {
        body: { ...body, flags: body.flags | flags },
        auth,
      });
      return (message as APIMessage).id;
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  return {
    async post(part) {
      const id = await (isFirst ? edit('@original', part) : follow(part));
      isFirst = false;
      return id;
    },
    async edit(id, part) {
      await edit(id, part);
    },
    async remove(id) {
      try {
        await rest.delete(Routes.webhookMessage(applicationId, token, id), { auth });
      } catch (error) {
        throw toPlatformError(error);
      }
    },
    async postFile(file) {
      const body = messageBody({ text: '' });
      const form = await encodeFile(file, { ...body, flags: body.flags | flags });
      try {
        await rest.post(Routes.webhook(applicationId, token), { ...form, auth });
      } catch (error) {
        throw toPlatformError(error);
      }
    },
  };
}
