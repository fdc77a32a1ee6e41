/** Finds what a key stands for; undefined where that is not known. Never rejects. */
export type LookUp<Found> = (key: string) => Promise<Found | undefined>;

const mostKept = 2_000;
const freshMs = 60 * 60 * 1000;
/** What was not found is looked up again sooner. */
const missedMs = 60 * 1000;

/**
 * Keeps what was found for an hour; of more than two thousand the one asked for longest ago is
 * forgotten. `find` must not reject.
 */
export function createLookUp<Found>(find: LookUp<Found>, now: () => number): LookUp<Found> {
  const kept = new Map<string, { found: Promise<Found | undefined>; until: number }>();

  function start(key: string) {
    const entry = { found: find(key), until: now() + freshMs };
    void entry.found.then((found) => {
      if (found === undefined) entry.until = now() + missedMs;
    });
    return entry;
  }

  return (key) => {
    const known = kept.get(key);
    kept.delete(key);
    const entry = known && known.until > now() ? known : start(key);
    kept.set(key, entry);
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    return entry.found;
  };
}
