/** Counts what strangers can cause as often as they like, so that it fills no log. */
export interface Tally<Kind> {
  /** Counts one. The first of a kind is told at once, all of the next minute together at its end. */
  add(kind: Kind): void;
}

const minuteMs = 60_000;

/**
 * @param tell told of each kind at most once a minute, with how many there were since it was told last
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
