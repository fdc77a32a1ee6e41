import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/long-first.ts';
import { createSlowestReporter } from './test/slowest-reporter.ts';

export default defineConfig({
  test: {
    pool: 'threads',
    // Most files wait for sockets and child processes rather than compute.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    // The libraries take longer to load than most files take to run.
    isolate: false,
    include: ['test/**/*.test.ts'],
    // Only what hangs runs into these, on a busy machine too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: [
      'default',
      ['json', { outputFile: 'coverage/report.json' }],
      createSlowestReporter(10),
    ],
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
  },
});
