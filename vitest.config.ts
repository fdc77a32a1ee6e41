import { defineConfig } from 'vitest/config';
import { createSlowestReporter } from './test/slowest-reporter.ts';

/** Uses discord.js's own form data, which fails in a thread where a newer undici is loaded. */
const isolated = ['test/sandbox/discord/messages.test.ts'];

export default defineConfig({
  test: {
    pool: 'threads',
    // Most files wait for sockets and child processes rather than compute.
    maxWorkers: 3,
    // Only what hangs runs into these, on a busy machine too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: [
      'default',
      ['json', { outputFile: 'coverage/report.json' }],
      createSlowestReporter(10),
    ],
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
    projects: [
      { extends: true, test: { name: 'isolated', include: isolated } },
      {
        extends: true,
        // The libraries take longer to load than most files take to run.
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: isolated, isolate: false },
      },
    ],
  },
});
