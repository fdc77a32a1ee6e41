import { monotonicMs } from '../../shared/primitives/time.ts';
import type { ThreadAddress } from './address.ts';

/** Receives reports of what happened, for metrics. */
export interface Reports {
  turnEnded(turn: TurnReport): void;
  /** A reader gave feedback on a reply. */
  rated(platform: string, choice: 'helpful' | 'unhelpful'): void;
  /** The service found no answer to a question. */
  refused(platform: string): void;
  /** An answer was given up: the platform did not accept it for too long. */
  setAside(platform: string): void;
  /** Follows each reply, where somebody watches: the sandbox's page does. */
  replies?: ReplyWatcher;
}

/** How a turn ended, and how its reply was delivered. */
export interface TurnReport extends ReplyStats {
  platform: string;
  workspace: string;
  outcome: Outcome;
}

/** Follows replies as they come from the service. */
interface ReplyWatcher {
  began(turn: { id: string; query: string; address: ThreadAddress }): void;
  /** What people said before is sent with the query, one line each. */
  took?(turn: string, context: string): void;
  /** All characters so far of the turn's reply; called for each delta. */
  received(turn: string, characters: number): void;
  ended(turn: string, outcome: Outcome): void;
}

/** `cut` at the model's length limit; `stopped` by a person, or because the process stops. */
export type Outcome = 'answered' | 'cut' | 'failed' | 'stopped';

/** How a reply was delivered. Times are in milliseconds. */
export interface ReplyStats {
  /** From the first delta to the first visible text; absent if no text was shown. */
  firstTextMs?: number;
  /** The age of the oldest delta not yet visible, averaged over time. */
  stalenessMs: number;
  /** From the end of the stream until the last text was visible. */
  tailMs: number;
  writes: number;
  /** Writes refused by a rate limit. */
  refused: number;
  /** The length of the last text in characters. */
  length: number;
}

/** Measures the delivery of a reply. */
export function createReplyMeter() {
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
    /** A delta arrived. */
    received() {
      firstDelta ??= monotonicMs();
      staleSince ??= monotonicMs();
    },
    /**
     * A write starts, with everything that has arrived so far. Call one of the returned functions when
     * it ends.
     */
    writing() {
      const since = staleSince;
      const began = monotonicMs();
      staleSince = undefined;
      writes += 1;
      return {
        shown() {
          lastShown = monotonicMs();
          if (since === undefined) return;
          firstText ??= lastShown;
          // Text that arrived during the write is measured from its own arrival.
          const until = staleSince ?? lastShown;
          staleArea += (lastShown - since) ** 2 / 2 - (lastShown - until) ** 2 / 2;
        },
        failed(wasRefused: boolean) {
          staleSince = since ?? staleSince ?? began;
          if (wasRefused) refused += 1;
        },
      };
    },
    /** The stream ended. */
    ended() {
      end ??= monotonicMs();
    },
    stats(length: number): ReplyStats {
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
