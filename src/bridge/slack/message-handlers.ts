import type { ReadSaid } from '../commands/adapters/mention-command.ts';
import type { IncomingMessage, Receiver, Thread, ThreadAddress } from '../conversation/ports.ts';
import type { Identity } from './identity.ts';
import {
  isOfBot,
  type MessageChange,
  parseMessageChange,
  parseMessageEvent,
  toIncomingMessage,
  type WrittenMessage,
} from './incoming-message.ts';
import type { People } from './people.ts';

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
   * @throws {Error} when a message could not be stored
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

  function handleChange(change: MessageChange): void {
    if (change.kind === 'removed') {
      void receiver()?.removed(placeOf(change.channel, change.id));
      return;
    }
    const { message } = change;
    const place = placeOf(message.channel, message.ts);
    const sentAt = Number(message.ts) * 1000;
    void receiver()?.edited({ ...place, sentAt, read: () => toMessage(message) });
  }

  async function handleEvent(event: unknown): Promise<void> {
    const written = parseMessageEvent(event, identity());
    if (written) {
      const place = placeOf(written.channel, written.ts);
      return receiver()?.received({ ...place, event, read: () => toMessage(written) });
    }
    const change = parseMessageChange(event, identity());
    if (change) handleChange(change);
  }

  return {
    async handle(body) {
      const event = findMessageEvent(body);
      if (event && !isOfBot(event)) await handleEvent(event);
      return event !== undefined;
    },
    async read(event) {
      const written = parseMessageEvent(event, identity());
      return written && toMessage(written);
    },
  };
}

/** Without a schema: most events are the bot's own edits, and each is long. */
function findMessageEvent(body: unknown): Record<string, unknown> | undefined {
  const { event } = Object(body) as { event?: unknown };
  const { type } = Object(event) as { type?: unknown };
  return messageTypes.has(type) ? (event as Record<string, unknown>) : undefined;
}
