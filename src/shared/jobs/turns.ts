/** Jobs up to this many bytes go before larger ones. */
const smallBytes = 1024 * 1024;
/** A round of every such number begins with the larger ones, so that they get their turn. */
const largeEvery = 4;

const priorities = { large: 0, small: 1 };

export function priorityOf({ bytes }: { bytes: number }): number {
  return bytes <= smallBytes ? priorities.small : priorities.large;
}

/** Which job to take: the first of those that the highest priority has. */
export interface Take {
  /** Owners whose jobs are left. */
  ignoreGroups: string[];
  maxPriority?: number;
}

/** Whose job of a shared queue this process takes next. */
export interface Turns<Found> {
  /** @param running the owner of each job that this process does */
  next(running: readonly string[]): Promise<Found | undefined>;
}

/**
 * Owners take turns: in a round, each one that has jobs gets one of them done. No owner takes up all
 * places.
 */
export function createTurns<Found extends { data: { owner: string } }>(options: {
  /** The places of this process. */
  concurrency: number;
  take(take: Take): Promise<Found | undefined>;
}): Turns<Found> {
  const { concurrency, take } = options;
  const maxPerOwner = Math.max(1, concurrency - 1);
  /** The owners that had their turn in this round. */
  const served = new Set<string>();
  let round = 1;

  async function takeExcept(owners: Iterable<string>): Promise<Found | undefined> {
    const ignoreGroups = [...owners];
    const large =
      round % largeEvery === 0
        ? await take({ ignoreGroups, maxPriority: priorities.large })
        : undefined;
    return large ?? (await take({ ignoreGroups }));
  }

  return {
    async next(running) {
      const count = (owner: string) => running.filter((other) => other === owner).length;
      const full = new Set(running.filter((owner) => count(owner) >= maxPerOwner));
      let found = await takeExcept(served.union(full));
      if (!found && served.size > 0) {
        served.clear();
        round += 1;
        found = await takeExcept(full);
      }
      if (found) served.add(found.data.owner);
      return found;
    },
  };
}
