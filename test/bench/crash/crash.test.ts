import { expect, it } from 'vitest';
import { openLane } from './lane.ts';
import { describeKill, planRun } from './plan.ts';

/** One death in each part of a turn; see `killMoments`. */
const seeds = [1, 5, 9, 11, 13, 14, 17, 20, 23, 24, 26, 29];
/** Each costs seconds, so every day has another one. `npm run bench -- crash` tries all, and more. */
const seedOf = (now: number) => seeds[Math.floor(now / 86_400_000) % seeds.length] ?? 0;

it('answers each question once, wherever in its turn the process is killed', async () => {
  const seed = seedOf(Date.now());
  const { questions, ...planned } = planRun(seed);
  // What people change meanwhile is the bench's, and so is what only a change makes a question.
  const unchanged = questions
    .filter(({ change }) => change?.kind !== 'mention')
    .map((question) => ({ ...question, change: undefined }));
  const plan = { ...planned, questions: unchanged, killAgain: undefined };
  await using lane = await openLane();
  const { findings } = await lane.run(plan);
  const told = findings.map(({ kind, question, reason }) => `${kind} ${question}: ${reason}`);
  const wrong = told.map((each) => `seed ${seed}, ${describeKill(plan.kill)}: ${each}`);
  expect(wrong).toEqual([]);
}, 240_000);
