/**
 * What `openLog` takes, checked before anything is touched.
 */

import type { BackendName } from '../backend/contract.js'
import { INT32_MAX, toInteger } from '../base/int64.js'
import type { Logger } from '../base/logger.js'
import { checkKnown } from '../base/options.js'
import type { LogConfigInput } from '../config/log-config.js'
import type { ManagerConfigInput } from '../config/manager-config.js'
import { type PartitionLogError, wrongType } from '../errors.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { DamagePolicy } from '../log/recovery/recovery-options.js'

/** Long work as it goes on. */
export interface Progress {
  /** `load`: logs of a directory are being opened. `recover`: one log is scanned, in bytes. */
  readonly phase: 'load' | 'recover'
  /** The log that was done last, or is being scanned. */
  readonly log: string
  readonly done: number
  readonly total: number
}

export interface OpenLogOptions {
  /** Settings; those of a log that is there must not differ from its stored ones (`ERR_CONFIG_MISMATCH`). */
  readonly config?: LogConfigInput
  /** Default true: make the log where it is not there. False: `ERR_NOT_A_LOG`. */
  readonly create?: boolean
  /** Take no lock and write nothing, beside a live writer if need be. */
  readonly readOnly?: boolean
  /** The directory is not named `topic-partition`: lock, checkpoints and marker lie inside it. */
  readonly standalone?: boolean
  /** Default: native where it loads. */
  readonly backend?: BackendName
  /** `manual`: readers stop where `setHighWatermark` says. Default `auto`: they follow the end. */
  readonly highWatermark?: 'auto' | 'manual'
  /** Most bytes that one batch may decompress to; default 128 MiB. */
  readonly maxDecompressedBytes?: number
  /** Kafka's broker settings in camelCase, without the leading `log.`: the intervals of the background work. */
  readonly manager?: ManagerConfigInput
  /**
   * Damage in what was known to be on disk. Default `refuse`: `ERR_CORRUPT`, and nothing is cut. `cut`: the log ends
   * before it. What may never have reached the disk is cut in any case.
   */
  readonly onDamage?: DamagePolicy
  /** A directory that takes copies of all files that a recovery cuts or removes, before it does. */
  readonly quarantine?: string
  /** Told while a recovery scans the log. */
  readonly onProgress?: (progress: Progress) => void
  /** Told what an operator would want to read; pino and its like fit. Default: nobody. */
  readonly logger?: Logger
  /** Called when a failed write or fsync took the log offline, also one that nobody awaited. */
  readonly onOffline?: (error: PartitionLogError, where: { readonly log: PartitionLog | undefined }) => void
}

/** Throws TypeError or RangeError for an option that is unknown or has a value it cannot have. */
export function checkOpenOptions(path: string, options: OpenLogOptions): void {
  if (typeof path !== 'string' || path === '') throw wrongType('path', 'a non-empty string', path)
  checkKnown(options, KNOWN)
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) CHECKS[name as keyof OpenLogOptions](`options.${name}`, value)
  }
}

export type Check = (name: string, value: unknown) => void

const CHECKS: { readonly [Key in keyof OpenLogOptions]-?: Check } = {
  config: ofType('object', 'an object of settings'),
  create: ofType('boolean', 'true or false'),
  readOnly: ofType('boolean', 'true or false'),
  standalone: ofType('boolean', 'true or false'),
  backend: oneOf('native', 'portable'),
  highWatermark: oneOf('auto', 'manual'),
  maxDecompressedBytes: (name, value) => void toInteger(name, value, 0, INT32_MAX),
  manager: ofType('object', 'an object of settings'),
  onDamage: oneOf('refuse', 'cut'),
  quarantine: isPath,
  onProgress: ofType('function', 'a function'),
  logger: isLogger,
  onOffline: ofType('function', 'a function'),
}

const KNOWN = new Set(Object.keys(CHECKS))

const LOGGER_METHODS = ['debug', 'info', 'warn', 'error']

export function isLogger(name: string, value: unknown): void {
  const methods = value as Record<string, unknown> | null
  if (typeof methods === 'object' && methods !== null) {
    if (LOGGER_METHODS.every((method) => typeof methods[method] === 'function')) return
  }
  throw wrongType(name, `an object with ${LOGGER_METHODS.join(', ')}`, value)
}

export function isPath(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw wrongType(name, 'a non-empty string', value)
}

export function ofType(type: string, expected: string): Check {
  return (name, value) => {
    if (typeof value !== type || value === null) throw wrongType(name, expected, value)
  }
}

export function oneOf(...values: readonly string[]): Check {
  return (name, value) => {
    if (!values.includes(value as string))
      throw wrongType(name, values.map((text) => `'${text}'`).join(' or '), value)
  }
}
