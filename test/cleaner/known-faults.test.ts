/** Faults that cleaners of this kind have had, each shown to be absent. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import type { Batch } from '../../lib/format/batch.js'
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
  type SegmentSpec,
  transactional,
} from '../support/cleaning.js'
import { rejection } from '../support/errors.js'
import { message } from '../support/legacy-bytes.js'
import { tempDir } from '../support/temp-dir.js'

beforeAll(async () => {
  for (const name of ['gzip', 'snappy', 'lz4', 'zstd'] as const) await loadCodec(name)
})

async function logOf(...specs: readonly SegmentSpec[]) {
  const directory = tempDir()
  return { directory, segments: await makeSegments(directory, specs) }
}

const shape = ({ baseOffset, lastOffset, count }: Batch) => [Number(baseOffset), Number(lastOffset), count]

/** A key whose bytes are those of a marker's key. */
const markerKey = (type: 0 | 1) => String.fromCharCode(0, 0, 0, type)

/** A map of two keys. */
const TWO_KEYS = { mapBytes: 24 * 3, loadFactor: 0.9 }

/** Each segment in a group of its own. */
const ALONE = { segmentBytes: 1 }

test('known fault 32: aborted transactions are collected above the point where the map was full', async () => {
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: [
      put(0, [
        { key: 'a', value: '1' },
        { key: 'b', value: '1' },
      ]),
      one(2, 'c', '1'),
      one(3, 'x', 'aborted', transactional(7)),
      one(4, 'y', 'aborted', transactional(7, 1)),
      marker(5, 'ABORT', 7),
    ],
    aborted: [aborted(7, 3, 5)],
  })
  const { endOffset, groups } = await clean(directory, segments, {
    firstUncleanableOffset: 6,
    settings: TWO_KEYS,
  })
  expect(endOffset).toBe(2n)
  expect(recordsIn(directory)).toEqual(['0 a=1', '1 b=1', '2 c=1'])
  expect(batchesIn(directory).at(-1)?.isControl).toBe(true)
  expect(groups[0]?.outputs[0]?.aborted).toEqual([aborted(7, 3, 5)])
  expect(readFileSync(join(directory, '00000000000000000000.txnindex'))).toHaveLength(34)
})

test('known fault 38: a chunk of nothing but discarded batches is one like any other', async () => {
  const sent = Array.from({ length: 50 }, (_, n) => one(n, `k${n}`, 'aborted', transactional(7, n)))
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: [...sent, marker(50, 'ABORT', 7), one(51, 'a', '1')],
    aborted: [aborted(7, 0, 50)],
  })
  const { counts } = await clean(directory, segments, {
    firstUncleanableOffset: 52,
    settings: { ioBufferBytes: 200 },
  })
  expect(recordsIn(directory)).toEqual(['51 a=1'])
  expect(counts.bytesRead).toBe(segments[0]?.sizeInBytes)
})

test.each([
  ['ABORT', 0],
  ['COMMIT', 1],
] as const)('known fault 83: a record whose key is that of a marker takes no %s away', async (type, id) => {
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: [
      one(0, 'a', '1', transactional(7)),
      marker(1, type, 7),
      one(2, markerKey(id), 'data'),
      one(3, 'b', '1'),
    ],
    ...(type === 'ABORT' ? { aborted: [aborted(7, 0, 1)] } : {}),
  })
  await clean(directory, segments, { firstUncleanableOffset: 4 })
  expect(
    batchesIn(directory)
      .filter(({ isControl }) => isControl)
      .map(shape),
  ).toEqual([[1, 1, 1]])
})

test.each(['ABORT', 'COMMIT'] as const)(
  'known fault 85: an %s stays while data of its transaction lies in the group before',
  async (type) => {
    const entries = type === 'ABORT' ? [aborted(7, 0, 2)] : []
    const { directory, segments } = await logOf(
      { baseOffset: 0, batches: [one(0, 'a', '1', transactional(7))] },
      { baseOffset: 2, batches: [marker(2, type, 7), one(3, 'b', '1')], aborted: entries },
    )
    const { groups } = await clean(directory, segments, { firstUncleanableOffset: 4, config: ALONE })
    expect(groups).toHaveLength(2)
    const end = batchesIn(directory).find(({ isControl }) => isControl)
    expect(end?.deleteHorizonMs).toBeNull()
    expect(groups[1]?.outputs[0]?.aborted).toEqual(entries)
  },
)

test('known fault 85: a marker goes when nothing of its transaction is left, once its horizon has passed', async () => {
  const { directory, segments } = await logOf(
    { baseOffset: 0, batches: [one(0, 'a', 'old', transactional(7)), one(1, 'a', 'new')] },
    { baseOffset: 2, batches: [marker(2, 'COMMIT', 7), one(3, 'b', '1')] },
  )
  const markers = () => batchesIn(directory).filter(({ isControl }) => isControl)
  const options = { firstUncleanableOffset: 4, config: ALONE }
  const first = await clean(directory, segments, options)
  expect(markers().map(({ deleteHorizonMs }) => deleteHorizonMs)).toEqual([null])
  const second = await clean(directory, first.segments, options)
  expect(markers().map(({ deleteHorizonMs }) => deleteHorizonMs)).toEqual([BigInt(NOW_MS + DAY_MS)])
  const third = await clean(directory, second.segments, { ...options, nowMs: NOW_MS + DAY_MS - 1 })
  expect(markers()).toHaveLength(1)
  await clean(directory, third.segments, { ...options, nowMs: NOW_MS + DAY_MS })
  expect(markers()).toEqual([])
  expect(recordsIn(directory)).toEqual(['1 a=new', '3 b=1'])
})

test('known fault 86: of a producer the last batch stays, even empty, and no other', async () => {
  const again = { producer: { id: 9, epoch: 0, baseSequence: 0 } }
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: [
      one(0, 'a', '1', again),
      one(1, 'a', '2', again),
      one(2, 'a', '3', again),
      one(3, 'a', '4'),
      one(4, 'z', '1'),
    ],
  })
  const last = { producerId: 9n, producerEpoch: 0, lastDataOffset: 2n }
  const options = { firstUncleanableOffset: 5, producers: [last] }
  const first = await clean(directory, segments, options)
  expect(batchesIn(directory).map(shape)).toEqual([
    [2, 2, 0],
    [3, 3, 1],
    [4, 4, 1],
  ])
  expect(batchesIn(directory)[0]).toMatchObject({
    producerId: 9n,
    producerEpoch: 0,
    baseSequence: 0,
    lastSequence: 0,
  })
  await clean(directory, first.segments, { firstUncleanableOffset: 5 })
  expect(batchesIn(directory).map(shape)).toEqual([
    [3, 3, 1],
    [4, 4, 1],
  ])
})

test('known fault 88: the last batch of a round stays, empty if need be, and tells where the log goes on', async () => {
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: [
      one(0, 'a', '1'),
      put(1, [
        { key: null, value: 'x' },
        { key: null, value: 'y' },
      ]),
    ],
  })
  await clean(directory, segments, { firstUncleanableOffset: 3 })
  expect(batchesIn(directory).map(shape)).toEqual([
    [0, 0, 1],
    [1, 2, 0],
  ])
})

test('known fault 89: a tombstone lives from its first cleaning for delete.retention.ms, whatever is written meanwhile', async () => {
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: [
      put(0, [
        { key: 'a', value: null, timestamp: 5000 },
        { key: 'b', value: '1', timestamp: 6000 },
      ]),
    ],
  })
  const first = await clean(directory, segments, { firstUncleanableOffset: 2 })
  const [batch] = batchesIn(directory)
  expect(batch?.deleteHorizonMs).toBe(BigInt(NOW_MS + DAY_MS))
  expect([...(batch as Batch).records()].map(({ timestamp }) => timestamp)).toEqual([5000n, 6000n])
  const [later] = await makeSegments(directory, [
    { baseOffset: 2, batches: [one(2, 'c', '1')], modifiedMs: NOW_MS + DAY_MS },
  ])
  const second = await clean(directory, [...first.segments, later!], {
    firstDirtyOffset: 2,
    firstUncleanableOffset: 3,
    nowMs: NOW_MS + DAY_MS,
  })
  expect(recordsIn(directory)).toEqual(['1 b=1', '2 c=1'])
  expect(second.endOffset).toBe(3n)
})

test('known fault 91: a tombstone that goes does not bring an older value back', async () => {
  const values = ['1', '2', '3'].map((value, n) => one(n, 'a', value))
  const { directory, segments } = await logOf(
    { baseOffset: 0, batches: values },
    { baseOffset: 3, batches: [one(3, 'a', null), one(4, 'b', '1')] },
    { baseOffset: 5, batches: [one(5, 'c', '1')] },
  )
  // A map of one key, full at each record: days lie between the rounds that see the values and the one that sees the tombstone.
  const settings = { mapBytes: 24 * 2, loadFactor: 0.9 }
  let log = segments
  let dirty = 0
  for (let nowMs = NOW_MS; dirty < 6; nowMs += 2 * DAY_MS) {
    const round = await clean(directory, log, {
      firstDirtyOffset: dirty,
      firstUncleanableOffset: 6,
      config: ALONE,
      settings,
      nowMs,
    })
    log = [...round.segments]
    dirty = Number(round.endOffset)
    expect(recordsIn(directory).findLast((text) => text.includes(' a=')) ?? '3 a=null').toBe('3 a=null')
  }
  expect(recordsIn(directory)).toEqual(['4 b=1', '5 c=1'])
})

test('known fault 92: a batch above max.message.bytes is cleaned, and the buffer grows for it', async () => {
  const large = 'x'.repeat(100_000)
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: [
      one(0, 'a', '1'),
      put(1, [
        { key: 'a', value: large },
        { key: 'b', value: large },
      ]),
      one(3, 'b', '2'),
    ],
  })
  await clean(directory, segments, {
    firstUncleanableOffset: 4,
    config: { maxMessageBytes: 1000 },
    settings: { ioBufferBytes: 300 },
  })
  expect(recordsIn(directory)).toEqual([`1 a=${large}`, '3 b=2'])
})

test('known fault 92: a batch beyond what a cleaning takes ends it, with its place', async () => {
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: [one(0, 'a', '1'), one(1, 'b', 'x'.repeat(5000))],
  })
  const error = await rejection(() =>
    clean(directory, segments, {
      firstUncleanableOffset: 2,
      settings: { ioBufferBytes: 300, maxBatchBytes: 4000 },
    }),
  )
  expect(error).toMatchObject({
    code: 'ERR_BATCH_TOO_LARGE',
    path: join(directory, '00000000000000000000.log'),
    position: 70,
  })
})

test('known fault 94: a map that cannot hold a segment is filled, and the cleaning ends within it', async () => {
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: Array.from({ length: 11 }, (_, n) => one(n, `k${n}`, '1')),
  })
  const settings = { mapBytes: 24 * 11, loadFactor: 0.9 }
  const first = await clean(directory, segments, { firstUncleanableOffset: 11, settings })
  expect(first.endOffset).toBe(9n)
  expect(first.counts).toMatchObject({ keys: 9, slots: 11, mapRecordsRead: 9 })
  const second = await clean(directory, first.segments, {
    firstDirtyOffset: 9,
    firstUncleanableOffset: 11,
    settings,
  })
  expect(second.endOffset).toBe(11n)
  expect(recordsIn(directory)).toHaveLength(11)
})

test('known fault 94: a map that holds no key is refused', async () => {
  const { directory, segments } = await logOf({ baseOffset: 0, batches: [one(0, 'a', '1')] })
  const error = await rejection(() =>
    clean(directory, segments, { firstUncleanableOffset: 1, settings: { mapBytes: 24, loadFactor: 0.9 } }),
  )
  expect(error.code).toBe('ERR_CONFIG_INVALID')
})

test('known fault 95: a round over missing offsets comes to their end', async () => {
  const { directory, segments } = await logOf(
    { baseOffset: 0, batches: [one(0, 'a', '1')] },
    { baseOffset: 10, batches: [] },
    { baseOffset: 20, batches: [put(20, [{ key: null, value: 'x' }])] },
  )
  const { endOffset } = await clean(directory, segments, { firstDirtyOffset: 5, firstUncleanableOffset: 30 })
  expect(endOffset).toBe(30n)
})

test('known fault 100: empty segments far apart are joined with what lies before', async () => {
  const { directory, segments } = await logOf(
    { baseOffset: 0, batches: [one(0, 'a', '1')] },
    { baseOffset: 2 ** 32, batches: [] },
    { baseOffset: 2 ** 33, batches: [] },
  )
  const { groups } = await clean(directory, segments, { firstUncleanableOffset: 2 ** 34 })
  expect(groups.map(({ inputs }) => inputs)).toEqual([[0n, BigInt(2 ** 32), BigInt(2 ** 33)]])
  expect(recordsIn(directory)).toEqual(['0 a=1'])
})

test('known fault 104: the codec stays as it is stored; old formats become magic 2, as with Kafka 4.4.0', async () => {
  const legacy = (magic: number, offset: number, key: string, value: string) =>
    message({ magic, offset: BigInt(offset), key: Buffer.from(key), value: Buffer.from(value) })
  const pair = (from: number) => [
    { key: 'a', value: `${from}` },
    { key: `k${from}`, value: '1' },
  ]
  const { directory, segments } = await logOf({
    baseOffset: 0,
    batches: [
      legacy(0, 0, 'l0', '1'),
      legacy(1, 1, 'l1', '1'),
      put(2, pair(2), { compression: 'gzip' }),
      put(4, pair(4), { compression: 'lz4' }),
      put(6, pair(6), { compression: 'snappy' }),
      put(8, pair(8), { compression: 'zstd' }),
      put(10, pair(10)),
    ],
  })
  await clean(directory, segments, { firstUncleanableOffset: 12 })
  expect(batchesIn(directory).map(({ magic, codec, count }) => [magic, codec, count])).toEqual([
    [2, 'none', 1],
    [2, 'none', 1],
    [2, 'gzip', 1],
    [2, 'lz4', 1],
    [2, 'snappy', 1],
    [2, 'zstd', 1],
    [2, 'none', 2],
  ])
})

const twoSegments = () =>
  logOf(
    { baseOffset: 0, batches: [one(0, 'a', '1'), one(1, 'b', '1')] },
    { baseOffset: 2, batches: [one(2, 'a', '2')] },
  )

test('known fault 106: a cleaning that is stopped anywhere leaves no file of its own, and the next one does it', async () => {
  const steps = []
  for (let stopAt = 1; ; stopAt++) {
    const { directory, segments } = await twoSegments()
    let calls = 0
    const checkpoint = () => {
      if (++calls === stopAt) throw new Error('stop')
    }
    const result = await clean(directory, segments, {
      firstUncleanableOffset: 3,
      steps: { checkpoint },
    }).catch((error: Error) => error.message)
    expect(leftoversIn(directory)).toEqual([])
    if (result !== 'stop') break
    steps.push(stopAt)
    await clean(directory, segments, { firstUncleanableOffset: 3 })
    expect(recordsIn(directory)).toEqual(['1 b=1', '2 a=2'])
  }
  expect(steps.length).toBeGreaterThan(6)
})

test('known fault 106: damage in the middle leaves no file behind', async () => {
  const { directory, segments } = await twoSegments()
  const path = join(directory, '00000000000000000002.log')
  const bytes = readFileSync(path)
  bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1
  writeFileSync(path, bytes)
  const error = await rejection(() => clean(directory, segments, { firstUncleanableOffset: 3 }))
  expect(error).toMatchObject({ code: 'ERR_CORRUPT', path, position: 0, kind: 'batch' })
  expect(leftoversIn(directory)).toEqual([])
})

test('known fault 106: what a killed thread left is no part of what is written', async () => {
  const { directory, segments } = await twoSegments()
  for (const name of [
    '00000000000000000000.log',
    '00000000000000000000.txnindex',
    '00000000000000000001.index',
  ])
    writeFileSync(join(directory, `${name}.cleaned`), 'left behind')
  await clean(directory, segments, { firstUncleanableOffset: 3 })
  expect(leftoversIn(directory)).toEqual([])
  expect(recordsIn(directory)).toEqual(['1 b=1', '2 a=2'])
})
