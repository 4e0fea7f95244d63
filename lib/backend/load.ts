/**
 * Chooses the backend: the one that is asked for (`PARTITION_LOG_BACKEND`, or
 * the caller), else native where a binary of these sources loads and proves
 * itself, else portable. The only file that imports a backend.
 */

import { resolve } from 'node:path'
import { ConfigError, PartitionLogError } from '../errors.js'
import { lendChecksum } from '../format/checksum.js'
import type { Backend, BackendName } from './contract.js'
import { type AddonFailure, findAddon } from './native/find-addon.js'
import { createNativeBackend } from './native.js'
import { createPortableBackend } from './portable/index.js'

export interface LoadedBackend {
  readonly backend: Backend
  /** Why it is this one, for diagnostics. */
  readonly reason: string
}

// lib/backend or dist/backend: the package's root is two levels up.
const PACKAGE_ROOT = resolve(import.meta.dirname, '../..')

const REMEDY =
  'compile it with `npm rebuild partition-log`, or set PARTITION_LOG_BACKEND=portable to say that this is meant'

const loaded = new Map<BackendName | 'any', LoadedBackend>()

/**
 * The backend `name`, or the best that there is. Answers the same object each
 * time. `ERR_BACKEND_UNAVAILABLE` where the one named cannot be had, and
 * `ERR_CONFIG_INVALID` where `PARTITION_LOG_BACKEND` names none.
 */
export function loadBackend(name: BackendName | undefined = forcedByEnvironment()): LoadedBackend {
  const key = name ?? 'any'
  const known = loaded.get(key)
  if (known !== undefined) return known
  const backend = choose(name)
  loaded.set(key, backend)
  return backend
}

function forcedByEnvironment(): BackendName | undefined {
  const name = process.env.PARTITION_LOG_BACKEND
  if (name === undefined || name === '') return undefined
  if (name === 'native' || name === 'portable') return name
  throw new ConfigError('ERR_CONFIG_INVALID', `PARTITION_LOG_BACKEND must be native or portable, not ${name}`)
}

function choose(name: BackendName | undefined): LoadedBackend {
  if (name === 'portable') return { backend: portable(), reason: 'asked for' }
  const search = native()
  if ('backend' in search) return search
  const reasons = search.failures.map(({ reason }) => reason).join('; ')
  if (name === 'native') {
    const message = `the native backend is not available: ${reasons}. To mend it, ${REMEDY}`
    throw new PartitionLogError('ERR_BACKEND_UNAVAILABLE', message)
  }
  warnIfBroken(search.failures, reasons)
  return { backend: portable(), reason: reasons }
}

let portableBackend: Backend | undefined

function portable(): Backend {
  portableBackend ??= createPortableBackend()
  return portableBackend
}

type NativeSearch = LoadedBackend | { readonly failures: readonly AddonFailure[] }

let nativeSearch: NativeSearch | undefined

function native(): NativeSearch {
  nativeSearch ??= searchNative()
  return nativeSearch
}

function searchNative(): NativeSearch {
  const search = findAddon(PACKAGE_ROOT)
  if (search.addon === undefined) return search
  const backend = createNativeBackend(search.addon)
  lendChecksum((bytes, start, end) => backend.crc32c(bytes, start, end))
  return { backend, reason: search.file }
}

/** A binary that is not there is no fault; one that is there and fails is. */
function warnIfBroken(failures: readonly AddonFailure[], reasons: string): void {
  if (!failures.some(({ isBroken }) => isBroken)) return
  process.emitWarning(`partition-log uses its portable backend: ${reasons}. To mend it, ${REMEDY}`, {
    code: 'PARTITION_LOG_BACKEND',
  })
}
