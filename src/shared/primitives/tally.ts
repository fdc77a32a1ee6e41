/** Counts events that strangers can cause any number of times, so that they don't fill the log. */
export interface Tally<Kind> {
  /** Counts one event. The first of a kind is reported at once, those of the next minute together at its end. */
  add(kind: Kind): void;
}

const minuteMs = 60_000;

/**
 * @param tell called at most once a minute for each kind, with the number of events since its last call
 */
export function createTally<Kind>(tell: (kind: Kind, count: number) => void): Tally<Kind> {
  const counts = new Map<Kind, number>();

  function countForAMinute(kind: Kind): void {
    counts.set(kind, 0);
    setTimeout(() => {
      const count = counts.get(kind) ?? 0;
      counts.delete(kind);
      if (count === 0) return;
      tell(kind, count);
      countForAMinute(kind);
    }, minuteMs).unref();
  }

  return {
    add(kind) {
      const count = counts.get(kind);
      if (count !== undefined) return void counts.set(kind, count + 1);
      tell(kind, 1);
      countForAMinute(kind);
    },
  };
}
