import type { Delivery, Platform } from '../conversation/platform.ts';
import type { MessageAddress } from '../conversation/address.ts';
import {
  isOfBot,
  isOverheardBy,
  type MessageChange,
  parseBotMessage,
  parseMessageChange,
  parseMessageEvent,
  toIncomingMessage,
  type WrittenMessage,
} from './incoming-message.ts';
import type { SlackWorkspace, Workspaces } from './workspace.ts';

/** Reports messages, edits and deletions to the core. */
export interface MessageHandlers {
  /**
   * Handles the body of an event that is not acknowledged yet. Resolves with whether it was about a
   * message.
   * @throws {Error} when it could not be stored
   */
  handle(body: object): Promise<boolean>;
  /** Reads a message from its event, as `Platform.read` does. */
  read: Platform['read'];
}

const messageTypes = new Set<unknown>(['message', 'app_mention']);

export function createMessageHandlers(workspaces: Workspaces): MessageHandlers {
  return {
    async handle(body) {
      const event = findMessageEvent(body);
      // Slack reports every edit of the bot's own replies.
      const isDropped = !event || (isOfBot(event) && event.message !== undefined);
      const workspace = isDropped ? undefined : await workspaces.answering(body);
      if (workspace && !isDropped) await handleEvent(event, workspace);
      return event !== undefined;
    },
    async read(event, { workspace: id }) {
      const workspace = workspaces.at(id);
      const written =
        parseMessageEvent(event, workspace.identity()) ??
        parseBotMessage(event, workspace.identity()) ??
        readEdited(event, workspace);
      return written && toIncomingMessage(written, workspace);
    },
  };
}

async function handleEvent(
  event: Record<string, unknown>,
  workspace: SlackWorkspace,
): Promise<void> {
  const { identity, receiver } = workspace;
  const parse = isOfBot(event) ? parseBotMessage : parseMessageEvent;
  const written = parse(event, identity());
  if (written) return receiver()?.received(toDelivery(written, event, workspace));
  const change = isOfBot(event) ? undefined : parseMessageChange(event, identity());
  if (change) await handleChange(change, event, workspace);
}

async function handleChange(
  change: MessageChange,
  event: unknown,
  workspace: SlackWorkspace,
): Promise<void> {
  const receiver = workspace.receiver();
  if (change.kind === 'removed') {
    return receiver?.removed(placeOf(change.channel, change.id, workspace));
  }
  const { message, editedAt } = change;
  const sentAt = Number(message.ts) * 1000;
  await receiver?.edited({ ...toDelivery(message, event, workspace), sentAt, version: editedAt });
}

function toDelivery(message: WrittenMessage, event: unknown, workspace: SlackWorkspace): Delivery {
  const place = placeOf(message.channel, message.ts, workspace);
  const isOverheard = isOverheardBy(message, workspace.identity().userId);
  const thread = message.thread_ts ?? message.ts;
  return { ...place, thread, event, isOverheard, bot: message.bot?.ids };
}

function placeOf(channel: string, id: string, { identity }: SlackWorkspace): MessageAddress {
  return { platform: 'slack', workspace: identity().teamId, channel, id };
}

function readEdited(event: unknown, { identity }: SlackWorkspace): WrittenMessage | undefined {
  const change = parseMessageChange(event, identity());
  return change?.kind === 'edited' ? change.message : undefined;
}

/** Does without a schema, because most events are the bot's own edits, and they are long. */
function findMessageEvent(body: object): Record<string, unknown> | undefined {
  const { event } = body as { event?: unknown };
  const { type } = Object(event) as { type?: unknown };
  return messageTypes.has(type) ? (event as Record<string, unknown>) : undefined;
}
