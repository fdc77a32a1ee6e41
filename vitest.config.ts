import { existsSync, statfsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { defineConfig } from 'vitest/config';
import { patience } from './test/fixtures/patience.ts';
import { LongFirst } from './test/long-first.ts';
import { createSlowestReporter } from './test/slowest-reporter.ts';

// With room for young objects from the start, garbage is collected less often: a fifth less CPU time.
setFlagsFromString('--min-semi-space-size=64');
setFlagsFromString('--max-semi-space-size=64');

// Linux has a folder in memory: temporary files there wait for no disk.
const memory = '/dev/shm';
const neededBytes = 1024 ** 3;
if (existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize > neededBytes) process.env['TMPDIR'] ??= memory;
}

export default defineConfig({
  test: {
    pool: 'threads',
    // Three more than cores in CI, as many files wait for sockets and child processes. Each worker
    // loads and compiles everything again.
    maxWorkers: 5,
    sequence: { sequencer: LongFirst },
    // The libraries take longer to load than most files take to run.
    isolate: false,
    // Node.js strips types by itself: nothing is transformed, and nothing mocks modules.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // What the workers share: a server, a folder, and judges. These judge every test that uses the
    // sandbox by what the platforms publish about themselves.
    globalSetup: ['test/postgres.ts', 'test/run-folder.ts', 'test/fixtures/judges/court.ts'],
    setupFiles: ['test/fixtures/judges/setup.ts'],
    include: ['test/**/*.test.ts'],
    // Only what hangs runs into these, on a busy machine too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: patience },
    reporters: [
      'default',
      ['json', { outputFile: 'coverage/report.json' }],
      createSlowestReporter(10),
    ],
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
  },
});
