/**
 * A script's settings are in one list, as Kafka's driver takes them: those of
 * the log, and those of the broker that tell when its background work is due.
 */
import { configFromNames, type LogConfigInput, resolveLogConfig } from '../../../lib/config/log-config.js'
import { type ManagerConfigInput, managerConfigFromNames } from '../../../lib/config/manager-config.js'
import { MANAGER_SETTINGS } from '../../../lib/config/manager-settings.js'
import type { LogConfig } from '../../../lib/config/settings.js'
import type { Settings } from './operation.js'

export function logSettings(settings: Settings): LogConfigInput {
  return configFromNames(Object.entries(settings).filter(([name]) => !isManagers(name)))
}

export function managerSettings(settings: Settings): ManagerConfigInput {
  return managerConfigFromNames(
    Object.entries(settings).filter(([name]) => isManagers(name) && name !== MAP_BYTES),
  )
}

export function logConfigOf(settings: Settings): LogConfig {
  return resolveLogConfig(logSettings(settings))
}

/** A broker, and we, refuse to start with a map as small as scripts have it: it is given to the cleaner itself. */
const MAP_BYTES = 'log.cleaner.dedupe.buffer.size'

export function mapBytesOf({ [MAP_BYTES]: bytes }: Settings): number | undefined {
  return bytes === undefined ? undefined : Number(bytes)
}

function isManagers(name: string): boolean {
  return MANAGER_SETTINGS.keyOf(name) !== undefined
}
