import { ShardClientUtil } from 'discord.js';

/** The shards from `first` to `last`, of `count` in all; the first of all is 0. */
export interface ShardRange {
  first: number;
  last: number;
  count: number;
}

/** All shards that this process may run. */
export interface Layout extends ShardRange {
  /** The application's id. */
  application: string;
}

const prefix = 'discord:';

/** Whether a lease is about a shard. */
export function isShardScope(scope: string): boolean {
  return scope.startsWith(prefix);
}

/** What the lease of a shard is about. */
export function scopeOf(shard: number, { count }: Pick<ShardRange, 'count'>): string {
  return `${prefix}${shard}/${count}`;
}

/** The shards that scopes name, which are neighbours. */
export function toRange(scopes: readonly string[]): ShardRange {
  const named = scopes.map((scope) => scope.slice(prefix.length).split('/').map(Number));
  const shards = named.map(([shard = 0]) => shard);
  return { first: Math.min(...shards), last: Math.max(...shards), count: named[0]?.[1] ?? 1 };
}

export function idsOf({ first, last }: Pick<ShardRange, 'first' | 'last'>): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The shard of a server, or of direct messages. */
export function shardOf(server: string, { count }: Pick<ShardRange, 'count'>): number {
  return /^\d{1,20}$/.test(server) ? ShardClientUtil.shardIdForGuildId(server, count) : 0;
}
