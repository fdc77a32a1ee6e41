import type { Receiver as BoltReceiver, ReceiverEvent } from '@slack/bolt';
import type { ReadSaid } from '../commands/adapters/mention-command.ts';
import type { Delivery, IncomingMessage, Receiver } from '../conversation/platform.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Thread } from '../conversation/thread.ts';
import type { ThreadAddress } from '../conversation/address.ts';
import type { Identity } from './clients.ts';
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
import type { People } from './people.ts';
import { isReadable } from './readable-requests.ts';

/** What message handlers need from the rest of the adapter. */
export interface MessageHandlerOptions {
  identity: () => Identity;
  people: People;
  addressOf: (channel: string, thread: string) => ThreadAddress;
  openThread: (channel: string, thread: string) => Thread;
  readSaid: ReadSaid<WrittenMessage>;
  receiver: () => Receiver | undefined;
}

/** Reports messages, edits and deletions to the core. */
export interface MessageHandlers {
  /**
   * Handles the body of an event that is not acknowledged yet. Resolves with whether it was about a
   * message.
   * @throws {Error} when it could not be stored
   */
  handle(body: unknown): Promise<boolean>;
  /** Reads a message from its event. Undefined if there is nothing to act on. */
  read(event: unknown): Promise<IncomingMessage | undefined>;
}

const messageTypes = new Set<unknown>(['message', 'app_mention']);

export function createMessageHandlers(options: MessageHandlerOptions): MessageHandlers {
  const { identity, people, addressOf, openThread, readSaid, receiver } = options;

  const toMessage = (written: WrittenMessage) =>
    toIncomingMessage(written, { identity: identity(), people, openThread, readSaid });

  function placeOf(channel: string, id: string) {
    const { platform, workspace } = addressOf(channel, id);
    return { platform, workspace, channel, id };
  }

  function toDelivery(message: WrittenMessage, event: unknown): Delivery {
    const place = placeOf(message.channel, message.ts);
    const isOverheard = isOverheardBy(message, identity().userId);
    return { ...place, thread: message.thread_ts ?? message.ts, event, isOverheard };
  }

  async function handleChange(change: MessageChange, event: unknown): Promise<void> {
    if (change.kind === 'removed') return receiver()?.removed(placeOf(change.channel, change.id));
    const { message, editedAt } = change;
    const sentAt = Number(message.ts) * 1000;
    await receiver()?.edited({ ...toDelivery(message, event), sentAt, version: editedAt });
  }

  async function handleEvent(event: unknown): Promise<void> {
    const written = parseMessageEvent(event, identity());
    if (written) return receiver()?.received(toDelivery(written, event));
    const change = parseMessageChange(event, identity());
    if (change) await handleChange(change, event);
  }

  function readEdited(event: unknown): WrittenMessage | undefined {
    const change = parseMessageChange(event, identity());
    return change?.kind === 'edited' ? change.message : undefined;
  }

  return {
    async handle(body) {
      const event = findMessageEvent(body);
      if (event && !isOfBot(event)) await handleEvent(event);
      return event !== undefined;
    },
    async read(event) {
      const written = parseMessageEvent(event, identity()) ?? readEdited(event);
      return written && toMessage(written);
    },
  };
}

/** Does without a schema, because most events are the bot's own edits, and they are long. */
function findMessageEvent(body: unknown): Record<string, unknown> | undefined {
  const { event } = Object(body) as { event?: unknown };
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
 * Acknowledges at once what has no listener, such as a button of an older version, or lacks what
 * listeners need: over HTTP, Bolt would answer 404 after three seconds, or 500.
 */
async function acknowledgeUnheard(
  event: ReceiverEvent,
  process: (event: ReceiverEvent) => Promise<void>,
): Promise<void> {
  let isAcknowledged = false;
  const ack: ReceiverEvent['ack'] = (response) => {
    isAcknowledged = true;
    return event.ack(response);
  };
  if (isReadable(event.body)) await process({ ...event, ack });
  if (!isAcknowledged) await ack();
}
