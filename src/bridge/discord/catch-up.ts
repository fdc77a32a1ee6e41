import {
  ChannelType,
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayReadyDispatchData,
  type Guild,
  type GuildTextBasedChannel,
  type Message,
  PermissionFlagsBits,
} from 'discord.js';
import type { Queue } from '../../shared/primitives/queue.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import { withLease } from '../conversation/leases.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { DiscordContext } from './context.ts';
import { createDirectChannels } from './direct-channels.ts';
import { discordErrorCode, ErrorCode } from './errors.ts';
import { createMissedMessages, type Missed } from './missed-messages.ts';
import { idsOf, type Layout, scopeOf } from './layout.ts';
import { withoutAnswered } from './own-replies.ts';
import { createWatermark, type Hold, snowflakeAt, type Watermark } from './watermark.ts';

/** What catching up remembers across restarts, and how far it goes back. */
export interface CatchUpSettings {
  /** How far messages were handled, per application, shard and number of shards. */
  watermarks: KeyedStore<string>;
  /** The channels of direct messages. */
  directChannels: KeyedStore<string>;
  /** Older messages are not read; 0 switches catching up off. */
  maxAgeMs: number;
  /** When the data was restored from a backup, in ms since the epoch: older messages are not read. */
  restoredAt?: number;
  now?: () => number;
}

/** Reads the messages that were sent while the bot had no session at the gateway. */
export interface CatchUp {
  /** Prepares for shards that are about to connect. Never rejects. */
  open(shards: readonly number[], layout: Layout): Promise<void>;
  /** A shard is another process’s now. */
  leave(shard: number): void;
  /** Catches up whenever the client gets a new session. */
  listen(client: Client, heard: Heard): void;
  /** Reads nothing more with a client that was closed. */
  stop(client: Client): void;
  /** Remembers a message as handled once the core has accepted it. */
  follow(message: Message, accepted: Promise<boolean>): Promise<void>;
  /** Stores once more how far messages were handled. */
  close(): Promise<void>;
}

interface Heard {
  /** Where a channel's events wait while older messages are read. */
  arrivals: Queue;
  /** Hands a message to the core. Resolves once the core has accepted it; with false if not. */
  hear(message: Message): Promise<boolean>;
}

/** What Discord answers about a channel of another bot. */
const notOurs = new Set<unknown>([ErrorCode.UnknownChannel, ErrorCode.MissingAccess]);

const maxParentWaitMs = 30_000;

const { ViewChannel, ReadMessageHistory } = PermissionFlagsBits;

export function createCatchUp(
  settings: CatchUpSettings,
  { leases, log, sleep, signal }: Pick<DiscordContext, 'leases' | 'log' | 'sleep' | 'signal'>,
): CatchUp {
  const { watermarks: store, maxAgeMs, restoredAt = 0, now = Date.now } = settings;
  /** By key: one for each shard that this process runs. */
  const watermarks = new Map<string, Watermark>();
  /** What ends the reading of each client. */
  const stops = new WeakMap<Client, AbortController>();
  let direct = createDirectChannels(settings.directChannels, [], log);
  let layout: Layout | undefined;

  async function open(shards: readonly number[], next: Layout): Promise<void> {
    layout = next;
    if (shards.length === 0) return;
    if (shards.includes(0) && !watermarkAt(0)) await readDirects();
    const stored = new Map(await readRows(store, log));
    for (const [key, { value }] of watermarks) stored.set(key, String(value()));
    const keys = idsOf(next).map(keyOf);
    for (const key of watermarks.keys()) if (!keys.includes(key)) drop(key);
    const before = findBefore(stored, next.application) ?? snowflakeAt(now());
    // All at once: a shard that another process opens later begins there as well.
    const isNew = keys.filter((key) => !stored.has(key));
    const begun = await Promise.all(isNew.map((key) => begin(key, String(before))));
    for (const [index, key] of isNew.entries()) stored.set(key, begun[index] ?? String(before));
    for (const shard of shards) {
      const key = keyOf(shard);
      const from = stored.get(key);
      // The watermark of a closed client may be held for ever.
      drop(key);
      watermarks.set(key, createWatermark({ store: fence(shard), key, stored: from, now, log }));
    }
  }

  async function readDirects(): Promise<void> {
    const known = await readRows(settings.directChannels, log);
    direct = createDirectChannels(settings.directChannels, known, log);
  }

  /** Resolves with what is stored now; undefined if the store is down. */
  async function begin(key: string, from: string): Promise<string | undefined> {
    try {
      return (await store.update(key, (known) => (isId(known) ? known : from))).after;
    } catch (error) {
      log.warn({ err: error }, 'how far messages were handled could not be stored');
      return undefined;
    }
  }

  /** Only the process that runs a shard says how far its messages were handled. */
  function fence(shard: number): Pick<KeyedStore<string>, 'set'> {
    const scope = scopeOf(shard, layout ?? { count: 1 });
    return {
      async set(key, value) {
        const lease = leases.leaseIn(scope);
        if (lease) await withLease(lease, async () => store.set(key, value));
      },
    };
  }

  function drop(key: string): void {
    void watermarks.get(key)?.close();
    watermarks.delete(key);
  }

  /** With one shard in all, the row is named as by Causeway 0.2.0. */
  function keyOf(shard: number): string {
    const { application = '', count = 1 } = layout ?? {};
    return `${application}:${shard}${count === 1 ? '' : `/${count}`}`;
  }

  const watermarkAt = (shard: number) => watermarks.get(keyOf(shard));
  const watermarkOf = (guild: Guild | null) => watermarkAt(guild?.shardId ?? 0);

  async function follow(message: Message, accepted: Promise<boolean>): Promise<void> {
    const { channelId, guild, guildId, id } = message;
    if (!guildId) direct.remember(channelId, id);
    await watermarkOf(guild)?.follow(BigInt(id), accepted);
  }

  /** Nothing is read from before the bot was a member. */
  function since(from: bigint, joinedAt = 0): bigint {
    const oldest = snowflakeAt(Math.max(now() - maxAgeMs, restoredAt, joinedAt));
    return from > oldest ? from : oldest;
  }

  function listen(client: Client, { arrivals, hear }: Heard): void {
    const stop = new AbortController();
    stops.set(client, stop);
    const stopped = AbortSignal.any([signal, stop.signal]);
    const missed = createMissedMessages({
      log,
      sleep,
      signal: stopped,
      arrivals,
      unanswered: (messages) => withoutAnswered(messages, log),
      hear: (message) => follow(message, hear(message)),
    });
    /** Before that, the library would refuse the bot's answers. */
    const ready = new Promise((resolve) => {
      client.once(Events.ClientReady, resolve);
    });
    /** The guilds that can't be heard now, each with what was handled before. */
    const unheard = new Map<string, Hold>();

    function lose(guild: string, watermark: Watermark | undefined): void {
      if (maxAgeMs > 0 && watermark && !unheard.has(guild)) unheard.set(guild, watermark.hold());
    }

    /** Ends the hold once everything is read. If the client is closed first, the next one reads it. */
    async function finish(hold: Hold, watermark: Watermark, reads: Iterable<Promise<bigint>>) {
      try {
        for (const to of await Promise.all(reads)) watermark.reach(to);
      } catch {
        return;
      }
      hold.release();
    }

    /** Threads are read after their channel, which may hold the question that opened them. */
    async function catchUpGuild(guild: Guild, watermark = watermarkOf(guild)): Promise<void> {
      const hold = unheard.get(guild.id);
      if (!hold || !watermark) return;
      unheard.delete(guild.id);
      const after = since(hold.from, guild.joinedTimestamp);
      const reads = new Map<string, Promise<bigint>>();
      for (const channel of readableChannels(guild)) {
        const to = BigInt(channel.lastMessageId ?? 0);
        if (to <= after) continue;
        const parent = reads.get(channel.parentId ?? '');
        const first = () => Promise.all([ready, parent && withinWait(parent)]);
        const find = async () => ({ channel, after, to });
        reads.set(channel.id, missed.read(channel.id, find, first));
      }
      await finish(hold, watermark, reads.values());
    }

    /** Limited, because later messages of the thread wait as well. */
    function withinWait(parent: Promise<unknown>): Promise<unknown> {
      return Promise.race([parent, sleep(maxParentWaitMs, stopped)]);
    }

    /** Discord does not list direct messages, so each known channel is asked for its newest one. */
    async function catchUpDirects(watermark: Watermark): Promise<void> {
      const hold = watermark.hold();
      const after = since(hold.from);
      const read = (id: string) =>
        missed.read(
          id,
          () => findDirect(id, after),
          () => ready,
        );
      await finish(hold, watermark, direct.ids().map(read));
    }

    async function findDirect(id: string, after: bigint): Promise<Missed | undefined> {
      try {
        const channel = await client.channels.fetch(id, { force: true });
        if (channel?.type !== ChannelType.DM) return undefined;
        return { channel, after, to: BigInt(channel.lastMessageId ?? 0) };
      } catch (error) {
        if (notOurs.has(discordErrorCode(error))) direct.forget(id);
        throw error;
      }
    }

    client.ws.on(GatewayDispatchEvents.Ready, ({ guilds }: GatewayReadyDispatchData, shard) => {
      const watermark = watermarkAt(shard);
      for (const { id } of guilds) lose(id, watermark);
      if (shard === 0 && watermark && maxAgeMs > 0) void catchUpDirects(watermark);
    });
    client.on(Events.GuildUnavailable, (guild) => lose(guild.id, watermarkOf(guild)));
    client.on(Events.GuildAvailable, (guild) => {
      catchUpGuild(guild).catch((error: unknown) =>
        log.error({ err: error, guild: guild.id }, 'messages of a server may have been missed'),
      );
    });
    client.on(Events.GuildDelete, ({ id }) => {
      unheard.get(id)?.release();
      unheard.delete(id);
    });
  }

  return {
    open,
    leave: (shard) => drop(keyOf(shard)),
    listen,
    stop: (client) => stops.get(client)?.abort(),
    follow,
    async close() {
      await Promise.all([...watermarks.values()].map((watermark) => watermark.close()));
    },
  };
}

/**
 * The lowest watermark of the rows that have the newest row's number of shards. After that number changes,
 * a server may be on a shard whose watermark is ahead of its former shard's.
 */
function findBefore(stored: Map<string, string>, application: string): bigint | undefined {
  const rows = [...stored]
    .filter(([key]) => key.startsWith(`${application}:`))
    .map(([key, id]) => ({ count: key.split('/')[1], id: BigInt(id) }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return rows.find(({ count }) => count === rows.at(-1)?.count)?.id;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value);
}

/** The snowflakes in a store. If it can't be read, there are none: new messages are still heard. */
async function readRows(store: KeyedStore<unknown>, log: Log): Promise<[string, string][]> {
  const rows: [string, string][] = [];
  try {
    for await (const [key, value] of store.entries()) {
      if (isId(value)) rows.push([key, value]);
      else log.error({ key }, 'a stored id is unreadable');
    }
  } catch (error) {
    log.error({ err: error }, 'the messages missed before this start are unknown');
  }
  return rows;
}

/** The channels and active threads whose messages the bot may read, channels first. */
function readableChannels({ channels, client }: Guild): GuildTextBasedChannel[] {
  const readable = [...channels.cache.values()].filter(
    (channel): channel is GuildTextBasedChannel =>
      channel.isTextBased() &&
      channel.permissionsFor(client.user)?.has([ViewChannel, ReadMessageHistory]) === true,
  );
  return readable.toSorted((one, other) => Number(one.isThread()) - Number(other.isThread()));
}
