import { expect, it } from 'vitest';
import { openLane } from './lane.ts';
import { describeKill, planRun } from './plan.ts';

/** One death in each part of a turn (see `killMoments`), in lanes that run side by side. */
const lanes = [
  [1, 5, 9, 11, 13, 14],
  [17, 20, 23, 24, 26, 29],
];

/** What is wrong after each run of a lane. */
async function runLane(seeds: readonly number[]): Promise<string[]> {
  const wrong: string[] = [];
  await using lane = await openLane();
  for (const seed of seeds) {
    const plan = { ...planRun(seed), killAgain: undefined };
    const { findings } = await lane.run(plan);
    const told = findings.map(({ kind, question, reason }) => `${kind} ${question}: ${reason}`);
    wrong.push(...told.map((each) => `seed ${seed}, ${describeKill(plan.kill)}: ${each}`));
  }
  return wrong;
}

it('answers each question once, wherever in its turn the process is killed', async () => {
  expect((await Promise.all(lanes.map(runLane))).flat()).toEqual([]);
}, 240_000);
