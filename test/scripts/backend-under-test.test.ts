/** The worker that runs a test has the backend of its project, not whatever loads. */
import { expect, test } from 'vitest'
import { loadBackend } from '../../lib/backend/load.js'

test('the backend that loads by default is the one this project is named for', () => {
  expect(['native', 'portable']).toContain(process.env.PARTITION_LOG_BACKEND)
  expect(loadBackend().backend.name).toBe(process.env.PARTITION_LOG_BACKEND)
})
