import { SnowflakeUtil } from 'discord.js';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import { LostLeaseError } from '../conversation/leases.ts';
import type { Log } from '../../shared/primitives/log.ts';

/**
 * How far the messages of a shard have been handled: the core has accepted every message up to this
 * id. Stored about once a second, so after a crash a few messages count as missed that were not.
 */
export interface Watermark {
  /** Keeps the watermark where it is until `release`, because older messages may be missing. */
  hold(): Hold;
  /** Moves the watermark up to an id, unless something holds it. */
  reach(id: bigint): void;
  /**
   * Keeps the watermark below a message until it is accepted, or, if `accepted` resolves with
   * false, for the rest of the run.
   */
  follow(id: bigint, accepted: Promise<boolean>): Promise<void>;
  /** The id up to which all messages were handled. */
  value(): bigint;
  /** Stores the watermark once more. */
  close(): Promise<void>;
}

export interface Hold {
  /** The watermark when the hold began. */
  readonly from: bigint;
  release(): void;
}

const writeEveryMs = 1000;

/** The oldest id that a message of this time can have. */
export function snowflakeAt(ms: number): bigint {
  return SnowflakeUtil.generate({ timestamp: ms, increment: 0n, processId: 0n, workerId: 0n });
}

/** The watermark stored under a key; if none is stored, it begins at present. */
export function createWatermark(options: {
  store: Pick<KeyedStore<string>, 'set'>;
  key: string;
  stored: string | undefined;
  now: () => number;
  log: Log;
}): Watermark {
  const { store, key, log } = options;
  let written = options.stored === undefined ? undefined : BigInt(options.stored);
  let newest = written ?? snowflakeAt(options.now());
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const holds = new Set<Pick<Hold, 'from'>>();

  function value(): bigint {
    let lowest = newest;
    for (const { from } of holds) if (from < lowest) lowest = from;
    return lowest;
  }

  function writeLater(): void {
    if (closed || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void write();
    }, writeEveryMs).unref();
  }

  async function write(): Promise<void> {
    const reached = value();
    if (reached === written) return;
    try {
      await store.set(key, String(reached));
      written = reached;
    } catch (error) {
      if (error instanceof LostLeaseError) return;
      log.warn({ err: error }, 'how far messages were handled could not be stored');
    }
  }

  function holdFrom(from: bigint): Hold {
    const held = { from };
    holds.add(held);
    return {
      from,
      release() {
        holds.delete(held);
        writeLater();
      },
    };
  }

  function reach(id: bigint): void {
    if (id > newest) newest = id;
    writeLater();
  }

  // The first one is stored at once, so that a crash in the first second does not lose it.
  const first = write();
  return {
    value,
    hold: () => holdFrom(value()),
    reach,
    async follow(id, accepted) {
      const hold = holdFrom(id - 1n);
      if (!(await accepted)) return;
      reach(id);
      hold.release();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await first;
      await write();
    },
  };
}
