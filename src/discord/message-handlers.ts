import { type Client, Events, type Message, type PartialMessage } from 'discord.js';
import type { Log, Receiver } from '../conversation/ports.ts';
import { beginInOrder, createQueue } from '../primitives/queue.ts';
import { toPlatformError } from './errors.ts';
import {
  type OpenThread,
  type ReadCommand,
  readEdit,
  toIncomingMessage,
  toRemovedMessage,
} from './incoming-message.ts';
import type { Permissions } from './permissions.ts';

/** What message handlers need from the rest of the adapter. */
export interface MessageHandlerOptions {
  permissions: Permissions;
  openThread: OpenThread;
  readCommand: ReadCommand;
  receiver: () => Receiver | undefined;
  log: Log;
}

/** Reports messages, edits and deletions to the core, in order per channel. */
export function handleMessages(client: Client, options: MessageHandlerOptions): void {
  const { receiver, log } = options;
  const order = createQueue();

  async function tell(what: 'message' | 'edited', written: Message | undefined) {
    const message = written && (await toIncomingMessage(written, options));
    return () => (message ? receiver()?.[what](message) : undefined);
  }

  /**
   * Finding a thread's channel may take a call: the core still gets messages in order of arrival.
   */
  function handle(
    { channelId }: Message | PartialMessage,
    prepare: () => Promise<() => Promise<void> | undefined>,
  ): void {
    beginInOrder(order, channelId, prepare).catch((error: unknown) =>
      log.error({ err: toPlatformError(error) }, 'a message from Discord was not read'),
    );
  }

  function remove(message: Message | PartialMessage): void {
    handle(message, async () => () => receiver()?.removed(toRemovedMessage(message)));
  }

  client.on(Events.MessageCreate, (message) => handle(message, () => tell('message', message)));
  client.on(Events.MessageUpdate, (_, changed) =>
    handle(changed, async () => tell('edited', await readEdit(changed))),
  );
  client.on(Events.MessageDelete, remove);
  client.on(Events.MessageBulkDelete, (messages) => messages.forEach(remove));
}
