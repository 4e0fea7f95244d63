/** One cleaning from its job to its result. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { CleanProgress } from '../../lib/cleaner/clean-job.js'
import { OpenSegments } from '../../lib/segment/open-segments.js'
import { Segment } from '../../lib/segment/segment.js'
import { backendUnderTest } from '../support/backend.js'
import { resealed } from '../support/batches.js'
import {
  aborted,
  batchesIn,
  clean,
  DAY_MS,
  leftoversIn,
  makeSegments,
  marker,
  NOW_MS,
  one,
  put,
  recordsIn,
  transactional,
} from '../support/cleaning.js'
import { rejection } from '../support/errors.js'
import { tempDir } from '../support/temp-dir.js'

/** Ten updates of three keys, the last one a tombstone, in one batch as a console producer sends them. */
const TEN = [
  'user1=a1',
  'user2=b1',
  'user3=c1',
  'user1=a2',
  'user2=b2',
  'user3=c2',
  'user1=a3',
  'user2=b3',
  'user3=c3',
  'user2=',
]

test('three keys written three times and one deleted: 199 bytes become 110, and offsets stay', async () => {
  const directory = tempDir()
  const records = TEN.map((text) => {
    const [key, value] = text.split('=') as [string, string]
    return { key, value: value === '' ? null : value, timestamp: NOW_MS - 7000 }
  })
  const segments = await makeSegments(directory, [{ baseOffset: 0, batches: [put(0, records)] }])
  expect(segments[0]?.sizeInBytes).toBe(199)

  const { endOffset, counts, groups } = await clean(directory, segments, { firstUncleanableOffset: 10 })

  expect(recordsIn(directory)).toEqual(['6 user1=a3', '8 user3=c3', '9 user2=null'])
  expect(statSync(join(directory, '00000000000000000000.log')).size).toBe(110)
  expect(endOffset).toBe(10n)
  expect(counts).toMatchObject({
    mapRecordsRead: 10,
    recordsRead: 10,
    recordsWritten: 3,
    bytesRead: 199,
    bytesWritten: 110,
    keys: 3,
    // No more than ten offsets can need: 10 / 0.9, and two.
    slots: 14,
  })
  expect(groups).toEqual([
    {
      inputs: [0n],
      outputs: [{ baseOffset: 0n, sizeInBytes: 110, modifiedMs: segments[0]?.modifiedMs, aborted: [] }],
    },
  ])
  expect(leftoversIn(directory)).toEqual([])
  const [batch] = batchesIn(directory)
  expect([batch?.baseOffset, batch?.lastOffset, batch?.isValid()]).toEqual([0n, 9n, true])
})

test('segments are joined, and the output has the time of the last', async () => {
  const directory = tempDir()
  const segments = await makeSegments(directory, [
    { baseOffset: 0, batches: [one(0, 'a', '1'), one(1, 'b', '1')], modifiedMs: 1_700_000_000_000 },
    { baseOffset: 2, batches: [one(2, 'a', '2')], modifiedMs: 1_700_000_111_000 },
  ])
  const { groups } = await clean(directory, segments, { firstUncleanableOffset: 3 })
  expect(groups.map(({ inputs }) => inputs)).toEqual([[0n, 2n]])
  expect(recordsIn(directory)).toEqual(['1 b=1', '2 a=2'])
  expect(statSync(join(directory, '00000000000000000000.log')).mtimeMs).toBe(1_700_000_111_000)
})

test('a transaction that was aborted behind the cleaned segments is known', async () => {
  const directory = tempDir()
  const segments = await makeSegments(directory, [
    { baseOffset: 0, batches: [one(0, 'a', '1'), one(1, 'a', 'aborted', transactional(7))] },
  ])
  const options = { firstUncleanableOffset: 2, abortedBehind: [aborted(7, 1, 5), aborted(8, 3, 6)] }
  await clean(directory, segments, options)
  expect(recordsIn(directory)).toEqual(['0 a=1'])
})

test('output that offsets cannot be told in any more goes on in a further segment', async () => {
  const directory = tempDir()
  const far = 2 ** 32
  const last = (offset: number) => put(offset, [{ key: 'z', value: '1', timestamp: 1 }])
  const sent = [one(0, 'a', '1'), one(1, 'x', '1', transactional(7)), marker(2, 'ABORT', 7)]
  const segments = await makeSegments(directory, [
    {
      baseOffset: 0,
      batches: [...sent, put(far, [{ key: 'b', value: '1', timestamp: 1 }], transactional(8)), last(far + 2)],
      aborted: [aborted(7, 1, 2)],
      indexIntervalBytes: 4096,
    },
  ])
  const known = [{ producerId: 8n, producerEpoch: 0, lastDataOffset: null }]
  const { groups } = await clean(directory, segments, { firstUncleanableOffset: far + 3, producers: known })
  const [group] = groups
  expect(group?.inputs).toEqual([0n])
  expect(group?.outputs.map(({ baseOffset }) => baseOffset)).toEqual([0n, BigInt(far)])
  expect(group?.outputs.map((output) => output.aborted)).toEqual([[aborted(7, 1, 2)], []])
  expect(recordsIn(directory)).toEqual(['0 a=1', `${far} b=1`, `${far + 2} z=1`])
})

test('indexes of the output lead to its batches', async () => {
  const directory = tempDir()
  const batches = Array.from({ length: 60 }, (_, n) => one(n, `k${n % 40}`, 'value'))
  const segments = await makeSegments(directory, [{ baseOffset: 0, batches }])
  await clean(directory, segments, { firstUncleanableOffset: 60, settings: { ioBufferBytes: 300 } })
  const place = { backend: backendUnderTest(), directory, mode: 'read' } as const
  const options = {
    place,
    openSegments: new OpenSegments(3),
    baseOffset: 0n,
    indexIntervalBytes: 0,
    createdMs: 0,
    rollJitterMs: 0,
  }
  const sizeInBytes = statSync(join(directory, '00000000000000000000.log')).size
  const segment = Segment.existing(options, { sizeInBytes, modifiedMs: 0 })
  expect(segment.offsetEntries).toBeGreaterThan(10)
  expect(segment.timeEntries).toBeGreaterThan(10)
  for (const { baseOffset } of batchesIn(directory))
    expect(segment.translate(Number(baseOffset)).batch?.baseOffset).toBe(baseOffset)
  expect(segment.maxTimestamp()).toEqual({ timestamp: 1059n, offset: 59n })
  await segment.retire()
})

test('a pass tells how far it has come, and asks before it reads and after it writes', async () => {
  const directory = tempDir()
  const batches = Array.from({ length: 20 }, (_, n) => one(n, `k${n}`, 'value'))
  const segments = await makeSegments(directory, [
    { baseOffset: 0, batches: batches.slice(0, 10) },
    { baseOffset: 10, batches: batches.slice(10) },
  ])
  const told: CleanProgress[] = []
  const asked: number[] = []
  await clean(directory, segments, {
    firstDirtyOffset: 10,
    firstUncleanableOffset: 20,
    settings: { ioBufferBytes: 300 },
    steps: { progress: (progress) => told.push(progress), checkpoint: (bytes) => asked.push(bytes) },
  })
  const total = segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
  const last = (phase: string) => told.findLast((progress) => progress.phase === phase)
  expect(last('map')).toEqual({
    phase: 'map',
    doneBytes: segments[1]?.sizeInBytes,
    totalBytes: segments[1]?.sizeInBytes,
  })
  expect(last('copy')).toEqual({ phase: 'copy', doneBytes: total, totalBytes: total })
  expect(Math.max(...asked)).toBeLessThanOrEqual(300)
  expect(asked.length).toBeGreaterThan(told.length)
})

test('files that the log was told of are the log’s, whatever becomes of the swap', async () => {
  const directory = tempDir()
  const segments = await makeSegments(directory, [{ baseOffset: 0, batches: [one(0, 'a', '1')] }])
  const swap = () => Promise.reject(new Error('no'))
  const error = await rejection(() =>
    clean(directory, segments, { firstUncleanableOffset: 1, steps: { swap } }),
  )
  expect(error.message).toBe('no')
  expect(leftoversIn(directory)).toHaveLength(3)
})

test('nothing above the end of the map is changed, in a batch or behind', async () => {
  const directory = tempDir()
  const batches = [
    put(0, [
      { key: 'a', value: '1' },
      { key: 'b', value: '2' },
      { key: null, value: 'x' },
    ]),
    one(3, 'a', '3'),
    one(4, null, 'y'),
  ]
  const segments = await makeSegments(directory, [{ baseOffset: 0, batches }])
  const settings = { mapBytes: 48, loadFactor: 1 }
  const { endOffset } = await clean(directory, segments, { firstUncleanableOffset: 5, settings })
  expect(endOffset).toBe(1n)
  expect(Buffer.concat(batchesIn(directory).map(({ bytes }) => bytes))).toEqual(Buffer.concat(batches))
})

test('a tombstone above the end of the map has its horizon from the first cleaning on, as in Kafka', async () => {
  const directory = tempDir()
  const pair = [
    { key: 'a', value: '1' },
    { key: 'b', value: null },
  ]
  const segments = await makeSegments(directory, [
    { baseOffset: 0, batches: [put(0, pair), one(2, 'a', null)] },
  ])
  const settings = { mapBytes: 48, loadFactor: 1 }
  const { endOffset } = await clean(directory, segments, { firstUncleanableOffset: 3, settings })
  expect(endOffset).toBe(1n)
  const batches = batchesIn(directory)
  expect(batches.map(({ count }) => count)).toEqual([2, 1])
  expect(batches.map(({ deleteHorizonMs }) => deleteHorizonMs)).toEqual(
    batches.map(() => BigInt(NOW_MS + DAY_MS)),
  )
})

test('more records in a batch than can be looked at are refused, with their place', async () => {
  const directory = tempDir()
  const count = 2 ** 24 + 1
  // Of records without key and value: 7 bytes each.
  const records = Buffer.alloc(count * 7, Buffer.from([12, 0, 0, 0, 1, 1, 0]))
  const bytes = Buffer.concat([one(0, 'a', '1').subarray(0, 61), gzipSync(records, { level: 1 })])
  bytes.writeInt32BE(bytes.length - 12, 8)
  bytes.writeInt16BE(1, 21)
  bytes.writeInt32BE(count - 1, 23)
  bytes.writeInt32BE(count, 57)
  const segments = await makeSegments(directory, [{ baseOffset: 0, batches: [resealed(bytes)] }])
  const settings = { maxDecompressedBytes: 2 ** 27 }
  const error = await rejection(() => clean(directory, segments, { firstUncleanableOffset: count, settings }))
  expect(error).toMatchObject({ code: 'ERR_BATCH_TOO_LARGE', position: 0, expected: 2 ** 24, actual: count })
})

test('an unknown codec is refused by its name and place', async () => {
  const directory = tempDir()
  const bytes = one(0, 'a', '1')
  bytes.writeInt16BE(5, 21)
  bytes.writeBigInt64BE(1n, 0)
  const sound = one(0, 'a', '1')
  const segments = await makeSegments(directory, [{ baseOffset: 0, batches: [sound, resealed(bytes)] }])
  const error = await rejection(() => clean(directory, segments, { firstUncleanableOffset: 2 }))
  const path = join(directory, '00000000000000000000.log')
  expect(error).toMatchObject({ code: 'ERR_UNSUPPORTED', path, position: sound.length })
})

test('records that are none end the cleaning with the place of their batch', async () => {
  const directory = tempDir()
  const bytes = put(1, [
    { key: 'a', value: '1' },
    { key: 'b', value: '1' },
  ])
  bytes.writeInt32BE(3, 57)
  const segments = await makeSegments(directory, [
    { baseOffset: 0, batches: [one(0, 'c', '1'), resealed(bytes)] },
  ])
  const error = await rejection(() => clean(directory, segments, { firstUncleanableOffset: 3 }))
  expect(error).toMatchObject({ code: 'ERR_CORRUPT', kind: 'batch', position: 70 })
})
