/**
 * What `openLogManager` takes, checked before anything is touched.
 */

import { resolve } from 'node:path'
import type { BackendName } from '../backend/contract.js'
import { INT32_MAX, toInteger } from '../base/int64.js'
import type { Logger } from '../base/logger.js'
import { checkKnown } from '../base/options.js'
import type { LogConfigInput } from '../config/log-config.js'
import type { ManagerConfigInput } from '../config/manager-config.js'
import { outOfRange, type PartitionLogError, wrongType } from '../errors.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { DamagePolicy } from '../log/recovery/recovery-options.js'
import { type Check, isLogger, isPath, ofType, oneOf, type Progress } from './open-options.js'

/** What went offline: one log, or a whole log directory. */
export interface OfflinePlace {
  readonly log?: PartitionLog
  readonly logDir?: string
}

export interface LogManagerOptions {
  /** One or more log directories; made where they are missing. */
  readonly logDirs: readonly string[]
  /** Settings of logs that have none of their own. */
  readonly config?: LogConfigInput
  /** Kafka's broker settings in camelCase, without the leading `log.`, and `minFreeBytes`, `maxTotalBytes`. */
  readonly manager?: ManagerConfigInput
  /** Default: native where it loads. */
  readonly backend?: BackendName
  /** `manual`: readers stop where `setHighWatermark` says. Default `auto`: they follow the end. */
  readonly highWatermark?: 'auto' | 'manual'
  /** Most bytes that one batch may decompress to; default 128 MiB. */
  readonly maxDecompressedBytes?: number
  /** Told what an operator would want to read; pino and its like fit. Default: nobody. */
  readonly logger?: Logger
  /** Told while logs are opened, and while one is scanned for its recovery. */
  readonly onProgress?: (progress: Progress) => void
  /**
   * Damage in what was known to be on disk. Default `refuse`: that log is not opened, see `problems`. `cut`: it ends
   * before the damage. What may never have reached the disk is cut in any case.
   */
  readonly onDamage?: DamagePolicy
  /** A directory that takes copies of all files that a recovery cuts or removes, before it does. */
  readonly quarantine?: string
  /** Called when a background failure took a log or a directory offline. */
  readonly onOffline?: (error: PartitionLogError, where: OfflinePlace) => void
  /** Ends the opening; what was opened is closed again. */
  readonly signal?: AbortSignal
}

/** Throws TypeError or RangeError for an option that is unknown or has a value it cannot have. */
export function checkManagerOptions(options: LogManagerOptions): void {
  checkKnown(options, KNOWN)
  if (options.logDirs === undefined) throw wrongType('options.logDirs', 'an array of paths', undefined)
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) CHECKS[name as keyof LogManagerOptions](`options.${name}`, value)
  }
}

const CHECKS: { readonly [Key in keyof LogManagerOptions]-?: Check } = {
  logDirs: arePaths,
  config: ofType('object', 'an object of settings'),
  manager: ofType('object', 'an object of settings'),
  backend: oneOf('native', 'portable'),
  highWatermark: oneOf('auto', 'manual'),
  maxDecompressedBytes: (name, value) => void toInteger(name, value, 0, INT32_MAX),
  logger: isLogger,
  onProgress: ofType('function', 'a function'),
  onDamage: oneOf('refuse', 'cut'),
  quarantine: isPath,
  onOffline: ofType('function', 'a function'),
  signal: (name, value) => {
    if (!(value instanceof AbortSignal)) throw wrongType(name, 'an AbortSignal', value)
  },
}

const KNOWN = new Set(Object.keys(CHECKS))

function arePaths(name: string, value: unknown): void {
  const isPath = (path: unknown) => typeof path === 'string' && path !== ''
  if (!Array.isArray(value) || !value.every(isPath))
    throw wrongType(name, 'an array of non-empty paths', value)
  if (value.length === 0) throw outOfRange(name, 'at least one path', 'none')
  if (new Set(value.map((path: string) => resolve(path))).size < value.length)
    throw outOfRange(name, 'paths that differ', value.join(', '))
}
