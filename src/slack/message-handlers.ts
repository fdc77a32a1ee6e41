import type { App } from '@slack/bolt';
import type { Receiver, Thread, ThreadAddress } from '../conversation/ports.ts';
import { beginInOrder, createQueue } from '../primitives/queue.ts';
import {
  parseMessageEvent,
  type ReadCommand,
  toIncomingMessage,
  type WrittenMessage,
  type MessageChange,
  parseMessageChange,
} from './incoming-message.ts';
import type { Identity } from './identity.ts';
import type { People } from './people.ts';

/** What message handlers need from the rest of the adapter. */
export interface MessageHandlerOptions {
  identity: () => Identity;
  people: People;
  addressOf: (channel: string, thread: string) => ThreadAddress;
  openThread: (channel: string, thread: string) => Thread;
  readCommand: ReadCommand;
  receiver: () => Receiver | undefined;
}

/** Reports messages, edits and deletions to the core, in order per channel. */
export function handleMessages(app: App, options: MessageHandlerOptions): void {
  const { identity, people, addressOf, openThread, readCommand, receiver } = options;
  const order = createQueue();

  async function handle(event: unknown): Promise<void> {
    const written = parseMessageEvent(event, identity());
    if (written) return tell(written, 'message');
    const change = parseMessageChange(event, identity());
    if (change) await handleChange(change);
  }

  function handleChange(change: MessageChange): Promise<void> {
    if (change.kind === 'edited') return tell(change.message, 'edited');
    const { channel, id } = change;
    const { platform, workspace } = addressOf(channel, id);
    return beginInOrder(
      order,
      channel,
      async () => () => receiver()?.removed({ platform, workspace, channel, id }),
    );
  }

  /** Name look-ups may be slow: the core still gets messages in order of arrival. */
  function tell(written: WrittenMessage, what: 'message' | 'edited'): Promise<void> {
    return beginInOrder(order, written.channel, async () => {
      const message = await toIncomingMessage(written, {
        identity: identity(),
        people,
        openThread,
        readCommand,
      });
      return () => receiver()?.[what](message);
    });
  }

  app.event('app_mention', ({ event }) => handle(event));
  app.event('message', ({ event }) => handle(event));
}
