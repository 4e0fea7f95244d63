/** The native backend and its addon, where they can run here. */
import { resolve } from 'node:path'
import type { Backend } from '../../lib/backend/contract.js'
import { loadBackend } from '../../lib/backend/load.js'
import type { NativeAddon } from '../../lib/backend/native/addon.js'
import { findAddon } from '../../lib/backend/native/find-addon.js'

/** Undefined where there is no binary of this tree; `npm test` says so on its own. */
export function nativeUnderTest(): { backend: Backend; addon: NativeAddon } | undefined {
  const search = findAddon(resolve(import.meta.dirname, '../..'))
  if (search.addon === undefined) return undefined
  return { backend: loadBackend('native').backend, addon: search.addon }
}
