/** Cutting a log at its end and at its start, seen from outside. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { codeOf } from '../support/errors.js'
import { START_MS, testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

async function newLog(config: LogConfigInput = {}, options: OpenLogOptions = {}) {
  const path = join(tempDir(), 'log-0')
  const machine = testMachine()
  const log = await openLogOn(machine, path, { config, ...options })
  return { log, path, ...machine }
}

const records = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ key: `k${n}`, value: 'v', timestamp: START_MS }))

type Log = Awaited<ReturnType<typeof newLog>>['log']

async function offsetsOf(log: Log, options = {}): Promise<number[]> {
  const offsets: number[] = []
  for await (const { offset } of log.read(options)) offsets.push(Number(offset))
  return offsets
}

describe('truncateTo', () => {
  it('known fault 4: at the base of the active segment leaves it empty and usable', async () => {
    const { log } = await newLog({ segmentIndexBytes: 120 })
    log.append(records(2))
    log.roll()
    log.append(records(2))
    expect(await log.truncateTo(2n)).toBe(true)
    expect(log.segments.at(-1)).toMatchObject({ baseOffset: 2n, sizeInBytes: 0, offsetIndexBytes: 120 })
    expect(log.append(records(1)).baseOffset).toBe(2n)
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n, 2n])
    await log.close()
  })

  it('drops the batch that holds the offset, and the next append gets that offset', async () => {
    const { log, path } = await newLog()
    log.append(records(5))
    log.append(records(5))
    await log.truncateTo(7n)
    expect(log.offsets.logEndOffset).toBe(7n)
    expect(await offsetsOf(log)).toEqual([0, 1, 2, 3, 4])
    log.append(records(1))
    await log.close()
    const again = await openLogOn(testMachine(), path)
    expect(await offsetsOf(again)).toEqual([0, 1, 2, 3, 4, 7])
    await again.close()
  })

  it('known fault 61: at or above the end drops leader epochs that begin there', async () => {
    const { log, path } = await newLog()
    log.append(records(10), { leaderEpoch: 1 })
    log.append(records(1), { leaderEpoch: 2 })
    await log.truncateTo(10n)
    expect(log.leaderEpochs).toEqual([{ epoch: 1, startOffset: 0n }])
    expect(await log.truncateTo(10n)).toBe(false)
    expect(readFileSync(join(path, 'leader-epoch-checkpoint'), 'utf8')).toBe('0\n1\n1 0\n')
    await log.close()
  })

  it('into a batch: the next open drops leader epochs that begin behind the records left', async () => {
    const { log, path } = await newLog()
    log.append(records(2), { leaderEpoch: 1 })
    log.append(records(5), { leaderEpoch: 3 })
    await log.truncateTo(4n)
    expect(log.leaderEpochs.map(({ epoch }) => epoch)).toEqual([1, 3])
    await log.close()
    const file = join(path, 'leader-epoch-checkpoint')
    writeFileSync(file, '0\n3\n1 0\n3 2\n4 3\n')
    const seen = await openLogOn(testMachine(), path, { readOnly: true })
    expect(seen.leaderEpochs.map(({ epoch }) => epoch)).toEqual([1, 3, 4])
    await seen.close()
    const again = await openLogOn(testMachine(), path)
    expect(again.offsets.logEndOffset).toBe(2n)
    // The one at the end stays: appends go on in it.
    expect(again.leaderEpochs.map(({ epoch }) => epoch)).toEqual([1, 3])
    expect(readFileSync(file, 'utf8')).toBe('0\n2\n1 0\n3 2\n')
    await again.close()
  })

  it('below the first segment begins the log anew there', async () => {
    const { log, path, clock } = await newLog({ fileDeleteDelayMs: 1000 })
    log.appendBatches(encodeBatch(records(3), { baseOffset: 100n }), { origin: 'follower' })
    log.roll()
    await log.truncateTo(50n)
    expect(log.offsets).toMatchObject({ logStartOffset: 0n, logEndOffset: 50n })
    expect(log.append(records(1)).baseOffset).toBe(50n)
    clock.advance(1000)
    await log.close()
    const again = await openLogOn(testMachine(), path)
    expect(await offsetsOf(again, { from: again.offsets.logStartOffset })).toEqual([50])
    await again.close()
  })

  it('into a gap of 2^31 offsets behind a segment', async () => {
    const { log } = await newLog()
    log.append(records(1))
    log.appendBatches(encodeBatch(records(1), { baseOffset: 2_147_483_653n }), { origin: 'follower' })
    await log.truncateTo(2_147_483_650n)
    expect(log.offsets.logEndOffset).toBe(2_147_483_650n)
    expect(await offsetsOf(log)).toEqual([0])
    expect(log.append(records(1)).baseOffset).toBe(2_147_483_650n)
    await log.close()
  })

  it('into a gap behind the largest offset that a segment can hold leaves the batch with it', async () => {
    const { log } = await newLog()
    for (const baseOffset of [0n, 2_147_483_647n, 2_147_483_660n])
      log.appendBatches(encodeBatch(records(1), { baseOffset }), { origin: 'follower' })
    await log.truncateTo(2_147_483_650n)
    expect(await offsetsOf(log)).toEqual([0, 2_147_483_647])
    expect(log.append(records(1)).baseOffset).toBe(2_147_483_650n)
    expect(await offsetsOf(log)).toEqual([0, 2_147_483_647, 2_147_483_650])
    await log.close()
  })

  it('renames every file of a segment, and removes them after file.delete.delay.ms', async () => {
    const { log, path, clock, files } = await newLog({ fileDeleteDelayMs: 60_000 })
    log.append(records(2))
    log.roll()
    log.append(records(2))
    await log.truncateTo(1n)
    const deleted = () => readdirSync(path).filter((name) => name.endsWith('.deleted'))
    expect(deleted().sort()).toEqual([
      '00000000000000000002.index.deleted',
      '00000000000000000002.log.deleted',
      '00000000000000000002.snapshot.deleted',
      '00000000000000000002.timeindex.deleted',
    ])
    clock.advance(59_999)
    expect(deleted()).toHaveLength(4)
    clock.advance(1)
    while ((await files.list(path)).some(({ name }) => name.endsWith('.deleted')));
    await log.close()
  })

  it('refuses appends while it works, and no longer', async () => {
    const { log } = await newLog()
    log.append(records(10))
    const truncating = log.truncateTo(3n)
    expect(await codeOf(() => log.append(records(1)))).toBe('ERR_OFFSET_CONFLICT')
    await truncating
    expect(log.append(records(1)).baseOffset).toBe(3n)
    await log.close()
  })

  it('hides what it takes from the moment that its end is the new one', async () => {
    const { log } = await newLog()
    for (let n = 0; n < 10; n++) log.append(records(1))
    const follower = log.read({ from: 3n, follow: true })[Symbol.asyncIterator]()
    const truncating = log.truncateTo(5n)
    while (log.offsets.logEndOffset !== 5n) await new Promise((resolve) => setImmediate(resolve))
    expect(log.fetchSync(0n).nextOffset).toBe(5n)
    expect((await log.fetch(0n)).nextOffset).toBe(5n)
    expect([(await follower.next()).value?.offset, (await follower.next()).value?.offset]).toEqual([3n, 4n])
    await truncating
    log.append([{ value: 'new', timestamp: START_MS }])
    expect(`${(await follower.next()).value?.value}`).toBe('new')
    await log.close()
  })

  it('below the start moves the start down, and the log opens again', async () => {
    const { log, path } = await newLog()
    log.append(records(10))
    await log.deleteRecordsBefore(5n)
    await log.truncateTo(3n)
    expect(log.offsets).toMatchObject({ logStartOffset: 3n, logEndOffset: 3n })
    await log.close()
    const again = await openLogOn(testMachine(), path)
    expect(await offsetsOf(again)).toEqual([])
    again.append(records(1))
    await again.close()
  })

  it('into a batch that holds the start, and the log opens again', async () => {
    const { log, path } = await newLog()
    log.append(records(10))
    await log.deleteRecordsBefore(5n)
    await log.truncateTo(7n)
    await log.close()
    const again = await openLogOn(testMachine(), path)
    expect(again.offsets.logEndOffset >= again.offsets.logStartOffset).toBe(true)
    const { baseOffset } = again.append(records(1))
    expect(await offsetsOf(again)).toEqual([Number(baseOffset)])
    await again.close()
  })
})

describe('deleteRecordsBefore', () => {
  it('known fault 194: into a batch: it is read from there on, fetched whole', async () => {
    const { log, path } = await newLog()
    log.append(records(10))
    expect(await log.deleteRecordsBefore(5n)).toBe(5n)
    expect(await offsetsOf(log)).toEqual([5, 6, 7, 8, 9])
    expect((await log.fetch(5n)).batches.readBigInt64BE(0)).toBe(0n)
    expect(await codeOf(() => log.fetch(4n))).toBe('ERR_OFFSET_OUT_OF_RANGE')
    await log.close()
    const again = await openLogOn(testMachine(), path)
    expect(await offsetsOf(again)).toEqual([5, 6, 7, 8, 9])
    await again.close()
  })

  it('a second time, or with less, changes nothing', async () => {
    const { log } = await newLog()
    log.append(records(10))
    await log.deleteRecordsBefore(5n)
    expect(await log.deleteRecordsBefore(3n)).toBe(5n)
    expect(await log.deleteRecordsBefore(5n)).toBe(5n)
    expect(await log.deleteRecordsBefore(-1n)).toBe(10n)
    expect(await codeOf(() => log.deleteRecordsBefore(11n))).toBe('ERR_OFFSET_OUT_OF_RANGE')
    await log.close()
  })

  it('moves the start of the leader epochs along, as in Kafka', async () => {
    const { log } = await newLog()
    log.append(records(5), { leaderEpoch: 0 })
    log.append(records(5), { leaderEpoch: 3 })
    log.append(records(5), { leaderEpoch: 4 })
    await log.deleteRecordsBefore(7n)
    expect(log.leaderEpochs).toEqual([
      { epoch: 3, startOffset: 7n },
      { epoch: 4, startOffset: 10n },
    ])
    await log.close()
  })
})

it('a log without segments begins at its checkpointed start', async () => {
  const { log, path } = await newLog()
  log.append(records(10))
  await log.deleteRecordsBefore(10n)
  await log.close()
  const { rmSync } = await import('node:fs')
  for (const name of readdirSync(path).filter((name) => /^\d{20}\./.test(name))) rmSync(join(path, name))
  const again = await openLogOn(testMachine(), path)
  expect(again.append(records(1)).baseOffset).toBe(10n)
  await again.close()
})

describe('a high watermark that the host moves', () => {
  it('does not fall', async () => {
    const { log } = await newLog({}, { highWatermark: 'manual' })
    log.append(records(10))
    log.setHighWatermark(5n)
    try {
      log.setHighWatermark(3n)
    } catch {
      // Refusing is as good as ignoring.
    }
    expect(log.offsets.highWatermark).toBe(5n)
    await log.close()
  })

  it('inside of a batch: a reader that follows gets every record once it may', async () => {
    const { log } = await newLog({}, { highWatermark: 'manual' })
    log.append(records(10))
    log.setHighWatermark(5n)
    const reader = log.read({ follow: true, maxRecords: 10 })[Symbol.asyncIterator]()
    const first = reader.next()
    await new Promise((resolve) => setImmediate(resolve))
    log.setHighWatermark(10n)
    const seen = [Number((await first).value?.offset)]
    while (seen.length < 10) seen.push(Number((await reader.next()).value?.offset))
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    await log.close()
  })
})
