import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    testTimeout: 15_000,
    reporters: ['default', ['json', { outputFile: 'coverage/report.json' }]],
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
  },
});
