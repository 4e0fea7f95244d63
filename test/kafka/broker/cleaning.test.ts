/**
 * A broker's cleaner and ours take turns over the same compacted logs: each
 * goes on with what the other has cleaned, and no last value of a key is lost.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCodec } from '../../../lib/backend/codecs/load.js'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import { tempDir } from '../../support/temp-dir.js'
import { formsOf } from './comparisons.js'
import { entry, type RecordForm, readForm } from './entries.js'
import { openBrokersLog, using } from './our-writes.js'
import { PartitionModel } from './partition-model.js'
import { HOUR, numberedEntries, TIME } from './payloads.js'
import { BACKENDS, World } from './world.js'

const SETTINGS = {
  'cleanup.policy': 'compact',
  'segment.ms': String(3 * HOUR),
  'min.cleanable.dirty.ratio': '0.01',
  'file.delete.delay.ms': '0',
  'index.interval.bytes': '0',
}

const world = new World(join(tempDir(), 'kafka'))
const { cluster } = world
const partitions = BACKENDS.map(({ backend, partition }) => ({
  backend,
  model: new PartitionModel('turns', partition),
}))

/** The last value of each key that readers of committed records are left with, before the turn that is to keep it. */
const left = new Map<string, Map<string, string>>()

function lastValues(records: readonly Pick<RecordForm, 'key' | 'value'>[]): Map<string, string> {
  const values = new Map<string, string>()
  for (const { key, value } of records) {
    if (value === null) values.delete(JSON.stringify(key))
    else values.set(JSON.stringify(key), JSON.stringify(value))
  }
  return values
}

async function ours(log: PartitionLog): Promise<Map<string, string>> {
  const records: RecordForm[] = []
  for await (const record of log.read({ isolation: 'committed' })) records.push(readForm(record, 0))
  return lastValues(records)
}

const theirs = async (model: PartitionModel) => lastValues(await cluster.read(model, 'read_committed'))

/** Three rounds of ours; each leaves fewer records and the same values. */
async function cleanInTurns(log: PartitionLog, from: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    log.append(numberedEntries(40, from + turn * 1000))
    log.append([entry(from + turn, `gone ${turn}`, 'v'), entry(from + turn, `gone ${turn}`, null)], {
      compression: 'gzip',
    })
    log.append(numberedEntries(15, from + turn * 1000 + 500), { compression: 'zstd' })
    log.roll()
    const before = await ours(log)
    const records = (await formsOf(log)).length
    const report = await log.clean()
    expect(report).toMatchObject({ endOffset: log.offsets.logEndOffset })
    expect(await ours(log)).toEqual(before)
    expect((await formsOf(log)).length).toBeLessThan(records)
  }
}

/** Plain records, a transaction that commits and one that aborts; then a record that rolls the segment. */
async function writeAsBroker(model: PartitionModel, from: number): Promise<void> {
  await cluster.writing(model, { 'transactional.id': `${model.name} ${from}` }, async (writer) => {
    await writer.begin()
    await writer.batch(...numberedEntries(15, from))
    await writer.commit()
    await writer.begin()
    await writer.batch(...numberedEntries(10, from + 100))
    await writer.abort()
  })
  await cluster.writing(model, {}, async (writer) => {
    await writer.batch(...numberedEntries(25, from + 200))
    await writer.batch(...numberedEntries(3, from + 4 * HOUR))
  })
}

afterAll(() => cluster.close())

describe('a broker cleans what it wrote', () => {
  beforeAll(async () => {
    await Promise.all((['gzip', 'zstd'] as const).map(loadCodec))
    await world.startBroker()
    await cluster.createTopic('turns', 2, SETTINGS)
  })

  it.each(partitions)('$model.name', async ({ model }) => {
    await writeAsBroker(model, TIME)
    await cluster.awaitCleaned(model)
    left.set(model.name, await theirs(model))
  })

  it('stops', () => cluster.stop())
})

describe.each([1, 2])('we clean further, turn %i', (turn) => {
  it.each(partitions)('$model.name, $backend', async ({ model, backend }) => {
    await using(openBrokersLog(world.logDir, model, backend, SETTINGS), async (log) => {
      expect(await ours(log)).toEqual(left.get(model.name))
      await cleanInTurns(log, TIME + turn * 100 * HOUR)
      left.set(model.name, await ours(log))
    })
  })

  describe('and the broker, further', () => {
    beforeAll(() => world.startBroker())

    it.each(partitions)('$model.name is served', async ({ model }) => {
      expect(await theirs(model)).toEqual(left.get(model.name))
    })

    it.each(partitions)('$model.name is written to and cleaned', async ({ model }) => {
      const { end } = await cluster.bounds(model, 'read_uncommitted')
      model.skipTo(end)
      await writeAsBroker(model, TIME + turn * 100 * HOUR + 10 * HOUR)
      const before = await theirs(model)
      const records = (await cluster.read(model, 'read_uncommitted')).length
      await cluster.awaitCleaned(model)
      expect(await theirs(model)).toEqual(before)
      expect((await cluster.read(model, 'read_uncommitted')).length).toBeLessThanOrEqual(records)
      left.set(model.name, before)
    })

    it('stops without a complaint', async () => {
      await cluster.stop()
      expect(world.complaints()).toEqual([])
    })
  })
})

describe('what is left', () => {
  it.each(partitions)('$model.name, $backend', async ({ model, backend }) => {
    await using(openBrokersLog(world.logDir, model, backend, SETTINGS), async (log) => {
      expect(await ours(log)).toEqual(left.get(model.name))
      expect(left.get(model.name)?.size).toBe(10)
    })
  })
})
