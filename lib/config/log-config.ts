/**
 * From what a user wrote to a validated LogConfig, and back to Kafka's dotted
 * names. Pure. What cannot be is refused (`ERR_CONFIG_INVALID`) with the
 * setting, the bound and the value in the text.
 */

import { checkLogConfig } from './log-config-checks.js'
import { LOG_SETTINGS, type LogConfig, type SettingKey } from './settings.js'
import type { NamedValue, SettingsInput } from './settings-table.js'

/** Settings as a caller gives them: numbers may also be bigint or decimal text. */
export type LogConfigInput = SettingsInput<LogConfig>

export const DEFAULT_LOG_CONFIG: LogConfig = LOG_SETTINGS.defaults

/** `base` with `input` over it, every given value checked, and all of them together. */
export function resolveLogConfig(input: LogConfigInput, base: LogConfig = DEFAULT_LOG_CONFIG): LogConfig {
  const config = LOG_SETTINGS.resolve(input, base)
  checkLogConfig(config)
  return config
}

/** Settings under Kafka's dotted names, as they stand on a command line or in a file; `resolveLogConfig` reads the values. */
export function configFromNames(entries: Iterable<NamedValue>): LogConfigInput {
  return LOG_SETTINGS.fromNames(entries)
}

/** What differs from Kafka's defaults, under Kafka's names, in the table's order. */
export function namesFromConfig(config: LogConfig): [name: string, value: string][] {
  return LOG_SETTINGS.toNames(config)
}

/** Kafka's names of the settings in which two configurations differ. */
export function differingSettings(a: LogConfig, b: LogConfig): string[] {
  return LOG_SETTINGS.differing(a, b)
}

/** The size at which a segment rolls. */
export function segmentBytesOf(config: LogConfig): number {
  return config.internalSegmentBytes >= 0 ? config.internalSegmentBytes : config.segmentBytes
}

/** Kafka's names of the settings that are set, kept, and without a meaning here. */
export function ignoredSettings(config: LogConfig): string[] {
  const ignored = LOG_SETTINGS.keys.filter((key) => LOG_SETTINGS.setting(key).applies === 'nowhere')
  const names = new Set(ignored.map((key) => LOG_SETTINGS.setting(key).name))
  return differingSettings(config, DEFAULT_LOG_CONFIG).filter((name) => names.has(name))
}

/** The settings that say what of a log may be deleted or cleaned away. */
const DELETING: readonly SettingKey[] = [
  'cleanupPolicy',
  'deleteRetentionMs',
  'maxCompactionLagMs',
  'minCleanableDirtyRatio',
  'minCompactionLagMs',
  'retentionBytes',
  'retentionMs',
]

/**
 * Whether retention and cleaning may take anything from a log: one that this
 * package made, or a foreign one for which a setting of deletion was given.
 * Kafka's defaults alone would empty a broker's directory after seven days.
 */
export function mayDelete(isForeign: boolean, input: LogConfigInput): boolean {
  return !isForeign || DELETING.some((key) => input[key] !== undefined)
}
