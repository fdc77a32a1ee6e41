import type { PlatformName } from './people.ts';
import { createScript, type Script } from './script.ts';

/** Maximum values allowed; what is not named is only measured. Times are medians unless `worst`. */
export interface Goal {
  firstTextMs?: number;
  p95FirstTextMs?: number;
  p95TailMs?: number;
  stalenessMs?: number;
  tailMs?: number;
  worstTailMs?: number;
  lost?: number;
  refused?: number;
  cpuMsPerReply?: number;
  rssMb?: number;
}

export interface Scenario {
  name: string;
  scripts: Script[];
  /** Each thread counts as alone in its workspace: several measures at once of the same. */
  apart?: boolean;
  /** The platform's limits are not enforced, and the bot is asked in threads that are open. */
  unlimited?: boolean;
  /** The bot is asked in threads that are open. */
  inThreads?: boolean;
  /** On Slack: how many channels of their own people ask in, by turns. */
  channels?: number;
  /** How long after the last reply's end its text may still come, in ms. */
  patienceMs?: number;
  /** So much happens at once that the platforms would disturb each other's timing. */
  alone?: boolean;
  /** What it costs is compared to reading the same streams and doing nothing with them. */
  cost?: 'cpu' | 'memory';
  goals: Record<PlatformName, Goal>;
}

const nothingLost = { lost: 0, refused: 0 };

/** The table of what replies are held to; times count from the upstream's first delta, in ms. */
export const scenarios: Scenario[] = [
  {
    name: '420 characters over 3 s',
    scripts: several(4, 900, { characters: 420, overMs: 3_000 }),
    apart: true,
    goals: {
      slack: { firstTextMs: 60, stalenessMs: 330, tailMs: 110, ...nothingLost },
      discord: { firstTextMs: 60, stalenessMs: 680, tailMs: 110, ...nothingLost },
    },
  },
  {
    name: '1.4 kB over 8 s',
    scripts: several(3, 1_300, { characters: 1_400, overMs: 8_000 }),
    apart: true,
    goals: {
      slack: { firstTextMs: 60, stalenessMs: 330, tailMs: 110, ...nothingLost },
      discord: { firstTextMs: 60, stalenessMs: 680, tailMs: 110, ...nothingLost },
    },
  },
  {
    name: '15.8 kB in 11 s',
    scripts: several(1, 0, { characters: 15_800, overMs: 11_000 }),
    goals: { slack: { tailMs: 130, ...nothingLost }, discord: { tailMs: 150, ...nothingLost } },
  },
  {
    name: 'ten threads at once',
    scripts: several(10, 0, { characters: 1_400, overMs: 8_000 }),
    alone: true,
    goals: {
      slack: { stalenessMs: 1_600, tailMs: 110, ...nothingLost },
      discord: { stalenessMs: 690, tailMs: 110, ...nothingLost },
    },
  },
  {
    name: 'one of 60 s beside nine of 3 s',
    scripts: oneBesideNine(),
    goals: {
      slack: { worstTailMs: 150, ...nothingLost },
      discord: { worstTailMs: 150, ...nothingLost },
    },
  },
  {
    name: 'last write refused once',
    scripts: several(3, 1_300, { characters: 420, overMs: 3_000 }).map((script) => ({
      ...script,
      refuseLast: true,
    })),
    apart: true,
    goals: { slack: { worstTailMs: 1_300, lost: 0 }, discord: { worstTailMs: 1_300, lost: 0 } },
  },
  {
    name: 'upstream dies in the middle',
    scripts: several(4, 900, { characters: 420, overMs: 3_000 }).map((script) => ({
      ...script,
      diesAfter: script.tokens / 2,
    })),
    apart: true,
    goals: {
      slack: { worstTailMs: 150, ...nothingLost },
      discord: { worstTailMs: 150, ...nothingLost },
    },
  },
  {
    name: '300 threads at once',
    scripts: several(300, 0, { characters: 1_400, overMs: 8_000 }),
    apart: true,
    unlimited: true,
    alone: true,
    cost: 'cpu',
    goals: { slack: { cpuMsPerReply: 10, lost: 0 }, discord: { cpuMsPerReply: 6, lost: 0 } },
  },
  {
    name: '1000 slow streams',
    scripts: several(1_000, 15, { characters: 30, overMs: 30_000 }),
    apart: true,
    unlimited: true,
    cost: 'memory',
    goals: { slack: { rssMb: 60, lost: 0 }, discord: { rssMb: 60, lost: 0 } },
  },
];

/** Has the bridge's code compiled and its connections open before anything is measured. */
export const warmUp: Scenario = {
  name: 'warm-up',
  scripts: several(5, 100, { characters: 420, overMs: 700 }),
  apart: true,
  unlimited: true,
  goals: { slack: {}, discord: {} },
};

export function several(
  count: number,
  everyMs: number,
  reply: { characters: number; overMs: number },
): Script[] {
  return Array.from({ length: count }, (_, index) =>
    createScript(`Question ${index + 1}`, { ...reply, atMs: index * everyMs }),
  );
}

/** The short ones come in threes: at the long one's beginning, in its middle and near its end. */
function oneBesideNine(): Script[] {
  const long = createScript('The long one', { atMs: 0, characters: 10_000, overMs: 60_000 });
  const short = [2_000, 26_000, 50_000].flatMap((at) =>
    [0, 1, 2].map((each) =>
      createScript(`A short one at ${at}, ${each}`, {
        atMs: at + each * 200,
        characters: 420,
        overMs: 3_000,
      }),
    ),
  );
  return [long, ...short];
}
