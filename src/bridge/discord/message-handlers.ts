import {
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayMessageDeleteBulkDispatchData,
  type GatewayMessageUpdateDispatchData,
  type Message,
  type PartialMessage,
} from 'discord.js';
import { noWorkspace } from '../conversation/address.ts';
import type { Delivery } from '../conversation/platform.ts';
import { createQueue } from '../../shared/primitives/queue.ts';
import { growingWaitMs, retry } from '../../shared/primitives/retry.ts';
import type { CatchUp } from './catch-up.ts';
import type { DiscordContext } from './context.ts';
import { isDiscordRefusal, toPlatformError } from './errors.ts';
import {
  fetchMessage,
  findParent,
  isOverheard,
  readEdit,
  type StoredMessage,
  toMessageAddress,
} from './incoming-message.ts';
import { idsOfBot, isWritten } from './message-text.ts';

/** The waits between tries to hand something to the core. A full disk may take hours to get room. */
const maxWaitMs = 5 * 60_000;
const maxTries = 60;
/** So many tries take 15 s. What lasts longer may be wrong with one message only. */
const triesInOrder = 5;

/** Reports messages, edits and deletions to the core, in order per channel. */
export function handleMessages(
  client: Client,
  catchUp: CatchUp | undefined,
  discord: DiscordContext,
): void {
  const { recent, log, sleep, signal } = discord;
  const arrivals = createQueue();
  const order = createQueue();

  /** @throws {Error} when the core could not store the message */
  async function deliver(message: Message, isMissed: boolean): Promise<void> {
    const bot = idsOfBot(message);
    if (!bot && !isWritten(message)) return;
    await discord.receiver?.received({ ...(await toDelivery(message)), isMissed, bot });
  }

  /**
   * The message is kept for a while, so that it need not be fetched to be read. One that is delivered
   * again may have been edited meanwhile.
   */
  async function toDelivery(message: Message): Promise<Delivery> {
    const { channel, channelId, id } = message;
    const { editedTimestamp: known } = recent.peek(id) ?? {};
    if ((known ?? 0) <= (message.editedTimestamp ?? 0)) recent.set(id, message);
    const isApart = channel.isThread() || channel.isDMBased();
    return {
      ...(await toMessageAddress(message)),
      thread: isApart ? channelId : id,
      event: { channel: channelId, message: id } satisfies StoredMessage,
      isOverheard: isOverheard(message),
    };
  }

  /**
   * Whether a change is in a channel that the library does not know, and so drops: a direct message
   * after a restart, or a thread that was archived when the bot connected.
   */
  const isUnknown = (channelId: string) => !client.channels.cache.has(channelId);

  /**
   * Hands something to the core, in the order of its channel. Discord delivers it only once, so failures
   * are retried, unless the channel is gone. What follows waits for the first tries only. Resolves with
   * false if the core has not stored it when retries end.
   */
  async function hand(channelId: string, task: () => Promise<void>): Promise<boolean> {
    const wasKnown = !isUnknown(channelId);
    const isGone = (error: unknown) =>
      isDiscordRefusal(error) || (wasKnown && isUnknown(channelId));
    const upTo = (tries: number) => ({
      waitMs: (error: unknown, failures: number) => {
        logUnread(error);
        if (isGone(error) || failures >= tries) return undefined;
        return growingWaitMs(failures, { maxMs: maxWaitMs });
      },
      sleep,
      signal,
    });
    try {
      await order
        .run(channelId, () => retry(task, upTo(triesInOrder)))
        .catch((error: unknown) => {
          if (isGone(error) || signal.aborted) throw error;
          return retry(() => order.run(channelId, task), upTo(maxTries));
        });
      return true;
    } catch (error) {
      return isGone(error);
    }
  }

  const hear = (message: Message, isMissed = false) =>
    hand(message.channelId, () => deliver(message, isMissed));

  async function hearEdit(changed: Message | PartialMessage): Promise<void> {
    const message = await readEdit(changed);
    if (!message || !isWritten(message)) return;
    await discord.receiver?.edited({
      ...(await toDelivery(message)),
      sentAt: message.createdTimestamp,
      version: String(message.editedTimestamp),
    });
  }

  async function hearRemoval(message: Message | PartialMessage): Promise<void> {
    recent.delete(message.id);
    await discord.receiver?.removed(await toMessageAddress(message));
  }

  function hearUnknownEdit(data: GatewayMessageUpdateDispatchData): void {
    const { channel_id: channelId, id, edited_timestamp: edited, author } = data;
    if (!isUnknown(channelId) || !edited || author.bot) return;
    arriveInOrder({ channelId }, async () => {
      const message = await fetchMessage(client, { channel: channelId, message: id });
      if (message) await hearEdit(message);
    });
  }

  function hearUnknownRemovals({
    guild_id: server,
    channel_id: channelId,
    ids,
  }: GatewayMessageDeleteBulkDispatchData): void {
    if (!isUnknown(channelId)) return;
    for (const id of ids) {
      arriveInOrder({ channelId }, async () => {
        const channel = (server && (await findParent(client, channelId))) || channelId;
        const workspace = server ?? noWorkspace;
        await discord.receiver?.removed({ platform: 'discord', workspace, channel, id });
      });
    }
  }

  function logUnread(error: unknown): void {
    log.error({ err: toPlatformError(error) }, 'a message from Discord could not be read');
  }

  /** Begins a task once the channel's missed messages have been handed over. */
  function arrive({ channelId }: Pick<Message, 'channelId'>, begin: () => Promise<unknown>): void {
    void arrivals.run(channelId, async () => void begin());
  }

  /** Keeps changes in order although looking up a thread's channel may take a call. */
  function arriveInOrder(message: Pick<Message, 'channelId'>, task: () => Promise<void>): void {
    arrive(message, () => hand(message.channelId, task));
  }

  const remove = (message: Message | PartialMessage) =>
    arriveInOrder(message, () => hearRemoval(message));

  catchUp?.listen(client, { arrivals, hear: (message) => hear(message, true) });
  client.on(Events.MessageCreate, (message) =>
    arrive(message, async () => {
      const accepted = hear(message);
      await catchUp?.follow(message, accepted);
    }),
  );
  client.on(Events.MessageUpdate, (_, changed) => arriveInOrder(changed, () => hearEdit(changed)));
  client.on(Events.MessageDelete, remove);
  client.on(Events.MessageBulkDelete, (messages) => messages.forEach(remove));
  client.ws.on(GatewayDispatchEvents.MessageUpdate, hearUnknownEdit);
  client.ws.on(GatewayDispatchEvents.MessageDelete, ({ id, ...place }) =>
    hearUnknownRemovals({ ...place, ids: [id] }),
  );
  client.ws.on(GatewayDispatchEvents.MessageDeleteBulk, hearUnknownRemovals);
}
