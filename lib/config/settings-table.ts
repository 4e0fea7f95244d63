/**
 * A table of settings, and all that is derived from it: defaults, the way from
 * what a user wrote to checked values, and to Kafka's names and back. Pure. An
 * unknown name is refused (`ERR_CONFIG_INVALID`): a misspelt one would be
 * ignored otherwise.
 */

import { checkObject } from '../base/options.js'
import { ConfigError } from '../errors.js'
import { formatSetting, parseSetting, type Setting } from './setting.js'

/** Settings as a caller gives them: numbers may also be bigint or decimal text, lists text with commas. */
export type SettingsInput<Config> = {
  readonly [Key in keyof Config]?: Config[Key] extends number
    ? number | bigint | string
    : Config[Key] extends readonly (infer Item)[]
      ? readonly Item[] | string
      : Config[Key]
}

/** A setting under Kafka's dotted name, as it stands on a command line or in a file. */
export type NamedValue = readonly [name: string, value: string]

export class SettingsTable<Config extends object> {
  readonly keys: readonly (keyof Config & string)[]
  readonly defaults: Config
  readonly #settings: ReadonlyMap<string, Setting>
  readonly #keyByName: ReadonlyMap<string, keyof Config & string>

  constructor(settings: { readonly [Key in keyof Config]: Setting }) {
    const entries = Object.entries(settings) as [keyof Config & string, Setting][]
    this.keys = entries.map(([key]) => key)
    this.#settings = new Map(entries)
    this.#keyByName = new Map(entries.map(([key, { name }]) => [name, key]))
    this.defaults = Object.freeze(
      Object.fromEntries(entries.map(([key, { fallback }]) => [key, fallback])) as Config,
    )
  }

  setting(key: keyof Config & string): Setting {
    return this.#settings.get(key) as Setting
  }

  keyOf(kafkaName: string): (keyof Config & string) | undefined {
    return this.#keyByName.get(kafkaName)
  }

  /** `base` with `input` over it, every given value checked. */
  resolve(input: SettingsInput<Config>, base: Config = this.defaults): Config {
    checkObject('config', input)
    const resolved = { ...(base as Readonly<Record<string, unknown>>) }
    for (const [key, value] of Object.entries(input)) {
      if (value === undefined) continue
      const setting = this.#settings.get(key)
      if (setting === undefined) throw unknownSetting(key)
      resolved[key] = parseSetting(setting, value)
    }
    return Object.freeze(resolved) as Config
  }

  /** The input that these names and texts make; `resolve` reads and checks the texts. A later value of a name counts. */
  fromNames(entries: Iterable<NamedValue>): SettingsInput<Config> {
    const input: Record<string, string> = {}
    for (const [name, value] of entries) {
      const key = this.keyOf(name)
      if (key === undefined) throw unknownSetting(name)
      input[key] = value
    }
    return input as SettingsInput<Config>
  }

  /** What differs from the defaults, in the table's order. */
  toNames(config: Config): [name: string, value: string][] {
    return this.#differing(config, this.defaults).map((key) => [
      this.setting(key).name,
      this.#text(key, config),
    ])
  }

  /** Kafka's names of the settings in which two configurations differ. */
  differing(a: Config, b: Config): string[] {
    return this.#differing(a, b).map((key) => this.setting(key).name)
  }

  #differing(a: Config, b: Config): (keyof Config & string)[] {
    return this.keys.filter((key) => this.#text(key, a) !== this.#text(key, b))
  }

  #text(key: keyof Config & string, config: Config): string {
    return formatSetting(this.setting(key), config[key])
  }
}

export function unknownSetting(name: string): ConfigError {
  return new ConfigError('ERR_CONFIG_INVALID', `unknown setting ${name}`, { actual: name })
}
