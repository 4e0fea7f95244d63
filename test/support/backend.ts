/** The backend that a run is for, as the vitest project's environment names it. */
import type { Backend } from '../../lib/backend/contract.js'
import { loadBackend } from '../../lib/backend/load.js'

/** Never another than the one named: a fallback would make the run prove nothing. */
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
