import {
  type APIMessage,
  type APIModalInteractionResponseCallbackData,
  InteractionResponseType,
  MessageFlags,
  type REST,
  Routes,
} from 'discord.js';
import { inSteps } from '../../shared/primitives/time.ts';
import { isClosed, type ResultTarget } from '../commands/adapters/show-results.ts';
import type { Result } from '../commands/invocation.ts';
import { createSplitter } from '../conversation/markdown/split-markdown.ts';
import type { TextFile } from '../conversation/thread.ts';
import { discordErrorCode, ErrorCode, orPlatformError, toPlatformError } from './errors.ts';
import { encodeFile } from './files.ts';
import { messageBody, type MessagePart, textLimits } from './message.ts';
import { renderMarkdown, showMoments } from './render.ts';
import type { Writer } from './writer.ts';

/** Where texts are shown. All methods throw PlatformError. */
export interface MessageTarget {
  /** The channel, if the bot can edit the messages there at any later time. */
  readonly channel?: string;
  /** Resolves with the message's id. */
  post(part: MessagePart): Promise<string>;
  edit(id: string, part: MessagePart): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes what stands where the first text would be, such as “thinking…”. */
  abandon?(): Promise<void>;
  postFile(file: TextFile): Promise<void>;
  /** Why it is here, below each text. */
  note?: string;
}

/** Discord refuses more frequent edits; it documents no figure. */
const minEditIntervalMs = 1_000;

/**
 * Shows results with the first target that is still open, in as many messages as needed. A
 * command's own answer closes after 15 minutes.
 */
export function createResultTarget(
  targets: readonly [MessageTarget, ...MessageTarget[]],
): ResultTarget {
  let [target, ...further] = targets;
  let shown: { id: string; part: MessagePart }[] = [];

  async function write(parts: MessagePart[]): Promise<void> {
    for (const [index, part] of parts.entries()) {
      const known = shown[index];
      if (!known) shown.push({ id: await target.post(part), part });
      else if (!isSame(known.part, part)) {
        await target.edit(known.id, part);
        known.part = part;
      }
    }
    for (const { id } of shown.splice(parts.length)) await target.remove(id);
  }

  return {
    async show(result) {
      for (;;) {
        try {
          await write(await toParts(result, target.note));
          for (const file of result.files ?? []) await target.postFile(file);
          return;
        } catch (error) {
          const [next, ...rest] = further;
          if (!next || !isClosed(error)) throw error;
          target = next;
          further = rest;
          shown = [];
        }
      }
    },
    minIntervalMs: () => minEditIntervalMs,
    messages: () =>
      target.channel === undefined
        ? undefined
        : { channel: target.channel, messages: shown.map(({ id }) => id) },
    async clear() {
      for (const { id } of shown.splice(0)) await target.remove(id);
      await target.abandon?.();
    },
  };
}

/** The messages of a result, with its buttons below the last one. */
async function toParts({ markdown, buttons = [] }: Result, note?: string): Promise<MessagePart[]> {
  const whole = [markdown, note && `*${note}*`].filter(Boolean).join('\n\n');
  const pieces = await inSteps(createSplitter(textLimits)(whole));
  const texts = pieces.map((text) => showMoments(renderMarkdown(text)));
  return texts.map((text, index) =>
    index === texts.length - 1 ? { text, commandButtons: buttons } : { text },
  );
}

function isSame(a: MessagePart, b: MessagePart): boolean {
  const buttons = (a.commandButtons?.length ?? 0) + (b.commandButtons?.length ?? 0);
  return a.text === b.text && buttons === 0;
}

/** Ordinary messages in a channel; with `replyTo`, as a reply to that message. */
export function createChannelTarget(
  writer: Writer,
  channel: string,
  replyTo?: string,
): MessageTarget {
  return {
    channel,
    post: (part) => writer.post(channel, part, { replyTo }),
    edit: (id, part) => writer.edit(channel, id, part),
    remove: (id) => writer.remove(channel, id),
    postFile: (file) => writer.postFile(channel, file),
  };
}

/** Direct messages to a person, with a note that says why. */
export function createDirectMessageTarget(
  writer: Writer,
  person: string,
  note?: string,
): MessageTarget {
  let channel: string | undefined;

  async function direct(): Promise<MessageTarget> {
    channel ??= await writer.openDirect(person);
    return createChannelTarget(writer, channel);
  }

  return {
    note,
    post: async (part) => (await direct()).post(part),
    edit: async (id, part) => (await direct()).edit(id, part),
    remove: async (id) => (await direct()).remove(id),
    postFile: async (file) => (await direct()).postFile(file),
  };
}

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
  await respond(rest, interaction, { type, data: { flags } });
  const outlet = createInteractionOutlet(rest, interaction, { flags, promised: true });
  // Unlike an ephemeral message, it is an ordinary one: github.com/discord/discord-api-docs/issues/3090
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
 * Acknowledges a button press, for which Discord allows three seconds, by opening the modal if there
 * is one; resolves with the targets for an optional answer.
 * @throws {PlatformError} `uneditable` when it is too late
 */
export async function acknowledgePress(
  rest: REST,
  interaction: InteractionHandle,
  modal?: APIModalInteractionResponseCallbackData,
): Promise<PressTargets> {
  const { Modal, DeferredMessageUpdate } = InteractionResponseType;
  const body = modal ? { type: Modal, data: modal } : { type: DeferredMessageUpdate };
  await respond(rest, interaction, body);
  const flags = MessageFlags.Ephemeral;
  return {
    beside: createInteractionOutlet(rest, interaction, { flags, promised: false }),
    inPlace: createInteractionOutlet(rest, interaction, { flags, promised: true }),
  };
}

/** What follows an answer, such as a modal: only its person sees it. */
export function createWhisper(rest: REST, interaction: InteractionHandle): MessageTarget {
  const flags = MessageFlags.Ephemeral;
  return createInteractionOutlet(rest, interaction, { flags, promised: false });
}

/**
 * Responds to an interaction.
 * @throws {PlatformError} `uneditable` when it is too late
 */
export async function respond(
  rest: REST,
  { id, token }: Pick<InteractionHandle, 'id' | 'token'>,
  body: { type: InteractionResponseType; data?: object },
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
    const message = await orPlatformError(rest.patch(route, { body: messageBody(part), auth }));
    return (message as APIMessage).id;
  }

  async function remove(id: string): Promise<void> {
    const route = Routes.webhookMessage(applicationId, token, id);
    await orPlatformError(rest.delete(route, { auth }));
  }

  async function follow(part: MessagePart): Promise<string> {
    const message = messageBody(part);
    const body = { ...message, flags: message.flags | flags };
    const route = Routes.webhook(applicationId, token);
    const posted = await orPlatformError(rest.post(route, { body, auth }));
    return (posted as APIMessage).id;
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
    remove,
    async abandon() {
      if (isFirst) await remove('@original');
      isFirst = false;
    },
    async postFile(file) {
      const body = messageBody({ text: '' });
      const form = await encodeFile(file, { ...body, flags: body.flags | flags });
      const route = Routes.webhook(applicationId, token);
      await orPlatformError(rest.post(route, { ...form, auth }));
    },
  };
}
