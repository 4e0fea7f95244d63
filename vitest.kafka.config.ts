/**
 * The tests beside a real Kafka: `npm run test:kafka`. Each drives both
 * backends itself, so they run once. scripts/test-kafka.mjs builds what they need.
 */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'kafka',
    include: ['test/kafka/**/*.test.ts'],
    exclude: ['test/kafka/target/**'],
    globalSetup: ['test/support/global-setup.ts', 'test/kafka/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    watch: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    silent: 'passed-only',
    reporters: [['default', { summary: false }], './test/support/summary-reporter.ts'],
  },
})
