/**
 * From what a user wrote to a validated LogConfig, and back to Kafka's
 * dotted names. Pure. An unknown name or a value out of bounds is refused
 * (`ERR_CONFIG_INVALID`) with the setting, the bound and the value in the text.
 */

import { INT32_MAX, INT64_MAX } from '../base/int64.js'
import { ConfigError } from '../errors.js'
import { type LogConfig, SETTING_KEYS, SETTINGS, type Setting, settingKey } from './settings.js'

/** Settings as a caller gives them: numbers may also be bigint or decimal text. */
export type LogConfigInput = {
  readonly [Key in keyof LogConfig]?: LogConfig[Key] extends number
    ? number | bigint | string
    : LogConfig[Key] extends readonly (infer Item)[]
      ? readonly Item[] | string
      : LogConfig[Key]
}

export const DEFAULT_LOG_CONFIG: LogConfig = Object.freeze(
  Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].fallback])) as unknown as LogConfig,
)

/** `base` with `input` over it, every given value checked. */
export function resolveLogConfig(input: LogConfigInput, base: LogConfig = DEFAULT_LOG_CONFIG): LogConfig {
  const resolved: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined) continue
    const setting = (SETTINGS as Readonly<Record<string, Setting>>)[key]
    if (setting === undefined || !Object.hasOwn(SETTINGS, key)) throw unknownSetting(key)
    resolved[key] = parseSetting(setting, value)
  }
  return Object.freeze(resolved) as unknown as LogConfig
}

/** Settings under Kafka's dotted names, as they stand on a command line or in a file. */
export function configFromNames(entries: Iterable<readonly [name: string, value: string]>): LogConfigInput {
  const input: Record<string, string> = {}
  for (const [name, value] of entries) {
    const key = settingKey(name)
    if (key === undefined) throw unknownSetting(name)
    input[key] = value
  }
  // Text is parsed and checked by resolveLogConfig, which takes it for every type.
  return input as LogConfigInput
}

/** What differs from Kafka's defaults, under Kafka's names, in the table's order. */
export function namesFromConfig(config: LogConfig): [name: string, value: string][] {
  return SETTING_KEYS.filter((key) => formatValue(config[key]) !== formatValue(SETTINGS[key].fallback)).map(
    (key) => [SETTINGS[key].name, formatValue(config[key])],
  )
}

/** Kafka's names of the settings in which two configurations differ. */
export function differingSettings(a: LogConfig, b: LogConfig): string[] {
  return SETTING_KEYS.filter((key) => formatValue(a[key]) !== formatValue(b[key])).map(
    (key) => SETTINGS[key].name,
  )
}

/** The size at which a segment rolls. */
export function segmentBytesOf(config: LogConfig): number {
  return config.internalSegmentBytes >= 0 ? config.internalSegmentBytes : config.segmentBytes
}

function formatValue(value: unknown): string {
  if (value === Number.POSITIVE_INFINITY) return INT64_MAX.toString()
  return Array.isArray(value) ? value.join(',') : String(value)
}

function parseSetting(setting: Setting, value: unknown): unknown {
  switch (setting.type) {
    case 'int':
      return parseInteger(setting, value, BigInt(INT32_MAX))
    case 'long':
      return parseInteger(setting, value, INT64_MAX)
    case 'double':
      return parseDouble(setting, value)
    case 'boolean':
      return parseBoolean(setting, value)
    case 'enum':
      return parseMember(setting, value)
    case 'list':
      return parseList(setting, value)
  }
}

type NumberSetting = Extract<Setting, { type: 'int' | 'long' }>

function parseInteger(setting: NumberSetting, value: unknown, typeMax: bigint): number {
  const parsed = value === Number.POSITIVE_INFINITY && setting.type === 'long' ? INT64_MAX : toBigInt(value)
  if (parsed === undefined) throw invalid(setting, 'a whole number', value)
  const min = setting.min === undefined ? -typeMax - 1n : BigInt(setting.min)
  const max = setting.max === undefined ? typeMax : BigInt(setting.max)
  if (parsed < min || parsed > max) throw invalid(setting, `from ${min} to ${max}`, value)
  if (setting.except?.includes(Number(parsed)))
    throw invalid(setting, `from ${min} to ${max}, but not ${setting.except.join(', ')}`, value)
  return parsed > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(parsed)
}

function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  if (typeof value === 'string' && /^\s*[+-]?\d{1,20}\s*$/.test(value))
    return BigInt(value.trim().replace('+', ''))
  return undefined
}

function parseDouble(setting: Extract<Setting, { type: 'double' }>, value: unknown): number {
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof parsed === 'number' && parsed >= setting.min && parsed <= setting.max) return parsed
  throw invalid(setting, `a number from ${setting.min} to ${setting.max}`, value)
}

function parseBoolean(setting: Setting, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalid(setting, 'true or false', value)
}

function parseMember(setting: Extract<Setting, { type: 'enum' }>, value: unknown): string {
  if (typeof value === 'string' && setting.values.includes(value)) return value
  throw invalid(setting, `one of ${setting.values.join(', ')}`, value)
}

function parseList(setting: Extract<Setting, { type: 'list' }>, value: unknown): readonly string[] {
  const items = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value
  const expected = `a list of ${setting.values.join(', ')}`
  if (!Array.isArray(items)) throw invalid(setting, expected, value)
  const given = items.filter((item) => item !== '')
  if (!given.every((item) => setting.values.includes(item))) throw invalid(setting, expected, value)
  return Object.freeze([...new Set(given)])
}

function invalid(setting: Setting, expected: string, actual: unknown): ConfigError {
  return new ConfigError('ERR_CONFIG_INVALID', `${setting.name} must be ${expected}, got ${String(actual)}`, {
    expected,
    actual,
  })
}

function unknownSetting(name: string): ConfigError {
  return new ConfigError('ERR_CONFIG_INVALID', `unknown setting ${name}`, { actual: name })
}
