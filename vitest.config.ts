import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/long-first.ts';
import { createJudgesReporter } from './test/fixtures/judges/reporter.ts';
import { createSlowestReporter } from './test/slowest-reporter.ts';

export default defineConfig({
  test: {
    pool: 'threads',
    // Most files wait for sockets and child processes rather than compute.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    // The libraries take longer to load than most files take to run.
    isolate: false,
    // Every test that uses the sandbox is judged by what the platforms publish about themselves.
    setupFiles: ['test/fixtures/judges/setup.ts'],
    include: ['test/**/*.test.ts'],
    // Only what hangs runs into these, on a busy machine too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: [
      'default',
      ['json', { outputFile: 'coverage/report.json' }],
      createSlowestReporter(10),
      createJudgesReporter(),
    ],
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
  },
});
