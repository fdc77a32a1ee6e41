/** A source that waits to be ingested. */
export interface WaitingSource {
  uuid: string;
  owner: string;
  /** 0 of a link that was never downloaded. */
  bytes: number;
}

export interface FairQueue {
  add(source: WaitingSource): void;
  remove(uuid: string): void;
  /**
   * Takes the source whose turn it is, except those that are running.
   *
   * @param running the owners of running sources by uuid
   */
  take(running: ReadonlyMap<string, string>): WaitingSource | undefined;
}

/** An owner's turn of every such number goes to the source that has waited longest. */
const oldestEvery = 4;

/**
 * Owners take turns: first comes the one with the fewest running sources, then the one served
 * longest ago. An owner's small sources go before large ones, but every fourth turn goes to the
 * oldest, so that a large one gets its turn. No owner has more than `maxPerOwner` running.
 */
export function createFairQueue(maxPerOwner: number): FairQueue {
  /** Those served last at the end. */
  const owners = new Map<string, { waiting: Map<string, WaitingSource>; turns: number }>();

  return {
    add(source) {
      const { owner, uuid } = source;
      const { waiting, turns } = owners.get(owner) ?? { waiting: new Map(), turns: 0 };
      owners.set(owner, { waiting: waiting.set(uuid, source), turns });
    },

    remove(uuid) {
      for (const [owner, { waiting }] of owners) {
        if (waiting.delete(uuid) && waiting.size === 0) owners.delete(owner);
      }
    },

    take(running) {
      const counts = new Map<string, number>();
      for (const owner of running.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
      const inTurn = [...owners.keys()]
        .filter((owner) => (counts.get(owner) ?? 0) < maxPerOwner)
        .toSorted((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0));
      for (const owner of inTurn) {
        const { waiting, turns } = owners.get(owner) ?? { waiting: new Map(), turns: 0 };
        const free = [...waiting.values()].filter(({ uuid }) => !running.has(uuid));
        const source = choose(free, turns + 1);
        if (source === undefined) continue;
        waiting.delete(source.uuid);
        owners.delete(owner);
        if (waiting.size > 0) owners.set(owner, { waiting, turns: turns + 1 });
        return source;
      }
      return undefined;
    },
  };
}

function choose(sources: readonly WaitingSource[], turn: number): WaitingSource | undefined {
  const [oldest] = sources;
  if (oldest === undefined || turn % oldestEvery === 0) return oldest;
  return sources.reduce((best, source) => (source.bytes < best.bytes ? source : best));
}
