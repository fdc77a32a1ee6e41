import packageJson from '../../../package.json' with { type: 'json' };
import type { Bridge, Usage } from './bridge.ts';
import type { HotFunction } from './hot-functions.ts';
import type { PlatformName } from './people.ts';
import { type Started, startProcess } from './process.ts';
import { type Goal, type Scenario, warmUp } from './scenarios.ts';
import type { Run, RunMeasure, World } from './world.ts';

/** What is printed of a scenario on a platform. Times are medians, `worst` the maximum. */
export interface Row {
  bench: 'replies';
  scenario: string;
  platform: PlatformName;
  replies: number;
  firstTextMs: number;
  stalenessMs: number;
  tailMs: number;
  /** 95 of 100 are at most that. */
  p95: { firstTextMs: number; stalenessMs: number; tailMs: number };
  worst: { firstTextMs: number; stalenessMs: number; tailMs: number };
  lost: number;
  reordered: number;
  /** Calls of the platform's API for each reply. */
  calls: number;
  refused: number;
  /** Above reading the streams alone. */
  cpuMsPerReply?: number;
  rssMb?: number;
  goal: Goal;
  met: boolean;
}

/** Node's flags of `npm start`: what is measured is what people run. */
const startFlags = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'));

/** Runs a scenario on a platform, with a fresh bridge in a fresh world. */
export async function runScenario(scenario: Scenario, platform: PlatformName): Promise<Row> {
  return (await runWithCurves(scenario, platform)).row;
}

/** Runs a scenario as `runScenario` does; also says how the median and the worst reply grew. */
export async function runWithCurves(
  scenario: Scenario,
  platform: PlatformName,
): Promise<{ row: Row } & Pick<RunMeasure, 'median' | 'worst'>> {
  await using bench = await openBench(scenario, platform);
  const bare = scenario.cost && (await costOfReading(scenario, platform, bench.world));
  await bench.prepare(scenario, scenario.apart ?? false);
  const before = await bench.bridge.ask('usage');
  const measure = await bench.run();
  const after = await bench.bridge.ask('usage');
  const above = bare && costAbove(scenario, bare, cost(before, after));
  const { median, worst } = measure;
  return { row: toRow(scenario, platform, measure, above), median, worst };
}

/** Runs a scenario, and says which functions of the bridge took most CPU time, hottest first. */
export async function profileScenario(
  scenario: Scenario,
  platform: PlatformName,
): Promise<HotFunction[]> {
  await using bench = await openBench(scenario, platform);
  await bench.prepare(scenario, scenario.apart ?? false);
  await bench.bridge.ask('startProfile');
  await bench.run();
  return await bench.bridge.ask('stopProfile');
}

/** A fresh bridge in a fresh world, warmed up. */
async function openBench(scenario: Scenario, platform: PlatformName) {
  await using parts = new AsyncDisposableStack();
  const world = parts.use(startProcess<World>('world.ts'));
  const address = await world.ask('address');
  const bridge = parts.use(startProcess<Bridge>('bridge.ts', startFlags));
  const unlimited = scenario.unlimited ?? false;
  await bridge.ask('start', { name: platform, address, unlimited });

  async function run(): Promise<RunMeasure> {
    const measure = await world.ask('run');
    await bridge.ask('idle');
    return measure;
  }

  async function prepare(next: Scenario, isApart: boolean): Promise<void> {
    await world.ask('prepare', toRun(next, platform));
    await bridge.ask('setApart', isApart);
  }

  await prepare({ ...warmUp, inThreads: false }, true);
  await run();
  const moved = parts.move();
  return {
    world,
    bridge,
    prepare,
    run,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

function toRun(scenario: Scenario, platform: PlatformName): Run {
  const { scripts, unlimited = false, inThreads = unlimited, channels, patienceMs } = scenario;
  return { platform, scripts, rateLimits: !unlimited, inThreads, channels, patienceMs };
}

/** What it costs to read the scenario's streams and do nothing with them. */
async function costOfReading(
  scenario: Scenario,
  platform: PlatformName,
  world: Started<World>,
): Promise<Usage> {
  await using reader = startProcess<Bridge>('bridge.ts', startFlags);
  const { upstream } = await world.ask('address');
  const read = async (read: Scenario) => {
    await world.ask('prepare', { ...toRun(read, platform), inThreads: false });
    await reader.ask('readBare', { upstream, scripts: read.scripts });
  };
  await read(warmUp);
  const before = await reader.ask('usage');
  await read(scenario);
  return cost(before, await reader.ask('usage'));
}

function cost(before: Usage, after: Usage): Usage {
  return { cpuMs: after.cpuMs - before.cpuMs, rssMb: after.rssMb - before.rssMb };
}

function costAbove(
  { scripts, cost }: Scenario,
  bare: Usage,
  whole: Usage,
): Pick<Row, 'cpuMsPerReply' | 'rssMb'> {
  return cost === 'cpu'
    ? { cpuMsPerReply: round((whole.cpuMs - bare.cpuMs) / scripts.length) }
    : { rssMb: round(whole.rssMb - bare.rssMb) };
}

function toRow(
  scenario: Scenario,
  platform: PlatformName,
  { replies, calls, refused }: RunMeasure,
  cost: Pick<Row, 'cpuMsPerReply' | 'rssMb'> = {},
): Row {
  const goal = scenario.goals[platform];
  const times = (name: 'firstTextMs' | 'stalenessMs' | 'tailMs') =>
    replies.map((reply) => reply[name]).toSorted((a, b) => a - b);
  const at = (sorted: number[], share: number) =>
    round(sorted[Math.ceil(share * sorted.length) - 1]);
  const median = (sorted: number[]) => at(sorted, 0.5);
  const [first, staleness, tail] = [times('firstTextMs'), times('stalenessMs'), times('tailMs')];
  const sum = (name: 'lost' | 'reordered') => replies.reduce((all, reply) => all + reply[name], 0);
  const row = {
    bench: 'replies',
    scenario: scenario.name,
    platform,
    replies: replies.length,
    firstTextMs: median(first),
    stalenessMs: median(staleness),
    tailMs: median(tail),
    p95: { firstTextMs: at(first, 0.95), stalenessMs: at(staleness, 0.95), tailMs: at(tail, 0.95) },
    worst: {
      firstTextMs: round(first.at(-1)),
      stalenessMs: round(staleness.at(-1)),
      tailMs: round(tail.at(-1)),
    },
    lost: sum('lost'),
    reordered: sum('reordered'),
    calls: round(calls / replies.length),
    refused,
    ...cost,
    goal,
  } as const;
  const reached = {
    ...row,
    worstTailMs: row.worst.tailMs,
    p95FirstTextMs: row.p95.firstTextMs,
    p95TailMs: row.p95.tailMs,
  };
  const met = Object.entries(goal).every(
    ([name, most]) => (reached[name as keyof Goal] ?? Number.POSITIVE_INFINITY) <= most,
  );
  return { ...row, met: met && row.reordered === 0 };
}

/** To a tenth; what never came is infinite, which JSON shows as null. */
function round(value: number | null = Number.POSITIVE_INFINITY): number {
  return value === null ? Number.POSITIVE_INFINITY : Math.round(value * 10) / 10;
}
