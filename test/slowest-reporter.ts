import type { Reporter } from 'vitest/node';

/** Lists the tests that took longest, once all have run. */
export function createSlowestReporter(count: number): Reporter {
  return {
    onTestRunEnd(modules) {
      const tests = modules.flatMap((module) => Array.from(module.children.allTests()));
      const slowest = tests
        .map((test) => ({
          seconds: (test.diagnostic()?.duration ?? 0) / 1_000,
          name: `${test.module.relativeModuleId} > ${test.fullName}`,
        }))
        .toSorted((one, other) => other.seconds - one.seconds)
        .slice(0, count);
      const lines = slowest.map(
        ({ seconds, name }) => `${seconds.toFixed(1).padStart(6)} s  ${name}`,
      );
      process.stdout.write(`\nThe slowest tests\n${lines.join('\n')}\n`);
    },
  };
}
