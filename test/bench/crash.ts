import { parseArgs } from 'node:util';
import { measureContinued } from './crash/continued.ts';
import { type OpenBridge, openLane, type RunResult } from './crash/lane.ts';
import { describeKill, planRun } from './crash/plan.ts';
import { type Bridges, openBridges } from './judge/bridges.ts';
import type { Finding } from './judge/evidence.ts';
import { summarize } from './judge/takeovers.ts';

/**
 * Kills the bridge with SIGKILL at every step of a turn and starts it again: real processes, on both
 * platforms, each run with several questions under way, two of which are edited, deleted, stopped,
 * rated or asked again. Then each question must have one answer, complete or honestly interrupted, and
 * must have been asked once, in the words that it had then. What was deleted is not answered.
 *
 *     npm run bench -- crash [--runs <number>] [--seed <first seed>] [--lanes <number>] [--story]
 *         [--postgres]
 *
 * With `--postgres`, three processes share a store there, and the one whose step it is is killed. After
 * a third of the runs, one is paused for twice as long as its leases last, and after two thirds Postgres
 * is ended and started again. How long it took until others had what a process held is told too.
 *
 * With `--kill bridge`, `--kill service` or `--kill both`, the built-in service answers with a scripted
 * model of sixty words, and that process is killed somewhere in its replies: each answer must be whole
 * in the end, in one message, and the model asked once, or once more for a death of the service. With
 * `--postgres`, there are two of each on one database, and one of them is killed.
 *
 * Prints a line of JSON. What is wrong is on stderr with its seed: `--seed 17 --runs 1` does that
 * run again.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string' },
    story: { type: 'boolean', default: false },
    kill: { type: 'string' },
    postgres: { type: 'boolean', default: false },
  },
});
const lanes = Number(values.lanes ?? (values.postgres ? 2 : 4));
const first = Number(values.seed);
const runs = Number(values.runs);
const seeds = Array.from({ length: runs }, (_, index) => first + index);
if (values.kill !== undefined) {
  await measureContinued(values.kill, { seeds, lanes, postgres: values.postgres });
  process.exit();
}
const findings: Finding[] = [];
let done = 0;
let reachedRuns = 0;
let kills = 0;
let begun = 0;
const takeovers = { slack: [] as number[], discord: [] as number[] };
const changes: Record<string, number> = {};
const left: Record<string, number> = {};

function add(counts: Record<string, number>, name: string, count = 1): void {
  counts[name] = (counts[name] ?? 0) + count;
}

function report(seed: number, found: readonly Finding[], story: readonly string[] = []): void {
  findings.push(...found);
  const plan = planRun(seed);
  const kills = [plan.kill, plan.killAgain].flatMap((kill) => (kill ? describeKill(kill) : []));
  for (const { kind, question, reason } of found) {
    process.stderr.write(
      `seed ${seed} (${kills.join(', then ')}): ${kind} ${question}: ${reason}\n`,
    );
  }
  const isTold = values.story || found.length > 0;
  if (isTold) process.stderr.write(story.map((line) => `    ${line}\n`).join(''));
}

/** Takes seeds until none is left. A run that went wrong leaves a bridge nobody can judge by. */
async function work(): Promise<void> {
  while (seeds.length > 0) {
    let bridges: Bridges | undefined;
    const open: OpenBridge = async (env, folder, { sandbox: { discord } }) =>
      (bridges = await openBridges(env, { count: 3, folder, discord }));
    await using lane = await openLane(values.postgres ? open : undefined);
    await lane.renew();
    const failed = new Set<number>();
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const disturbing = bridges && disturb(bridges);
      const result = await lane.run(planRun(seed)).catch(toResult);
      await disturbing;
      const { findings, reached, story } = result;
      done += 1;
      kills += result.kills;
      for (const kind of result.changes) add(changes, kind);
      if (reached) reachedRuns += 1;
      if (done % 20 === 0) process.stderr.write(`${done} runs\n`);
      report(seed, findings, story);
      if (findings.length === 0) continue;
      failed.add(seed);
      break;
    }
    for (const [what, count] of Object.entries(lane.left)) add(left, what, count);
    takeovers.slack.push(...(bridges?.takeovers('slack') ?? []));
    takeovers.discord.push(...(bridges?.takeovers('discord') ?? []));
    for (const [seed, late] of lane.judgeAgain()) if (!failed.has(seed)) report(seed, late);
  }
}

/** While a run goes on, what else may happen to several processes. */
async function disturb(bridges: Bridges): Promise<void> {
  begun += 1;
  if (begun === Math.ceil(runs / 3)) await bridges.pause(8_000);
  if (begun === Math.ceil((2 * runs) / 3)) await bridges.restartStore(2_000);
}

/** A process that does not start again answers nobody. */
function toResult(error: unknown): RunResult {
  const finding = { kind: 'lost', question: 'all', reason: String(error) } as const;
  return { findings: [finding], reached: true, kills: 1, changes: [], story: [] };
}

await Promise.all(Array.from({ length: lanes }, work));
const count = (kind: Finding['kind']) => findings.filter((finding) => finding.kind === kind).length;
const row = {
  bench: 'crash',
  ...(values.postgres && { store: 'postgres', processes: 3 }),
  runs: done,
  kills,
  lost: count('lost'),
  twice: count('twice'),
  dangling: count('dangling'),
  outOfOrder: count('outOfOrder'),
  outdated: count('outdated'),
  unheeded: count('unheeded'),
  changes,
  left,
  ...(values.postgres && {
    takeoverMs: { slack: summarize(takeovers.slack), discord: summarize(takeovers.discord) },
  }),
};
process.stdout.write(`${JSON.stringify(row)}\n`);
process.stderr.write(`The planned moment came in ${reachedRuns} of ${done} runs.\n`);
if (findings.length > 0) process.exitCode = 1;
