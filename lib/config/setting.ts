/**
 * One setting of a table: Kafka's name for it, its type, default and bounds.
 * Turns what a user wrote into the setting's value and back into text; a value
 * that it cannot have is refused (`ERR_CONFIG_INVALID`) with name, bound and value.
 *
 * Text is read as Kafka reads it: blanks around a value do not count, digits
 * are ASCII. Kafka's 64-bit settings are numbers here; `Infinity` stands for
 * 9223372036854775807 and for anything else above 2^53 - 1.
 */

import { INT32_MAX, INT64_MAX } from '../base/int64.js'
import { ConfigError } from '../errors.js'

interface Named {
  /** Kafka's dotted name. */
  readonly name: string
  /** When a new value is followed; default: at once. `nowhere`: kept, and without a meaning here. */
  readonly applies?: 'next segment' | 'nowhere'
}

interface NumberSetting extends Named {
  readonly type: 'int' | 'long' | 'double'
  readonly fallback: number
  readonly min?: number
  readonly max?: number
  /** Values within the bounds that are refused all the same. */
  readonly except?: readonly number[]
}

interface ListSetting extends Named {
  readonly type: 'list'
  readonly fallback: readonly string[]
  /** The items that there are; a list holds each once. */
  readonly values?: readonly string[]
  /** Where any number of items exists: what each must look like. `*` stands for all. */
  readonly pattern?: { readonly item: RegExp; readonly text: string }
}

export type Setting =
  | NumberSetting
  | ListSetting
  | (Named & { readonly type: 'boolean'; readonly fallback: boolean })
  | (Named & { readonly type: 'enum'; readonly fallback: string; readonly values: readonly string[] })

export function parseSetting(setting: Setting, value: unknown): unknown {
  switch (setting.type) {
    case 'int':
    case 'long':
      return parseInteger(setting, value)
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

/** The text that `parseSetting` turns into the same value. */
export function formatSetting({ type }: Setting, value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  if (typeof value !== 'number' || type === 'double') return String(value)
  return value === Number.POSITIVE_INFINITY ? INT64_MAX.toString() : BigInt(value).toString()
}

/** The values that a setting can have, for a person. */
export function boundsText(setting: Setting): string {
  switch (setting.type) {
    case 'boolean':
      return 'true or false'
    case 'enum':
      return `one of ${setting.values.join(', ')}`
    case 'list':
      return `a list of ${setting.values?.join(', ') ?? setting.pattern?.text}`
    case 'double':
      return rangeText(
        setting,
        setting.min ?? Number.NEGATIVE_INFINITY,
        setting.max ?? Number.POSITIVE_INFINITY,
      )
    default: {
      const { min, max } = integerBounds(setting)
      return rangeText(setting, min, max)
    }
  }
}

function rangeText({ except }: NumberSetting, min: bigint | number, max: bigint | number): string {
  const range = `from ${min} to ${max}`
  return except === undefined ? range : `${range}, but not ${except.join(', ')}`
}

function integerBounds({ type, min, max }: NumberSetting): { readonly min: bigint; readonly max: bigint } {
  const typeMax = type === 'int' ? BigInt(INT32_MAX) : INT64_MAX
  return {
    min: min === undefined ? -typeMax - 1n : BigInt(min),
    max: max === undefined ? typeMax : BigInt(max),
  }
}

function parseInteger(setting: NumberSetting, value: unknown): number {
  const largest = value === Number.POSITIVE_INFINITY && setting.type === 'long'
  const parsed = largest ? INT64_MAX : toBigInt(value)
  if (parsed === undefined) throw invalid(setting, 'a whole number', value)
  const { min, max } = integerBounds(setting)
  if (parsed < min || parsed > max || setting.except?.includes(Number(parsed)))
    throw invalid(setting, boundsText(setting), value)
  return parsed > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(parsed)
}

function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  const text = typeof value === 'string' ? trimmed(value) : ''
  return /^[+-]?0*\d{1,20}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
}

const DECIMAL = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Infinity)$/

function parseDouble(setting: NumberSetting, value: unknown): number {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = setting
  const text = typeof value === 'string' ? trimmed(value) : undefined
  const parsed = text !== undefined && DECIMAL.test(text) ? Number(text) : value
  if (typeof parsed === 'number' && parsed >= min && parsed <= max) return parsed
  throw invalid(setting, `a number ${boundsText(setting)}`, value)
}

function parseBoolean(setting: Setting, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? trimmed(value).toLowerCase() : undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalid(setting, boundsText(setting), value)
}

function parseMember(setting: Extract<Setting, { type: 'enum' }>, value: unknown): string {
  const text = typeof value === 'string' ? trimmed(value) : undefined
  if (text !== undefined && setting.values.includes(text)) return text
  throw invalid(setting, boundsText(setting), value)
}

function parseList(setting: ListSetting, value: unknown): readonly string[] {
  const given = typeof value === 'string' ? splitList(value) : value
  if (!Array.isArray(given) || !given.every((item) => typeof item === 'string'))
    throw invalid(setting, boundsText(setting), value)
  const items = setting.values === undefined ? given.map(trimmed) : [...new Set(given)]
  if (!areItems(setting, items)) throw invalid(setting, boundsText(setting), value)
  return Object.freeze(items)
}

function splitList(text: string): string[] {
  const list = trimmed(text)
  return list === '' ? [] : list.split(/[ \t\n\v\f\r]*,[ \t\n\v\f\r]*/)
}

function areItems({ values, pattern }: ListSetting, items: readonly string[]): boolean {
  if (values !== undefined) return items.every((item) => values.includes(item))
  // An item may be missing, as in Kafka.
  return items.every((item) => item === '' || pattern?.item.test(item)) || items.join('') === '*'
}

/** Without what Java's `trim` takes away: all up to and with the blank. */
function trimmed(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && text.charCodeAt(from) <= 0x20) from++
  while (to > from && text.charCodeAt(to - 1) <= 0x20) to--
  return text.slice(from, to)
}

function invalid(setting: Setting, expected: string, actual: unknown): ConfigError {
  return new ConfigError('ERR_CONFIG_INVALID', `${setting.name} must be ${expected}, got ${String(actual)}`, {
    expected,
    actual,
  })
}
