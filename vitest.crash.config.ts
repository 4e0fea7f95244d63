/**
 * The crash proofs: `npm run test:crash`. Every file twice, once for each
 * backend, as in vitest.config.ts; apart from the others since they take minutes.
 */
import { defineConfig } from 'vitest/config'
import { backendProjects } from './vitest.backends.js'

/** Proofs at `PROOF_SCALE=10` may take ten times as long. */
const scale = Math.max(1, Number(process.env.PROOF_SCALE ?? 1))

export default defineConfig({
  test: {
    include: ['test/crash/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: '100%',
    watch: false,
    testTimeout: 600_000 * scale,
    hookTimeout: 30_000,
    silent: 'passed-only',
    reporters: [['default', { summary: false }], './test/support/summary-reporter.ts'],
    projects: backendProjects,
  },
})
