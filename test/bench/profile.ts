import type { PlatformName } from './replies/people.ts';
import { profileScenario } from './replies/run-scenario.ts';
import { scenarios } from './replies/scenarios.ts';

/**
 * Prints the ten hottest functions of the bridge while three hundred replies stream at once, a line
 * of JSON each. Garbage collection and V8's own work are among them.
 *
 *     node test/bench/profile.ts
 */

const shown = 10;

const scenario = scenarios.find(({ cost }) => cost === 'cpu');
if (!scenario) throw new Error('No scenario is about CPU time.');
for (const platform of ['slack', 'discord'] satisfies PlatformName[]) {
  const functions = await profileScenario(scenario, platform);
  for (const { name, place, selfMs } of functions.slice(0, shown)) {
    const row = { bench: 'profile', platform, name, place, selfMs: Math.round(selfMs) };
    process.stdout.write(`${JSON.stringify(row)}\n`);
  }
}
