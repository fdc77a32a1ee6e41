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

/** A command as Discord identifies it; the token answers it for 15 minutes. */
export interface InteractionHandle {
  id: string;
  applicationId: string;
  token: string;
}

/**
 * Tells Discord, which waits three seconds, that an answer will come, and resolves with the way to
 * give it. `isPrivate`: only whoever used the command sees the answer.
 * docs.discord.com/developers/interactions/receiving-and-responding
 * @throws {PlatformError} `uneditable` when it came too late
 */
export async function acknowledge(
  rest: REST,
  interaction: InteractionHandle,
  isPrivate: boolean,
): Promise<MessageTarget> {
  const flags = isPrivate ? MessageFlags.Ephemeral : 0;
  const type = InteractionResponseType.DeferredChannelMessageWithSource;
  await callBack(rest, interaction, { type, data: { flags } });
  return createInteractionOutlet(rest, interaction, { flags, promised: true });
}

/**
 * Tells Discord that a press of a button was heard, and resolves with the way to say something to
 * whoever pressed; nothing need be said.
 * @throws {PlatformError} `uneditable` when it came too late
 */
export async function acknowledgePress(
  rest: REST,
  interaction: InteractionHandle,
): Promise<MessageTarget> {
  await callBack(rest, interaction, { type: InteractionResponseType.DeferredMessageUpdate });
  return createInteractionOutlet(rest, interaction, {
    flags: MessageFlags.Ephemeral,
    promised: false,
  });
}

/**
 * Tells Discord that a press of a button was heard, and resolves with the way to put something in
 * place of the message that the button stands below.
 * @throws {PlatformError} as above
 */
export async function acknowledgeReplacing(
  rest: REST,
  interaction: InteractionHandle,
): Promise<MessageTarget> {
  await callBack(rest, interaction, { type: InteractionResponseType.DeferredMessageUpdate });
  return createInteractionOutlet(rest, interaction, {
    flags: MessageFlags.Ephemeral,
    promised: true,
  });
}

async function callBack(
  rest: REST,
  { id, token }: InteractionHandle,
  body: { type: InteractionResponseType; data?: { flags: number } },
): Promise<void> {
  try {
    await rest.post(Routes.interactionCallback(id, token), { body, auth: false });
  } catch (error) {
    // Where the answer to the first try got lost, the library's second one is refused.
    if (discordErrorCode(error) !== ErrorCode.AlreadyAcknowledged) throw toPlatformError(error);
  }
}

/** Where an answer was promised, the first text takes the place of "thinking…"; others follow. */
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
