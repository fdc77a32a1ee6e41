import type { Receiver as BoltReceiver, ReceiverEvent } from '@slack/bolt';
import type { Delivery, Platform } from '../conversation/platform.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { MessageAddress } from '../conversation/address.ts';
import {
  isOfBot,
  isOverheardBy,
  type MessageChange,
  parseMessageChange,
  parseMessageEvent,
  toIncomingMessage,
  type WrittenMessage,
} from './incoming-message.ts';
import { withProcessEvent } from './library-patches.ts';
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
      const workspace = event && !isOfBot(event) ? await workspaces.answering(body) : undefined;
      if (workspace) await handleEvent(event, workspace);
      return event !== undefined;
    },
    async read(event, { workspace: id }) {
      const workspace = workspaces.at(id);
      const written =
        parseMessageEvent(event, workspace.identity()) ?? readEdited(event, workspace);
      return written && toIncomingMessage(written, workspace);
    },
  };
}

async function handleEvent(event: unknown, workspace: SlackWorkspace): Promise<void> {
  const { identity, receiver } = workspace;
  const written = parseMessageEvent(event, identity());
  if (written) return receiver()?.received(toDelivery(written, event, workspace));
  const change = parseMessageChange(event, identity());
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
  return { ...place, thread: message.thread_ts ?? message.ts, event, isOverheard };
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

const tooManyEvents =
  'Slack holds back events for a minute: there are more than 30,000 an hour in the workspace';

/** A receiver whose events are handled before Bolt acknowledges them. */
export interface EarlyReceiver extends BoltReceiver {
  /** Resolves once no event is being handled. */
  idle(): Promise<void>;
}

/**
 * Bolt acknowledges events before it runs listeners, so a crash in between would lose them. This
 * hands each event's body to `handle` first, over Socket Mode and HTTP alike. If `handle` rejects,
 * the event is not acknowledged, and Slack delivers it again
 * (docs.slack.dev/apis/events-api#error-handling). Events that `handle` has handled do not reach
 * Bolt's listeners.
 */
export function handleBeforeAck(
  receiver: BoltReceiver,
  handle: (body: ReceiverEvent['body']) => Promise<boolean>,
  log: Pick<Log, 'warn'>,
): EarlyReceiver {
  const running = new Set<Promise<boolean>>();

  return {
    init(app) {
      const early = withProcessEvent(app, async (event) => {
        const handled = handle(event.body);
        running.add(handled);
        try {
          if (await handled) return await event.ack();
        } finally {
          running.delete(handled);
        }
        await acknowledgeUnheard(event, (heard) => app.processEvent(heard));
        if (event.body['type'] === 'app_rate_limited') log.warn({}, tooManyEvents);
      });
      receiver.init(early);
    },
    start: (...given) => receiver.start(...(given as [])),
    stop: (...given) => receiver.stop(...(given as [])),
    async idle() {
      await Promise.allSettled(running);
    },
  };
}

/**
 * Acknowledges at once what has no listener, such as a button of an older version: over HTTP, Bolt
 * would answer 404 after three seconds, and the person would see an error. Events are left to Bolt,
 * except that it doesn't know `app_rate_limited` (docs.slack.dev/reference/events/app_rate_limited).
 */
async function acknowledgeUnheard(
  event: ReceiverEvent,
  process: (event: ReceiverEvent) => Promise<void>,
): Promise<void> {
  const { body } = event;
  let isAcknowledged = false;
  const ack: ReceiverEvent['ack'] = (response) => {
    isAcknowledged = true;
    return event.ack(response);
  };
  if (body['type'] !== 'app_rate_limited') await process({ ...event, ack });
  if (!isAcknowledged && body['type'] !== 'event_callback') await ack();
}
