/**
 * The driver of Kafka's own log: that it speaks its protocol, that its time
 * and its tasks move only when told to, and that a refusal is no fault. What
 * Kafka's rules are is not the question here.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { tempDir } from '../../support/temp-dir.js'
import { JavaProcess } from '../support/java-process.js'

const NOW = 1_700_000_000_000
const SMALL = { 'internal.segment.bytes': '200' }

interface State {
  readonly logStartOffset: string
  readonly highWatermark: string
  readonly lastStableOffset: string
  readonly recoveryPoint: string
  readonly logEndOffset: string
  readonly segments: readonly { baseOffset: string; sizeInBytes: number; largestTimestamp: string | null }[]
  readonly epochs: readonly { epoch: number; startOffset: string }[]
}

interface Answer {
  readonly result?: unknown
  readonly refused?: string
  readonly message?: string
  readonly cause?: string
  readonly state?: State
}

const driver = new JavaProcess('driver.DriverMain')
let directory = ''

afterAll(() => driver.close())

beforeEach(async () => {
  await ask('quit-log')
  directory = tempDir()
})

const ask = (op: string, fields: object = {}) => driver.ask<Answer>({ op, ...fields })

const open = (config: Record<string, string> = {}, fields: object = {}) =>
  ask('open', { directory, config, nowMs: String(NOW), topicId: null, highWatermark: 'auto', ...fields })

const base64 = (text: string | null) => (text === null ? null : Buffer.from(text).toString('base64'))

function append(key: string | null, value: string | null, fields: object = {}): Promise<Answer> {
  const records = [{ timestamp: String(NOW), key: base64(key), value: base64(value), headers: [] }]
  return ask('append', { records, codec: 'none', leaderEpoch: 0, ...fields })
}

async function appendMany(count: number): Promise<State> {
  let last: Answer = {}
  for (let i = 0; i < count; i++) last = await append(`k${i % 2}`, 'v'.repeat(20))
  return last.state as State
}

const bases = (state: State | undefined) => state?.segments.map((segment) => segment.baseOffset)
const checkpoint = (name: string) => readFileSync(join(directory, `${name}-offset-checkpoint`), 'utf8')
const partition = () => readdirSync(join(directory, 'log-0'))

test('A new log has one empty segment; an append tells its offsets and the state after it', async () => {
  const topicId = 'AAAAAAAAAAAAAAAAAAAAQQ'
  expect((await open({}, { topicId })).state).toEqual({
    logStartOffset: '0',
    highWatermark: '0',
    lastStableOffset: '0',
    recoveryPoint: '0',
    logEndOffset: '0',
    segments: [
      { baseOffset: '0', sizeInBytes: 0, offsetIndexEntries: 0, timeIndexEntries: 0, largestTimestamp: null },
    ],
    epochs: [],
  })
  expect(readFileSync(join(directory, 'log-0/partition.metadata'), 'utf8')).toContain(topicId)
  const { result, state } = await append('k', 'value', { leaderEpoch: 4, codec: 'gzip' })
  const sizeInBytes = state?.segments[0]?.sizeInBytes
  expect(result).toEqual({ baseOffset: '0', lastOffset: '0', appendedBytes: sizeInBytes })
  expect(state).toMatchObject({ logEndOffset: '1', highWatermark: '1', recoveryPoint: '0' })
  expect(state?.segments[0]).toMatchObject({ largestTimestamp: String(NOW) })
  expect(state?.epochs).toEqual([{ epoch: 4, startOffset: '0' }])
})

test('A roll is flushed in the same step', async () => {
  await open(SMALL)
  const state = await appendMany(5)
  expect(bases(state)).toEqual(['0', '2', '4'])
  expect(state.recoveryPoint).toBe('4')
  expect((await ask('roll')).state).toMatchObject({ recoveryPoint: '5', logEndOffset: '5' })
})

test('What Kafka refuses is an answer, with the state that it leaves', async () => {
  await open({ ...SMALL, 'message.timestamp.after.max.ms': '1000' })
  expect(await append('k', 'v'.repeat(500))).toMatchObject({
    refused: 'RecordBatchTooLargeException',
    message: expect.stringContaining('200'),
    state: { logEndOffset: '0' },
  })
  const late = { timestamp: String(NOW + 1001), key: null, value: null, headers: [] }
  expect(await append('k', 'v', { records: [late] })).toMatchObject({
    refused: 'RecordValidationException',
    cause: 'InvalidTimestampException',
  })
  const rubbish = Buffer.alloc(100, 0x7f).toString('base64')
  expect(await ask('leader', { bytes: rubbish, leaderEpoch: 0 })).toMatchObject({
    refused: 'CorruptRecordException',
  })
  expect(await ask('truncate', { offset: '-1' })).toMatchObject({ refused: 'IllegalArgumentException' })
  expect(await ask('deleteBefore', { offset: '7' })).toMatchObject({ refused: 'OffsetOutOfRangeException' })
})

test('What is no refusal is a fault, and the next script begins all the same', async () => {
  await expect(ask('fetch')).rejects.toThrow('no log is open')
  await expect(open({ 'no.such.setting': '1' })).rejects.toThrow('no.such.setting')
  expect(await open({ 'retention.ms': 'soon' })).toEqual({
    refused: 'ConfigException',
    message: expect.stringContaining('retention.ms'),
  })
  await open()
  await expect(ask('levitate')).rejects.toThrow('levitate')
  await expect(ask('truncate', { offset: 7 })).rejects.toThrow('offset is no text')
  expect((await ask('quit-log')).state).toBeUndefined()
  expect((await open()).state?.logEndOffset).toBe('0')
})

test('Bytes that were fetched are appended by a follower at the same offsets, and only in order', async () => {
  await open()
  await appendMany(3)
  const all = { offset: '0', maxBytes: 1000, minOneBatch: true, isolation: 'logEnd' }
  const { bytes } = (await ask('fetch', all)).result as { bytes: string }
  expect(await ask('follower', { bytes, leaderEpoch: 0 })).toMatchObject({
    refused: 'UnexpectedAppendOffsetException',
  })
  await ask('truncateFully', { offset: '0' })
  expect((await ask('follower', { bytes, leaderEpoch: 0 })).result).toMatchObject({ lastOffset: '2' })
  expect((await ask('fetch', all)).result).toEqual({ bytes, aborted: [] })
})

test('A position, a time and an epoch are looked up', async () => {
  await open({ 'index.interval.bytes': '1' })
  await appendMany(3)
  await append('k', 'v', { leaderEpoch: 2 })
  const batch = { position: 180, sizeInBytes: 90 }
  expect((await ask('locate', { offset: '2' })).result).toEqual({
    segment: '0',
    indexEntry: { offset: '2', position: 180 },
    batch,
  })
  expect((await ask('locate', { offset: '9' })).result).toMatchObject({ segment: '0', batch: null })
  expect((await ask('time', { timestamp: String(NOW) })).result).toEqual({
    offset: '0',
    timestamp: String(NOW),
  })
  expect((await ask('time', { timestamp: String(NOW + 1) })).result).toBeNull()
  expect((await ask('maxTime')).result).toEqual({ offset: '0', timestamp: String(NOW) })
  expect((await ask('epochEnd', { epoch: 1 })).result).toEqual({ epoch: 0, offset: '3' })
  expect((await ask('epochEnd', { epoch: 3 })).result).toBeNull()
})

test('The high watermark is raised by hand, and comes back from its checkpoint', async () => {
  await open({}, { highWatermark: 'manual' })
  expect((await appendMany(3)).highWatermark).toBe('0')
  expect((await ask('highWatermark', { offset: '2' })).state?.highWatermark).toBe('2')
  expect(await ask('highWatermark', { offset: '4' })).toMatchObject({ refused: 'IllegalArgumentException' })
  expect(await ask('close')).toEqual({ result: null })
  expect(existsSync(join(directory, '.kafka_cleanshutdown'))).toBe(true)
  expect((await open({}, { highWatermark: 'manual' })).state).toMatchObject({
    highWatermark: '2',
    recoveryPoint: '3',
    logEndOffset: '3',
  })
})

test('Time stands until it is moved; retention and the deletion of files come due in it', async () => {
  await open({ ...SMALL, 'retention.ms': '60000', 'file.delete.delay.ms': '1000' })
  await appendMany(5)
  const retention = 30_000
  const period = 300_000
  expect(bases((await ask('advance', { ms: String(retention + period - 1) })).state)).toEqual(['0', '2', '4'])
  expect(bases((await ask('advance', { ms: '1' })).state)).toEqual(['5'])
  expect(partition().filter((name) => name.endsWith('.log.deleted'))).toHaveLength(3)
  await ask('advance', { ms: '999' })
  expect(partition().filter((name) => name.endsWith('.log.deleted'))).toHaveLength(3)
  await ask('advance', { ms: '1' })
  expect(partition().filter((name) => name.endsWith('.deleted'))).toEqual([])
})

test('One long advance leaves what many short ones leave', async () => {
  const seen: unknown[] = []
  for (const [times, ms] of [
    [1, 3_600_000],
    [360, 10_000],
  ] as const) {
    directory = tempDir()
    await open({ ...SMALL, 'retention.ms': '1000000', 'flush.ms': '20000' })
    await appendMany(5)
    let state: State | undefined
    for (let i = 0; i < times; i++) state = (await ask('advance', { ms: String(ms) })).state
    seen.push({ state, files: partition(), recovery: checkpoint('recovery-point') })
    await ask('crash')
  }
  expect(seen[1]).toEqual(seen[0])
  expect(seen[0]).toMatchObject({ state: { logStartOffset: '5' }, recovery: '0\n1\nlog 0 5\n' })
})

test('Retention runs at once when asked for', async () => {
  await open({ ...SMALL, 'retention.bytes': '200' })
  await appendMany(5)
  expect(bases((await ask('retain')).state)).toEqual(['2', '4'])
})

test('A log that is cleaned keeps the last value of each key, and remembers how far it came', async () => {
  await open({ ...SMALL, 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0.01' })
  await appendMany(9)
  const { result } = await ask('clean')
  expect(result).toMatchObject([
    {
      firstDirtyOffset: '0',
      firstUncleanableOffset: '8',
      endOffset: '8',
      dirtyRatio: 1,
      cleanBytes: 0,
      recordsRead: 8,
      recordsWritten: 2,
    },
  ])
  expect(checkpoint('cleaner')).toContain('log 0 8')
  expect((await ask('clean')).result).toEqual([])
  expect(await append(null, 'v')).toMatchObject({
    refused: 'RecordValidationException',
    cause: 'InvalidRecordException',
  })
})

test('After a crash nothing was written any more, and the log recovers', async () => {
  await open()
  await appendMany(3)
  expect((await ask('crash')).state).toBeUndefined()
  expect(existsSync(join(directory, '.lock'))).toBe(true)
  expect(existsSync(join(directory, '.kafka_cleanshutdown'))).toBe(false)
  expect(checkpoint('recovery-point')).toBe('')
  expect(statSync(join(directory, 'log-0/00000000000000000000.index')).size).toBeGreaterThan(1 << 20)
  expect((await open()).state).toMatchObject({ logEndOffset: '3', recoveryPoint: '0' })
})

test('Idempotence and transactions: duplicates, a gap, markers, and what is remembered of a producer', async () => {
  await open()
  const producer = { id: '7', epoch: 0, baseSequence: 0, transactional: true }
  await append('k', 'v', { producer })
  expect((await append('k', 'v', { producer })).result).toMatchObject({ baseOffset: '0', duplicate: true })
  expect(await append('k', 'v', { producer: { ...producer, baseSequence: 2 } })).toMatchObject({
    refused: 'OutOfOrderSequenceException',
    state: { logEndOffset: '1', lastStableOffset: '0' },
  })
  const marker = { producerId: '7', producerEpoch: 0, commit: false, coordinatorEpoch: 3, leaderEpoch: 0 }
  expect((await ask('marker', marker)).state?.lastStableOffset).toBe('2')
  expect(await ask('marker', { ...marker, coordinatorEpoch: 2 })).toMatchObject({
    refused: 'TransactionCoordinatorFencedException',
  })
  const read = { offset: '0', maxBytes: 1000, minOneBatch: true, isolation: 'committed' }
  expect((await ask('fetch', read)).result).toMatchObject({
    aborted: [{ producerId: '7', firstOffset: '0' }],
  })
  const batch = {
    firstSequence: 0,
    lastSequence: 0,
    firstOffset: '0',
    lastOffset: '0',
    timestamp: String(NOW),
  }
  expect((await ask('producers')).result).toEqual([
    {
      producerId: '7',
      producerEpoch: 0,
      coordinatorEpoch: 3,
      lastTimestamp: String(NOW),
      currentTxnFirstOffset: null,
      batches: [batch],
    },
  ])
})
