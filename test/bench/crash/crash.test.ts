import { expect, it } from 'vitest';
import { openLane } from './lane.ts';
import { describeKill, planRun } from './plan.ts';

/** One death in each part of a turn; see `killMoments`. */
const seeds = [1, 5, 9, 11, 13, 14, 17, 20, 23, 24, 26, 29];
/** Each costs seconds, so a day tries a sixth of them. `npm run bench -- crash` tries all, and more. */
const days = 6;

/** The seeds of a day, spread over the parts of a turn. */
function seedsOf(now: number): number[] {
  const today = Math.floor(now / 86_400_000) % days;
  return seeds.filter((_, index) => index % days === today);
}

it('answers each question once, wherever in its turn the process is killed', async () => {
  const wrong: string[] = [];
  await using lane = await openLane();
  for (const seed of seedsOf(Date.now())) {
    const plan = { ...planRun(seed), killAgain: undefined };
    const { findings } = await lane.run(plan);
    const told = findings.map(({ kind, question, reason }) => `${kind} ${question}: ${reason}`);
    wrong.push(...told.map((each) => `seed ${seed}, ${describeKill(plan.kill)}: ${each}`));
  }
  expect(wrong).toEqual([]);
}, 240_000);
