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
  return managerConfigFromNames(Object.entries(settings).filter(([name]) => isManagers(name)))
}

export function logConfigOf(settings: Settings): LogConfig {
  return resolveLogConfig(logSettings(settings))
}

function isManagers(name: string): boolean {
  return MANAGER_SETTINGS.keyOf(name) !== undefined
}
