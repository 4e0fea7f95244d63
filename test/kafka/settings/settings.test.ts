/**
 * Settings beside Kafka's own: which there are, their defaults, which texts are
 * taken and what they mean, alone and together, of topics and of a broker.
 */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import {
  brokerNamesOf,
  configFromBrokerNames,
  managerConfigFromBrokerNames,
} from '../../../lib/config/broker-names.js'
import { configFromNames, resolveLogConfig } from '../../../lib/config/log-config.js'
import { resolveManagerConfig } from '../../../lib/config/manager-config.js'
import { MANAGER_SETTINGS } from '../../../lib/config/manager-settings.js'
import type { Setting } from '../../../lib/config/setting.js'
import { LOG_SETTINGS } from '../../../lib/config/settings.js'
import type { SettingsTable } from '../../../lib/config/settings-table.js'
import { ConfigError } from '../../../lib/errors.js'
import { fcOptions } from '../../support/random.js'
import { KafkaSettings, type Texts } from './kafka-settings.js'
import { meaningOf, textsOf } from './texts.js'

const kafka = new KafkaSettings()
afterAll(() => kafka.close())

const settingsOf = <Config extends object>(table: SettingsTable<Config>): Setting[] =>
  table.keys.map((key) => table.setting(key))
const OWN = ['cleaner.hash', 'min.free.bytes', 'max.total.bytes']
const MANAGER = settingsOf(MANAGER_SETTINGS).filter(({ name }) => !OWN.includes(name))

/** What Kafka takes and we mean to refuse; docs/settings.md says why. */
const REFUSED_HERE: Readonly<Record<string, (value: number) => boolean>> = {
  'segment.index.bytes': (bytes) => bytes >= 4 && bytes < 12,
  'log.index.size.max.bytes': (bytes) => bytes >= 4 && bytes < 12,
  'internal.segment.bytes': (bytes) => bytes < -1,
  // A map of 128 MiB holds 5,592,405 keys of 24 bytes.
  'log.cleaner.io.buffer.load.factor': (factor) => !(factor * 5_592_405 >= 1 && factor <= 1),
  'log.cleaner.io.max.bytes.per.second': (bytes) => !(bytes >= 1),
}

/** Ours, or undefined where it is refused. */
function taken<T>(resolve: () => T): T | undefined {
  try {
    return resolve()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return undefined
  }
}

function isMeant(texts: Texts): boolean {
  const numberOf = (text: string) => Number(text.replaceAll('\u0001', ' '))
  return Object.entries(texts).some(([name, text]) => REFUSED_HERE[name]?.(numberOf(text)) === true)
}

/** That `ours` has the values that Kafka gives as text. */
function expectSame<Config extends object>(
  table: SettingsTable<Config>,
  ours: Config,
  theirs: Readonly<Record<string, string | null>>,
): void {
  for (const key of table.keys) {
    const setting = table.setting(key)
    const text = theirs[setting.name]
    if (typeof text === 'string')
      expect([setting.name, ours[key]]).toEqual([setting.name, meaningOf(setting, text)])
  }
}

/** Some settings of a list, each with a text. */
function choice(
  settings: readonly Setting[],
  text: (setting: Setting) => fc.Arbitrary<string>,
): fc.Arbitrary<Texts> {
  const one = fc
    .constantFrom(...settings)
    .chain((setting) => text(setting).map((value) => [setting.name, value]))
  return fc.array(one, { minLength: 1, maxLength: 5 }).map((entries) => Object.fromEntries(entries) as Texts)
}

describe('the tables', () => {
  it("a topic's settings are Kafka's, with their types and defaults", async () => {
    const { topic } = await kafka.definitions()
    const ours = settingsOf(LOG_SETTINGS)
    expect(ours.map(({ name }) => name).sort()).toEqual(topic.map(({ name }) => name).sort())
    for (const { name, type, fallback } of topic) {
      const setting = ours.find((other) => other.name === name) as Setting
      expect([name, setting.type === 'enum' ? 'string' : setting.type]).toEqual([name, type.toLowerCase()])
      // Not set is -1 here.
      if (fallback === null) expect([name, setting.fallback]).toEqual(['internal.segment.bytes', -1])
      else expect([name, setting.fallback]).toEqual([name, meaningOf(setting, fallback)])
    }
  })

  it("a manager's are a broker's, but for three of our own", async () => {
    const { broker } = await kafka.definitions()
    for (const setting of MANAGER) {
      const theirs = broker.find(({ name }) => name === setting.name)
      expect([setting.name, theirs?.type.toLowerCase()]).toEqual([setting.name, setting.type])
      expect([setting.name, setting.fallback]).toEqual([
        setting.name,
        meaningOf(setting, theirs?.fallback as string),
      ])
    }
    expect(broker.filter(({ name }) => OWN.includes(name))).toEqual([])
  })

  it("a broker's cleaner, checkpoints, retention and flushing are all there, as its own or as defaults of topics", async () => {
    const { broker } = await kafka.definitions()
    const known = [...MANAGER.map(({ name }) => name), ...LOG_SETTINGS.keys.flatMap(brokerNamesOf)]
    const missing = broker
      .map(({ name }) => name)
      .filter((name) => /^log\./.test(name) && !known.includes(name))
    expect(missing.sort()).toEqual(['log.dir', 'log.dir.failure.timeout.ms', 'log.dirs'])
    const names = broker.map(({ name }) => name)
    expect(known.filter((name) => !names.includes(name))).toEqual([])
  })
})

describe("a topic's settings", () => {
  const all = settingsOf(LOG_SETTINGS)

  async function compare(texts: Texts): Promise<void> {
    const theirs = await kafka.topic(texts)
    const ours = taken(() => resolveLogConfig(configFromNames(Object.entries(texts))))
    if (isMeant(texts)) expect(ours).toBeUndefined()
    else
      expect({ texts, refused: ours === undefined }).toEqual({ texts, refused: theirs.refused !== undefined })
    if (ours !== undefined && theirs.refused === undefined) expectSame(LOG_SETTINGS, ours, theirs.values)
  }

  it.each(all.map((setting) => [setting.name, setting] as const))(
    '%s: the same texts, and values',
    async (_, setting) => {
      const one = textsOf(setting).map((text) => ({ [setting.name]: text }))
      await fc.assert(fc.asyncProperty(one, compare), fcOptions(60))
    },
  )

  it('together: the same contradictions', async () => {
    const related = all.filter(({ name }) => /retention|lag|remote|cleanup/.test(name))
    const near = fc.constantFrom('-2', '-1', '0', '1', '2', '3', String(2n ** 63n - 1n))
    const texts = (setting: Setting) =>
      setting.type === 'int' || setting.type === 'long'
        ? near
        : fc.constantFrom('true', 'delete', 'compact', '')
    const remote = fc.boolean().map((on): Texts => (on ? { 'remote.storage.enable': 'true' } : {}))
    const several = fc.tuple(remote, choice(related, texts)).map(([one, others]) => ({ ...one, ...others }))
    await fc.assert(fc.asyncProperty(several, compare), fcOptions(600))
  })

  it.each([
    ['min.cleanable.dirty.ratio', 'NaN'],
    ['min.cleanable.dirty.ratio', '0x1p-1'],
    ['min.cleanable.dirty.ratio', '0.5d'],
    ['segment.ms', '\u0661\u0662'],
    ['internal.segment.bytes', '-2'],
    ['segment.index.bytes', '11'],
  ])('%s=%s is taken by Kafka alone', async (name, text) => {
    expect((await kafka.topic({ [name]: text })).refused).toBeUndefined()
    expect(taken(() => resolveLogConfig(configFromNames([[name, text]])))).toBeUndefined()
  })

  it('an unknown name is refused', async () => {
    for (const name of ['segment.byte', 'log.segment.bytes', 'cleanup.policy ', '']) {
      expect((await kafka.topic({ [name]: '1' })).refused).toBeDefined()
      expect(taken(() => configFromNames([[name, '1']]))).toBeUndefined()
    }
  })
})

describe("a broker's properties", () => {
  /** The broker's names for defaults of topics, each with the topic's own setting for its texts. */
  const defaults = LOG_SETTINGS.keys.flatMap((key) =>
    brokerNamesOf(key).map((name): Setting => {
      const isCoarse = /hours|minutes/.test(name)
      return {
        ...LOG_SETTINGS.setting(key),
        ...(isCoarse ? { type: 'int', fallback: 168 } : {}),
        name,
      } as Setting
    }),
  )
  const all = [...MANAGER, ...defaults]

  async function compare(texts: Texts): Promise<void> {
    const theirs = await kafka.broker(texts)
    const entries = Object.entries(texts)
    const topics = taken(() => resolveLogConfig(configFromBrokerNames(entries)))
    const own = taken(() => resolveManagerConfig(managerConfigFromBrokerNames(entries)))
    const refused = topics === undefined || own === undefined
    if (isMeant(texts)) expect(refused).toBe(true)
    else expect({ texts, refused }).toEqual({ texts, refused: theirs.refused !== undefined })
    if (refused || theirs.refused !== undefined) return
    expectSame(LOG_SETTINGS, topics, theirs.values.topics)
    expectSame(MANAGER_SETTINGS, own, theirs.values.own)
  }

  it.each(all.map((setting) => [setting.name, setting] as const))(
    '%s: the same texts, and values',
    async (_, setting) => {
      const one = textsOf(setting).map((text) => ({ [setting.name]: text }))
      await fc.assert(fc.asyncProperty(one, compare), fcOptions(40))
    },
  )

  it("the cleaner's map, to the byte for each thread", async () => {
    for (const [threads, bytes] of [
      [1, 1_048_576],
      [1, 1_048_577],
      [3, 3 * 1_048_577 - 1],
      [3, 3 * 1_048_577],
    ]) {
      await compare({ 'log.cleaner.threads': `${threads}`, 'log.cleaner.dedupe.buffer.size': `${bytes}` })
    }
  })

  it('together: the finest unit counts, and nothing else differs', async () => {
    const near = fc.constantFrom('-1', '0', '1', '2', '3', '10', '1000', '3000000', '4000000')
    const texts = (setting: Setting) =>
      setting.type === 'int' || setting.type === 'long' ? near : fc.constant(String(setting.fallback))
    await fc.assert(fc.asyncProperty(choice(all, texts), compare), fcOptions(600))
  })
})
