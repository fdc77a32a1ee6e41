/** A shard's number, from 0, and how many shards the bot has: each gets the events of its servers. */
export type Shard = readonly [shard: number, count: number];

/**
 * Whether a server belongs to a shard. Direct messages, which have none, belong to shard 0.
 * https://docs.discord.com/developers/events/gateway#sharding
 */
export function isOfShard([shard, count]: Shard, guild: string | undefined): boolean {
  return Number((BigInt(guild ?? 0) >> 22n) % BigInt(count)) === shard;
}
