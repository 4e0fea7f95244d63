/**
 * From what a user wrote to a validated ManagerConfig, as `log-config` does it
 * for logs. Pure.
 */

import { ConfigError } from '../errors.js'
import { MANAGER_SETTINGS, type ManagerConfig } from './manager-settings.js'
import type { NamedValue, SettingsInput } from './settings-table.js'

/** Settings as a caller gives them: numbers may also be bigint or decimal text. */
export type ManagerConfigInput = SettingsInput<ManagerConfig>

export const DEFAULT_MANAGER_CONFIG: ManagerConfig = MANAGER_SETTINGS.defaults

/** `base` with `input` over it, every given value checked, and the cleaner's together. `ERR_CONFIG_INVALID` otherwise. */
export function resolveManagerConfig(
  input: ManagerConfigInput,
  base: ManagerConfig = DEFAULT_MANAGER_CONFIG,
): ManagerConfig {
  const config = MANAGER_SETTINGS.resolve(input, base)
  checkDedupeBuffer(config)
  return config
}

/** Settings under the broker's dotted names; `resolveManagerConfig` reads the values. */
export function managerConfigFromNames(entries: Iterable<NamedValue>): ManagerConfigInput {
  return MANAGER_SETTINGS.fromNames(entries)
}

/** Of a cleaner's map of keys: 16 bytes of hash, 8 of offset. */
const MAP_ENTRY_BYTES = 24
const MIN_BUFFER_PER_THREAD = 1_048_576

/** A map that holds no key would never get a log clean. */
function checkDedupeBuffer(config: ManagerConfig): void {
  const { cleanerDedupeBufferSize, cleanerThreads, cleanerIoBufferLoadFactor } = config
  const perThread = Math.floor(cleanerDedupeBufferSize / cleanerThreads)
  if (perThread <= MIN_BUFFER_PER_THREAD) {
    throw tooSmall(
      `log.cleaner.dedupe.buffer.size must be more than ${MIN_BUFFER_PER_THREAD} for each of ${cleanerThreads} log.cleaner.threads, got ${cleanerDedupeBufferSize}`,
    )
  }
  if (Math.floor(perThread / MAP_ENTRY_BYTES) * cleanerIoBufferLoadFactor < 1) {
    throw tooSmall(
      `log.cleaner.io.buffer.load.factor must leave room for a key in log.cleaner.dedupe.buffer.size, got ${cleanerIoBufferLoadFactor}`,
    )
  }
}

function tooSmall(message: string): ConfigError {
  return new ConfigError('ERR_CONFIG_INVALID', message)
}
