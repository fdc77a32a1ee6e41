import { parseArgs } from 'node:util';
import type { PlatformName } from './replies/people.ts';
import { runScenario } from './replies/run-scenario.ts';
import { scenarios } from './replies/scenarios.ts';

/**
 * Measures replies as people see them: the real adapters and core on the sandbox, over real sockets,
 * in processes of their own. Prints a line of JSON for each scenario and platform.
 *
 *     node test/bench/replies.ts [--only <scenario>] [--platform slack|discord]
 *
 * A scenario is named by any part of its name.
 */

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, platform: { type: 'string' } },
});
const platforms = (['slack', 'discord'] satisfies PlatformName[]).filter(
  (name) => values.platform === undefined || values.platform === name,
);
const chosen = scenarios.filter(({ name }) => name.includes(values.only));
if (platforms.length === 0 || chosen.length === 0) {
  const names = scenarios.map(({ name }) => `“${name}”`).join(', ');
  throw new Error(`There are the platforms slack and discord, and the scenarios ${names}.`);
}

for (const scenario of chosen) {
  const run = async (platform: PlatformName) => {
    const row = await runScenario(scenario, platform);
    process.stdout.write(`${JSON.stringify(row)}\n`);
  };
  if (scenario.alone) for (const platform of platforms) await run(platform);
  else await Promise.all(platforms.map(run));
}
