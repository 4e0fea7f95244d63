/** The backends for tests: the one that a run is for, or both to be compared. */
import type { Backend } from '../../lib/backend/contract.js'
import { loadBackend } from '../../lib/backend/load.js'

/** As the vitest project's environment names it; never another: a fallback would make the run prove nothing. */
export function backendUnderTest(): Backend {
  const wanted = process.env.PARTITION_LOG_BACKEND
  if (wanted !== 'native' && wanted !== 'portable') {
    throw new Error(`set PARTITION_LOG_BACKEND to native or portable, not ${wanted}`)
  }
  const { backend, reason } = loadBackend(wanted)
  if (backend.name !== wanted)
    throw new Error(`asked for the ${wanted} backend, got ${backend.name}: ${reason}`)
  return backend
}

/** Native and portable; none, with a line that says why, where native does not load. */
export function bothBackends(): readonly [] | readonly [native: Backend, portable: Backend] {
  try {
    return [loadBackend('native').backend, loadBackend('portable').backend]
  } catch (error) {
    console.warn(`the backends are not compared: ${error instanceof Error ? error.message : String(error)}`)
    return []
  }
}
