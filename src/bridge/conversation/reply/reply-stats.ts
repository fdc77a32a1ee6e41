import type { ReplyStats } from '../ports.ts';

/** Measures the delivery of a reply. */
export interface ReplyMeter {
  /** A delta arrived. */
  received(): void;
  /**
   * A write starts, with everything that has arrived so far. Call the returned functions when it
   * ends.
   */
  writing(): { shown(): void; failed(refused: boolean): void };
  /** The stream ended. */
  ended(): void;
  stats(length: number): ReplyStats;
}

export function createReplyMeter(now: () => number): ReplyMeter {
  let firstDelta: number | undefined;
  let firstText: number | undefined;
  let end: number | undefined;
  let lastShown = 0;
  let staleSince: number | undefined;
  /** The integral of the age over time. */
  let staleArea = 0;
  let writes = 0;
  let refused = 0;

  return {
    received() {
      firstDelta ??= now();
      staleSince ??= now();
    },
    writing() {
      const since = staleSince;
      const began = now();
      staleSince = undefined;
      writes += 1;
      return {
        shown() {
          lastShown = now();
          firstText ??= lastShown;
          if (since === undefined) return;
          // Text that arrived during the write is measured from its own arrival.
          const until = staleSince ?? lastShown;
          staleArea += (lastShown - since) ** 2 / 2 - (lastShown - until) ** 2 / 2;
        },
        failed(wasRefused) {
          staleSince = since ?? staleSince ?? began;
          if (wasRefused) refused += 1;
        },
      };
    },
    ended() {
      end ??= now();
    },
    stats(length) {
      const duration = lastShown - (firstDelta ?? lastShown);
      return {
        ...(firstText !== undefined &&
          firstDelta !== undefined && { firstTextMs: Math.round(firstText - firstDelta) }),
        stalenessMs: duration > 0 ? Math.round(staleArea / duration) : 0,
        tailMs: end === undefined ? 0 : Math.max(0, Math.round(lastShown - end)),
        writes,
        refused,
        length,
      };
    },
  };
}
