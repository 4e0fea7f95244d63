/** Our read-only logs beside a broker that is at work: its appends, rolls, markers, deletions and cleanings, as they come. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import { openLog } from '../../../lib/manager/open-log.js'
import { tempDir } from '../../support/temp-dir.js'
import type { KafkaWriter } from './kafka-cluster.js'
import { PartitionModel } from './partition-model.js'
import { HOUR, numberedEntries, TIME } from './payloads.js'
import { BACKENDS, World } from './world.js'

const world = new World(join(tempDir(), 'kafka'))
const { cluster } = world

beforeAll(async () => {
  await world.startBroker()
  const small = { 'internal.segment.bytes': '16384', 'index.interval.bytes': '300' }
  await cluster.createTopic('beside', 2, small)
  await cluster.createTopic('cleaned', 2, {
    'cleanup.policy': 'compact',
    'segment.ms': String(3 * HOUR),
    'min.cleanable.dirty.ratio': '0.0001',
    'file.delete.delay.ms': '0',
    'index.interval.bytes': '0',
  })
})
afterAll(() => cluster.close())

describe.each(BACKENDS)('$backend', ({ backend, partition }) => {
  const open = async (model: PartitionModel) =>
    (await openLog(join(world.logDir, model.name), { readOnly: true, backend })) as PartitionLog

  /** The records that the broker serves. */
  const served = async (model: PartitionModel, isolation: 'read_committed' | 'read_uncommitted') =>
    (await cluster.read(model, isolation)).map(({ offset }) => BigInt(offset))

  it('follows what is appended, rolled, committed and aborted', async () => {
    const model = new PartitionModel('beside', partition)
    const writers: KafkaWriter[] = [
      await cluster.openWriter(model, { 'transactional.id': `beside ${partition}` }),
    ]
    writers.push(await cluster.openWriter(model, {}))
    const [transactional, plain] = writers as [KafkaWriter, KafkaWriter]
    await plain.batch(...numberedEntries(1, TIME))
    const log = await open(model)
    const stop = new AbortController()
    const seen: bigint[] = []
    const reading = (async () => {
      const options = { follow: true, isolation: 'committed', signal: stop.signal } as const
      for await (const { offset } of log.read(options)) seen.push(offset)
    })().catch((error) => expect(error).toBe(stop.signal.reason))
    for (let turn = 0; turn < 20; turn++) {
      await transactional.begin()
      await transactional.batch(...numberedEntries(5, TIME + turn * 100))
      await plain.batch(...numberedEntries(5, TIME + turn * 100 + 50))
      if (turn % 3 === 0) await transactional.abort()
      else await transactional.commit()
      await plain.batch(...numberedEntries(40, TIME + turn * 100 + 60))
    }
    const committed = await served(model, 'read_committed')
    await expect.poll(() => seen.at(-1), { timeout: 20_000 }).toBe(committed.at(-1))
    stop.abort()
    await reading
    expect(seen).toEqual(committed)
    expect(log.segments.length).toBeGreaterThan(1)
    expect(log.offsets.logEndOffset).toBe((await cluster.bounds(model, 'read_uncommitted')).end)
    await cluster.deleteRecords(model, 60n)
    await log.close()
    for (const writer of writers) await writer.close()
  })

  it('sees what the cleaner leaves', async () => {
    const model = new PartitionModel('cleaned', partition)
    const writer = await cluster.openWriter(model, {})
    await writer.batch(...numberedEntries(25, TIME))
    const log = await open(model)
    for (let turn = 1; turn < 4; turn++) {
      await writer.batch(...numberedEntries(25, TIME + turn))
      await log.refresh()
      expect(log.offsets.logEndOffset).toBe(model.end)
      await writer.batch(...numberedEntries(12, TIME + turn * 4 * HOUR))
      await cluster.awaitCleaned(model)
      await log.refresh()
      const left: bigint[] = []
      for await (const { offset } of log.read()) left.push(offset)
      expect(left).toEqual(await served(model, 'read_uncommitted'))
      expect(BigInt(left.length)).toBeLessThan(model.end)
    }
    await log.close()
    await writer.close()
  })
})
