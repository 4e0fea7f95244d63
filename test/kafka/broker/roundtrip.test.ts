/**
 * A real broker and our engine take turns over one log directory. Each
 * `describe` is a turn, in order: what one leaves the next one finds. A topic
 * has two partitions, 0 for our native backend and 1 for the portable one.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLog } from '../../../lib/manager/open-log.js'
import { codeOf } from '../../support/errors.js'
import { tempDir } from '../../support/temp-dir.js'
import { turnsAfterKill } from './after-kill.js'
import { skipsRecovery } from './broker-output.js'
import { expectOpened, expectRecords, expectServed, formsOf } from './comparisons.js'
import { changeByte } from './damage.js'
import { KAFKA_TOPICS, leaveOpen } from './kafka-topics.js'
import { MISPLACED } from './misplaced.js'
import { appendToBrokersLog, openBrokersLog, using, writeFromNothing } from './our-writes.js'
import { PartitionModel } from './partition-model.js'
import { HOUR, TIME } from './payloads.js'
import { putInPlace } from './put-in-place.js'
import { turnsOfRetention } from './retention-turns.js'
import { BACKENDS, OURS, World } from './world.js'

const home = tempDir()
const world = new World(join(home, 'kafka'))
const { cluster, logs } = world
const kafkasLogs = logs.filter(({ topic }) => topic !== OURS)
const ourLogs = logs.filter(({ topic }) => topic === OURS)

/** Of a topic's leader, once its broker was stopped and started again. */
const SECOND_EPOCH = 2

/** An open transaction that we roll away from. */
const forgotten = new PartitionModel('forgotten', 0)
const misplaced = MISPLACED.map((wrong) => ({ ...wrong, model: new PartitionModel(wrong.topic, 0) }))
const damaged = [0, 1].map((partition) => new PartitionModel('damaged', partition))

afterAll(() => cluster.close())

describe('Kafka writes', () => {
  beforeAll(async () => {
    await world.startBroker()
    for (const { name, settings } of [...KAFKA_TOPICS, OURS]) await cluster.createTopic(name, 2, settings)
    await cluster.createTopic('forgotten', 1, { 'segment.ms': String(1000 * HOUR) })
    for (const { topic } of misplaced) await cluster.createTopic(topic, 1, {})
    await cluster.createTopic('damaged', 2, {})
    for (const { topic, model } of logs) await topic.write(cluster, model)
    await leaveOpen(cluster, forgotten, TIME)
  })

  it.each(kafkasLogs)('$name holds what the producers were told', ({ model }) => expectServed(cluster, model))

  it('stops, and has made no complaint', async () => {
    await cluster.stop()
    expect(world.complaints()).toEqual([])
  })
})

describe.each(BACKENDS)('we open what Kafka wrote, $backend', ({ backend }) => {
  const mine = kafkasLogs.filter((log) => log.backend === backend)

  it.each(mine)('$name is read whole', async ({ model, topic }) => {
    const opening = openBrokersLog(world.logDir, model, backend, topic.settings)
    await using(opening, (log) => expectOpened(log, model))
  })

  it.each(mine)('$name is appended to', async ({ model, topic }) => {
    await using(openBrokersLog(world.logDir, model, backend, topic.settings), async (log) => {
      await appendToBrokersLog(log, model, TIME + 4.5 * HOUR, topic.rolls)
      await expectOpened(log, model)
    })
  })
})

turnsOfRetention(world)

describe('we write logs from nothing and put them in place', () => {
  async function written(model: PartitionModel, backend: 'native' | 'portable', lastEpoch?: number) {
    const directory = join(home, `${model.name} of ${backend}`)
    mkdirSync(directory)
    return { directory, plain: await writeFromNothing(directory, model, backend, lastEpoch) }
  }

  it.each(ourLogs)('$name, $backend', async ({ model, backend }) => {
    const { directory } = await written(model, backend)
    const opening = openLog(join(directory, model.name), { backend, readOnly: true })
    await using(opening, (log) => expectOpened(log, model))
    putInPlace(directory, model.name, world.logDir)
  })

  it.each(misplaced)('$topic, against the recipe', async ({ model, lastEpoch, spoil }) => {
    const { directory } = await written(model, 'native', lastEpoch)
    putInPlace(directory, model.name, world.logDir)
    spoil(directory, model.name, world.logDir)
  })

  it.each(damaged)('$name, with a byte changed: we see it', async (model) => {
    const { directory, plain } = await written(model, 'portable')
    putInPlace(directory, model.name, world.logDir)
    const path = join(world.logDir, model.name)
    const resealed = model.partition === 1
    await changeByte(path, plain, resealed)
    await using(openLog(path, { readOnly: true }), async (log) => {
      if (!resealed) return expect(await codeOf(() => formsOf(log))).toBe('ERR_CORRUPT')
      const seen = await formsOf(log)
      expect(() => expectRecords(model, 'read_uncommitted', seen)).toThrow()
    })
  })

  it('and roll a log of Kafka with an open transaction in it', async () => {
    const opening = openBrokersLog(world.logDir, forgotten, 'native', {})
    await using(opening, (log) => appendToBrokersLog(log, forgotten, TIME + HOUR, true))
  })
})

describe('Kafka serves what we left', () => {
  beforeAll(async () => {
    await world.startBroker()
  })

  it.each(logs)('$name', ({ model }) => expectServed(cluster, model))

  it.each(logs)('$name, and appends to it', async ({ topic, model }) => {
    await topic.writeAgain(cluster, model)
    await expectServed(cluster, model)
  })

  it.each(misplaced)('$topic, misplaced, as the recipe says', async ({ model, served }) => {
    expect(await cluster.bounds(model, 'read_uncommitted')).toEqual(served(model))
  })

  it('records of a leader epoch that the broker has dropped', () =>
    expectServed(cluster, misplaced.find(({ topic }) => topic === 'late-epoch')?.model as PartitionModel))

  it.each(damaged)('$name: its consumer sees the byte that was changed', async (model) => {
    const read = cluster.read(model, 'read_uncommitted')
    if (model.partition === 0) return expect(read).rejects.toThrow(/damaged-0 at offset \d+ is invalid/)
    const seen = await read
    expect(seen.map(({ offset }) => BigInt(offset))).toEqual(model.offsets('read_uncommitted'))
    expect(() => expectRecords(model, 'read_uncommitted', seen)).toThrow()
  })

  it('an offset of ours that were wrong by one would be seen', async () => {
    const [{ model }] = ourLogs as [(typeof ourLogs)[number]]
    const seen = await cluster.read(model, 'read_uncommitted')
    const shifted = seen.map((record) => ({ ...record, offset: String(BigInt(record.offset) + 1n) }))
    expect(() => expectRecords(model, 'read_uncommitted', shifted)).toThrow()
    expect(() => expectRecords(model, 'read_uncommitted', seen.slice(1))).toThrow()
  })

  it('what we wrote behind an open transaction, in a segment of its own', async () => {
    expectRecords(forgotten, 'read_uncommitted', await cluster.read(forgotten, 'read_uncommitted'))
  })

  // Our roll took a snapshot of the producers, as a broker's does.
  it('the transaction is still open', async () => {
    expect((await cluster.bounds(forgotten, 'read_committed')).end).toBe(forgotten.lastStableOffset)
  })

  it('stops; it started as after a shutdown of its own, and complained about what was misplaced', async () => {
    await cluster.stop()
    const seen = world.complaints()
    expect(skipsRecovery(world.output())).toBe(true)
    for (const { complaint } of misplaced)
      if (complaint !== undefined) expect(seen).toContainEqual(expect.stringMatching(complaint))
    expect(seen.filter((line) => !misplaced.some(({ topic }) => line.includes(`${topic}-0`)))).toEqual([])
  })

  afterAll(() => {
    const isStray = (name: string) => name.endsWith('-stray')
    for (const name of readdirSync(world.logDir).filter(isStray))
      rmSync(join(world.logDir, name), { recursive: true })
  })
})

describe.each(BACKENDS)('we open it again, $backend', ({ backend }) => {
  const mine = logs.filter((log) => log.backend === backend)

  it.each(mine)('$name is read whole, and appended to in the new leader epoch', async ({ model, topic }) => {
    await using(openBrokersLog(world.logDir, model, backend, topic.settings), async (log) => {
      await expectOpened(log, model)
      expect(log.leaderEpochs.at(-1)?.epoch).toBe(SECOND_EPOCH)
      await appendToBrokersLog(log, model, TIME + 8.5 * HOUR, topic.rolls)
    })
  })
})

turnsAfterKill(world)
