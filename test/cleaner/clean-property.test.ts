/** Laws of cleaning, for random logs. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import type { LastRecord, SegmentToClean } from '../../lib/cleaner/clean-job.js'
import type { Batch } from '../../lib/format/batch.js'
import { batchesIn, clean, DAY_MS, makeSegments, NOW_MS } from '../support/cleaning.js'
import { type ModelSegment, modelOfCleaning, textOf, typeOf } from '../support/cleaning-model.js'
import { fcOptions } from '../support/random.js'
import { logOf, type Step, steps } from '../support/random-log.js'
import { memoryDir, removeDir } from '../support/temp-dir.js'

beforeAll(async () => {
  for (const name of ['gzip', 'snappy', 'lz4', 'zstd'] as const) await loadCodec(name)
})

/** A log on disk that is cleaned round by round. */
class TestLog {
  readonly directory = memoryDir()
  segments: readonly SegmentToClean[] = []
  dirty = 0n
  nowMs = NOW_MS

  static async of(given: readonly Step[]): Promise<TestLog> {
    const log = new TestLog()
    log.segments = await makeSegments(log.directory, logOf(given).segments)
    return log
  }

  /** One round; `maxKeys` is what the map holds. */
  async round(uncleanable: bigint, maxKeys: number, producers: readonly LastRecord[] = [], groupBytes = 400) {
    const cleaned = this.segments.filter(({ baseOffset }) => baseOffset < uncleanable)
    const behind = this.segments.filter(({ baseOffset }) => baseOffset >= uncleanable)
    const { nowMs } = this
    const result = await clean(this.directory, cleaned, {
      firstDirtyOffset: Number(this.dirty),
      firstUncleanableOffset: Number(uncleanable),
      abortedBehind: behind.flatMap(({ aborted }) => aborted),
      settings: { mapBytes: 24 * (maxKeys + 1), loadFactor: 1, ioBufferBytes: 150 },
      config: { segmentBytes: groupBytes },
      producers,
      nowMs,
    })
    this.segments = [...result.segments, ...behind]
    this.dirty = result.endOffset
    return result
  }

  model(): ModelSegment[] {
    const batches = batchesIn(this.directory)
    return this.segments.map(({ baseOffset, modifiedMs }, at) => {
      const next = this.segments[at + 1]?.baseOffset
      const within = batches.filter(
        ({ lastOffset }) => lastOffset >= baseOffset && (next === undefined || lastOffset < next),
      )
      return { baseOffset, modifiedMs, batches: within }
    })
  }
}

function seen(batch: Batch) {
  const { baseOffset, lastOffset, deleteHorizonMs } = batch
  return { baseOffset, lastOffset, records: [...batch.records()].map(textOf), deleteHorizonMs }
}

/** What readers of committed records see, by key. */
function state(batches: readonly Batch[]): Map<string, string> {
  const values = new Map<string, string>()
  for (const batch of batches) {
    if (batch.isControl || isAborted(batch, batches)) continue
    for (const { key, value } of batch.records()) {
      if (key === null) continue
      if (value === null) values.delete(key.toString())
      else values.set(key.toString(), value.toString())
    }
  }
  return values
}

function isAborted({ isTransactional, producerId, lastOffset }: Batch, batches: readonly Batch[]): boolean {
  if (!isTransactional) return false
  const end = batches.find((b) => b.isControl && b.producerId === producerId && b.lastOffset > lastOffset)
  return end !== undefined && typeOf(end) === 'ABORT'
}

const round = fc.record({
  maxKeys: fc.integer({ min: 1, max: 8 }),
  reach: fc.double({ min: 0, max: 1, noNaN: true }),
  laterMs: fc.constantFrom(0, 1000, DAY_MS, 3 * DAY_MS),
  producers: fc.array(fc.nat(3), { maxLength: 2 }),
  groupBytes: fc.constantFrom(1, 400, 4000),
})

test('each round leaves what the rules say: records, batches, horizons, the next dirty offset', async () => {
  await fc.assert(
    fc.asyncProperty(steps(), fc.array(round, { minLength: 1, maxLength: 4 }), async (given, rounds) => {
      const log = await TestLog.of(given)
      for (const { maxKeys, reach, laterMs, producers: known, groupBytes } of rounds) {
        log.nowMs += laterMs
        const bases = log.segments.map(({ baseOffset }) => baseOffset).filter((base) => base > log.dirty)
        const uncleanable = bases[Math.floor(reach * (bases.length - 1))]
        if (uncleanable === undefined) break
        const before = log.model()
        const batches = before.flatMap((segment) => segment.batches)
        const producers = lastRecords(batches, known)
        const expected = modelOfCleaning(before, {
          firstDirtyOffset: log.dirty,
          firstUncleanableOffset: uncleanable,
          maxKeys,
          nowMs: BigInt(log.nowMs),
          deleteRetentionMs: BigInt(DAY_MS),
          producers,
        })
        const { endOffset, groups } = await log.round(uncleanable, maxKeys, producers, groupBytes)
        expect(endOffset).toBe(expected.endOffset)
        const inputs = new Set(groups.flatMap((group) => group.inputs))
        const rest = before.filter(({ baseOffset }) => !inputs.has(baseOffset)).flatMap((s) => s.batches)
        const after = batchesIn(log.directory)
        expect(after.map(seen)).toEqual([...expected.batches, ...rest.map(seen)])
        expect(after.every((batch) => batch.isValid())).toBe(true)
        expect(state(after)).toEqual(state(batches))
        expectHeadersKept(batches, after)
      }
      removeDir(log.directory)
    }),
    fcOptions(150),
  )
})

/** Producers that a log still knows, by their last data batch, or by their marker where that is all there is. */
function lastRecords(batches: readonly Batch[], known: readonly number[]): LastRecord[] {
  return [...new Set(known)].flatMap((id): LastRecord[] => {
    const own = batches.filter(
      ({ producerId }) => producerId === BigInt(id) || producerId === BigInt(id + 10),
    )
    const last = own.findLast(({ isControl }) => !isControl)
    const any = own.at(-1)
    if (any === undefined) return []
    const { producerId, producerEpoch } = last ?? any
    return [{ producerId, producerEpoch, lastDataOffset: last?.lastOffset ?? null }]
  })
}

function expectHeadersKept(before: readonly Batch[], after: readonly Batch[]): void {
  for (const batch of after) {
    const original = before.find(
      ({ baseOffset, lastOffset }) => baseOffset <= batch.lastOffset && lastOffset >= batch.lastOffset,
    ) as Batch
    expect(headerOf(batch)).toEqual(headerOf(original))
    if (batch.count > 0) expect(batch.codec).toBe(original.codec)
    if (batch.magic === 2) expect(batch.maxTimestamp).toBe(expectedMaxTimestamp(original, batch))
  }
}

function expectedMaxTimestamp(original: Batch, batch: Batch): bigint {
  if (batch.count === 0 || original.timestampType === 'LogAppendTime') return original.maxTimestamp
  if (batch.count === original.count && original.magic === 2) return original.maxTimestamp
  const times = [...batch.records()].map(({ timestamp }) => timestamp)
  return times.reduce((max, time) => (time > max ? time : max))
}

function headerOf(batch: Batch) {
  const { partitionLeaderEpoch, timestampType, producerId, producerEpoch, baseSequence } = batch
  const { isTransactional, isControl } = batch
  return [
    partitionLeaderEpoch,
    // Magic 0 has none, and becomes CreateTime.
    timestampType === 'LogAppendTime',
    producerId,
    producerEpoch,
    baseSequence,
    isTransactional,
    isControl,
  ]
}

const bytesIn = (directory: string) =>
  Buffer.concat(batchesIn(directory).map(({ bytes }) => bytes)).toString('hex')

test('cleaning twice changes nothing more', async () => {
  await fc.assert(
    // The last batch of a log cannot be emptied before it has become one of magic 2.
    fc.asyncProperty(steps({ transactions: false, legacy: false }), async (given) => {
      const log = await TestLog.of(given)
      const end = log.segments.at(-1)?.baseOffset ?? 0n
      if (end > 0n) {
        await log.round(end, 100)
        const once = bytesIn(log.directory)
        log.dirty = 0n
        await log.round(end, 100)
        expect(bytesIn(log.directory)).toBe(once)
      }
      removeDir(log.directory)
    }),
    fcOptions(60),
  )
})

test('rounds with a small map lead to what one with a large map does', async () => {
  await fc.assert(
    fc.asyncProperty(
      steps({ transactions: false, legacy: false }),
      fc.integer({ min: 1, max: 3 }),
      async (given, maxKeys) => {
        const [small, large] = [await TestLog.of(given), await TestLog.of(given)]
        const end = small.segments.at(-1)?.baseOffset ?? 0n
        if (end > 0n) await large.round(end, 100)
        while (small.dirty < end) {
          const before = small.dirty
          await small.round(end, maxKeys)
          expect(small.dirty > before).toBe(true)
        }
        const texts = ({ directory }: TestLog) =>
          batchesIn(directory).flatMap((b) => [...b.records()].map(textOf))
        expect(texts(small)).toEqual(texts(large))
        removeDir(small.directory)
        removeDir(large.directory)
      },
    ),
    fcOptions(60),
  )
})
