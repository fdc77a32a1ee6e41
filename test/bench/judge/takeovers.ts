import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { type PlatformName, platforms } from './people.ts';

/** How long it takes until others have what a process held that says nothing any more. */
export interface Takeovers {
  /**
   * Watches a process that was killed or paused a moment ago, until others have all that it held.
   * @param signal aborts where nothing can be told
   */
  watch(signal: AbortSignal): Promise<void>;
  /** For a workspace of Slack until its lease is taken, for a shard of Discord until it has a session; in ms. */
  times(platform: PlatformName): number[];
}

/** What the store says. */
interface Held {
  /** By scope. Numbers of 64 bits are texts. */
  leases: Map<string, { epoch: string; holder: string | null }>;
  /** Until when each process is alive. */
  processes: Map<string, string>;
}

const pollMs = 50;
/** Who has not taken over by then counts with this time. */
const maxMs = 30_000;
/** A process that nobody has missed by then goes on, or held nothing. */
const missedMs = 10_000;

export function createTakeovers(pool: Pool, { changes }: Sandbox['discord']): Takeovers {
  const times = { slack: [] as number[], discord: [] as number[] };
  /** When sessions of Discord began, by `performance.now()`. */
  const sessions: number[] = [];
  changes.subscribe((change) => {
    if (change.kind === 'gateway' && change.event === 'ready') sessions.push(performance.now());
  });

  /** When others had a scope; undefined if they don't have it yet. */
  function takenAt(scope: string, from: number, { before, now }: Record<string, Held>) {
    if (now?.leases.get(scope)?.epoch === before?.leases.get(scope)?.epoch) return undefined;
    if (!scope.startsWith('discord:')) return performance.now();
    return sessions.find((at) => at > from);
  }

  return {
    times: (platform) => times[platform],
    async watch(signal) {
      const from = performance.now();
      const before = await readHeld(pool);
      const said = new Map(before.processes);
      /** Scopes of the process that has said nothing since; undefined until it is known which one. */
      let left: Set<string> | undefined;
      while (!signal.aborted && left?.size !== 0) {
        const passed = performance.now() - from;
        if (passed > (left ? maxMs : missedMs)) break;
        await sleep(pollMs);
        const now = await readHeld(pool).catch(() => undefined);
        if (!now) continue;
        for (const [id, untilMs] of now.processes) said.set(id, untilMs);
        const silent = [...before.processes].find(
          ([id, untilMs]) => !now.processes.has(id) && said.get(id) === untilMs,
        );
        left ??= silent && scopesOf(silent[0], before);
        for (const scope of left ?? []) {
          const at = takenAt(scope, from, { before, now });
          if (at === undefined) continue;
          left?.delete(scope);
          note(scope, at - from);
        }
      }
      if (!signal.aborted) for (const scope of left ?? []) note(scope, maxMs);
    },
  };

  function note(scope: string, ms: number): void {
    const platform = platforms.find((each) => scope.startsWith(`${each}:`));
    if (platform) times[platform].push(Math.round(ms));
  }
}

export async function readHeld(pool: Pool): Promise<Held> {
  const leases = await pool.query<{ scope: string; epoch: string; holder: string | null }>(
    'SELECT scope, epoch, holder FROM leases',
  );
  const processes = await pool.query<{ id: string; until_ms: string }>(
    'SELECT id, until_ms FROM processes',
  );
  return {
    leases: new Map(leases.rows.map(({ scope, ...lease }) => [scope, lease])),
    processes: new Map(processes.rows.map((row) => [row.id, row.until_ms])),
  };
}

function scopesOf(process: string, { leases }: Held): Set<string> {
  return new Set([...leases].flatMap(([scope, { holder }]) => (holder === process ? scope : [])));
}

/** The middle and the slow ones, in ms. */
export function summarize(times: readonly number[]) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)];
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: sorted.at(-1) };
}
