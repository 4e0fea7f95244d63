/**
 * How the tests run: every file twice, once for each backend.
 *
 * The two projects differ in their name and in `PARTITION_LOG_BACKEND` alone,
 * so both always run the same tests; the summary reporter fails a run in which
 * they did not. `npm test` chooses the projects that can run here.
 */
import { configDefaults, defineConfig } from 'vitest/config'
import { backendProjects } from './vitest.backends.js'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/crash/**', 'test/kafka/**', 'dist/**', 'build*/**'],
    pool: 'forks',
    maxWorkers: '100%',
    watch: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    silent: 'passed-only',
    reporters: [['default', { summary: false }], './test/support/summary-reporter.ts'],
    coverage: { provider: 'v8', include: ['lib/**/*.ts'] },
    projects: backendProjects,
  },
})
