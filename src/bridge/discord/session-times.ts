import type { IIdentifyThrottler } from 'discord.js';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import type { Lease, Leases } from '../conversation/leases.ts';
import { createQueue } from '../../shared/primitives/queue.ts';
import { growingWaitMs, retry } from '../../shared/primitives/retry.ts';
import { sleep } from '../../shared/primitives/time.ts';

export interface SessionTimesOptions {
  /** When the next session of each bucket may begin, in ms since the epoch. */
  times: Pick<KeyedStore<number>, 'update'>;
  /** Shards with the same remainder are in one bucket. */
  maxConcurrency: number;
  leases: Pick<Leases, 'count'>;
  leaseOf(shard: number): Lease | undefined;
}

/** Discord lets one session of a bucket begin every five seconds. The rest is for the network. */
const spacingMs = 5_500;
const lastsMs = 60 * 60 * 1000;
const checkEveryMs = 250;

/**
 * Has the shards of all processes begin their sessions one after another:
 * docs.discord.com/developers/events/gateway#rate-limiting. The clocks of machines differ: what begins too
 * early is refused by Discord, and discord.js tries it again.
 */
export function spaceSessions(options: SessionTimesOptions): IIdentifyThrottler {
  const { times, maxConcurrency, leases, leaseOf } = options;
  /** So that of each process only one shard of a bucket has a time. */
  const turns = createQueue();

  /** @throws {unknown} when the store is down */
  async function takeTime(bucket: string): Promise<number> {
    const now = Date.now();
    // No clock that was far ahead may hold up the others.
    const latest = now + leases.count * spacingMs;
    let time = now;
    const take = (next: number = 0) => {
      time = Math.min(Math.max(now, next), latest);
      return time + spacingMs;
    };
    await times.update(bucket, take, lastsMs);
    return time;
  }

  return {
    waitForIdentify(shard, signal) {
      const bucket = String(shard % maxConcurrency);
      return turns.run(bucket, async () => {
        signal.throwIfAborted();
        // Another process may have taken it: then the shard is about to be closed.
        while (!leaseOf(shard)?.isValid) await sleep(checkEveryMs, signal);
        const waitMs = (_: unknown, failures: number) => growingWaitMs(failures);
        const time = await retry(() => takeTime(bucket), { waitMs, sleep, signal });
        await sleep(Math.max(0, time - Date.now()), signal);
      });
    },
  };
}
