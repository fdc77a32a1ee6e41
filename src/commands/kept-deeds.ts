import { randomBytes } from 'node:crypto';
import type { ButtonDeed } from './command.ts';

/** What the buttons of results do, by their ids. */
export interface KeptDeeds {
  /** Gives the id to put into a button. */
  keep(deed: ButtonDeed): string;
  find(id: string): ButtonDeed | undefined;
  /** Whether this is the first time that a deed is taken up that must not be done twice. */
  takeOnce(id: string): boolean;
}

const mostKept = 2_000;
const keptMs = 60 * 60 * 1000;

/** Keeps what buttons do in memory for an hour; of more than 2000 the oldest is forgotten. */
export function createKeptDeeds(now: () => number): KeptDeeds {
  const kept = new Map<string, { deed: ButtonDeed; until: number; isTaken?: true }>();

  function forgetOld(): void {
    for (const [id, { until }] of kept) {
      if (until > now() && kept.size <= mostKept) return;
      kept.delete(id);
    }
  }

  return {
    keep(deed) {
      const id = randomBytes(16).toString('base64url');
      kept.set(id, { deed, until: now() + keptMs });
      forgetOld();
      return id;
    },
    find(id) {
      forgetOld();
      return kept.get(id)?.deed;
    },
    takeOnce(id) {
      const entry = kept.get(id);
      if (!entry || entry.isTaken) return false;
      entry.isTaken = true;
      return true;
    },
  };
}
