import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PlatformName } from './replies/people.ts';
import { runWithCurves } from './replies/run-scenario.ts';
import { drawCurves } from './replies/chart.ts';
import { type Scenario, several } from './replies/scenarios.ts';
import type { Script } from './replies/script.ts';

/**
 * Measures replies in a crowd, where the platforms' limits leave less than every reply would like.
 * Prints a line of JSON for each scenario.
 *
 *     node test/bench/crowd.ts [--only <part of a name>] [--chart <file>.svg]
 *
 * The chart is that of the last scenario that ran: `docs/pacing.svg` is of the hundred channels.
 */

const nothingLost = { lost: 0, refused: 0 };

const scenarios: { platform: PlatformName; scenario: Scenario }[] = [
  {
    platform: 'slack',
    scenario: {
      name: 'a hundred channels in half a minute',
      scripts: several(100, 300, { characters: 1_400, overMs: 7_500 }).map(inSentences),
      channels: 100,
      goals: {
        slack: {
          firstTextMs: 1_000,
          p95FirstTextMs: 4_000,
          tailMs: 200,
          p95TailMs: 1_500,
          ...nothingLost,
        },
        discord: {},
      },
    },
  },
  {
    platform: 'slack',
    scenario: {
      name: 'a hundred in one channel',
      scripts: several(100, 100, { characters: 1_400, overMs: 7_500 }).map(inSentences),
      channels: 1,
      patienceMs: 180_000,
      goals: { slack: nothingLost, discord: {} },
    },
  },
  {
    platform: 'discord',
    scenario: {
      name: 'three hundred threads in three seconds',
      scripts: several(300, 10, { characters: 1_100, overMs: 7_500 }).map(ofAnyLength),
      inThreads: true,
      patienceMs: 120_000,
      goals: { slack: {}, discord: { p95TailMs: 1_500, ...nothingLost } },
    },
  },
];

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, chart: { type: 'string' } },
});
for (const { platform, scenario } of scenarios) {
  if (!scenario.name.includes(values.only)) continue;
  const { row, median, worst } = await runWithCurves(scenario, platform);
  process.stdout.write(`${JSON.stringify({ ...row, bench: 'crowd' })}\n`);
  if (values.chart === undefined) continue;
  const title = `${scenario.name}: words of a reply, received and shown`;
  const curves = { 'The median reply': median, 'The reply whose last words came latest': worst };
  writeFileSync(values.chart, drawCurves(title, curves));
}

function inSentences(script: Script): Script {
  return { ...script, sentences: true };
}

/** From half to one and a half of the usual length. */
function ofAnyLength(script: Script, index: number): Script {
  const share = 0.5 + ((index * 7) % 100) / 100;
  return {
    ...script,
    sentences: true,
    tokens: Math.round(script.tokens * share),
    overMs: script.overMs * share,
  };
}
