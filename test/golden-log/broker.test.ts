/**
 * A log directory that a real broker wrote: every log of it opens, reads as
 * Kafka read it, and lies there unchanged when it is closed.
 */
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { INT64_MAX } from '../../lib/base/int64.js'
import type { LogRecord } from '../../lib/format/record.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { parseTransactionIndex } from '../../lib/segment/transaction-index.js'
import {
  batchForm,
  expected,
  GOLDEN,
  type GoldenBatch,
  goldenFiles,
  withoutControl,
} from '../support/golden.js'
import { testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'

const BROKER = 'broker-4.4.0'
/** The last segment of segments-0. */
const LAST = '00000000000000000297'

interface Partition {
  readonly partition: string
  readonly settings: Record<string, string>
  readonly logStartOffset: string
  readonly logEndOffset: string
  readonly lastStableOffset: string
  readonly readUncommitted: readonly string[]
  readonly readCommitted: readonly string[]
}

const partitions = expected<Partition>(`${BROKER}/partitions`)
const modes = [
  { mode: 'writable', options: {} },
  { mode: 'read-only', options: { readOnly: true } },
] as const
const everyLog = partitions.flatMap((partition) =>
  modes.map((mode) => ({ ...partition, ...mode, name: partition.partition })),
)

/** What closing a log may rewrite with the same lines in another order. */
const CHECKPOINTS = [
  'recovery-point-offset-checkpoint',
  'log-start-offset-checkpoint',
  'replication-offset-checkpoint',
]

/** The marker comes back without the broker's epoch, which is no more ours to claim. */
const REWRITTEN = new Set([...CHECKPOINTS, '.kafka_cleanshutdown'])

function brokerCopy(): string {
  const directory = tempDir()
  cpSync(join(GOLDEN, BROKER), directory, { recursive: true })
  return directory
}

it('knows every partition of the directory', () => {
  const directories = readdirSync(join(GOLDEN, BROKER), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  expect(partitions.map(({ partition }) => partition).sort()).toEqual(directories.sort())
})

describe.each(everyLog)(
  '$name, $mode',
  ({ name, options, logStartOffset, logEndOffset, lastStableOffset, readUncommitted, readCommitted }) => {
    let directory: string
    let log: PartitionLog
    let before: Record<string, string>
    const batches = goldenFiles(`${BROKER}/${name}`, '.log').flatMap((file) =>
      expected<GoldenBatch>(`${BROKER}/${name}/${file}`).map((batch) => ({
        ...withoutControl(batch),
        file,
      })),
    )

    beforeAll(async () => {
      directory = brokerCopy()
      before = treeOf(directory)
      log = await openLogOn(testMachine(), join(directory, name), options)
      return () => log.close()
    })

    it('starts and ends where Kafka says', () => {
      const { offsets } = log
      const [start, end] = [BigInt(logStartOffset), BigInt(logEndOffset)]
      expect([offsets.logStartOffset, offsets.logEndOffset]).toEqual([start, end])
      expect([offsets.highWatermark, offsets.durableOffset, offsets.recoveryPoint]).toEqual([end, end, end])
    })

    it('has the leader epochs of its checkpoint', () => {
      const [, , ...lines] = readFileSync(join(directory, name, 'leader-epoch-checkpoint'), 'utf8')
        .trim()
        .split('\n')
      expect(log.leaderEpochs.map(({ epoch, startOffset }) => `${epoch} ${startOffset}`)).toEqual(lines)
    })

    it('reads batch by batch as Kafka', async () => {
      const seen: object[] = []
      for await (const batch of log.read().batches()) {
        expect(batch.isValid()).toBe(true)
        const { batch: place, path } = log.locate(batch.lastOffset)
        seen.push({ ...batchForm(batch, place?.position ?? -1), file: path.slice(-24) })
      }
      const readable = batches.filter(({ lastOffset }) => BigInt(lastOffset) >= BigInt(logStartOffset))
      expect(seen).toEqual(readable)
    })

    it('reads the records that a consumer was given', async () => {
      const records = await all(log)
      expect(records.map(({ offset }) => String(offset))).toEqual(readUncommitted)
      const inBatches = dataRecords(batches, BigInt(logStartOffset))
      expect(records.map(({ offset, timestamp }) => [offset, timestamp])).toEqual(inBatches)
    })

    it('gives a reader of committed data what such a consumer was given', async () => {
      expect(log.offsets.lastStableOffset).toBe(BigInt(lastStableOffset))
      const records = await all(log, { isolation: 'committed' })
      expect(records.map(({ offset }) => String(offset))).toEqual(readCommitted)
      for (let from = BigInt(logStartOffset); from <= BigInt(lastStableOffset); from++) {
        const offsets = readCommitted.map(BigInt)
        const [first] = await all(log, { from, maxRecords: 1, isolation: 'committed' })
        expect(first?.offset).toBe(offsets.find((offset) => offset >= from))
      }
    })

    it('finds the batch of every offset', () => {
      for (let offset = BigInt(logStartOffset); offset <= BigInt(logEndOffset); offset++) {
        const holder = batches.find(({ lastOffset }) => BigInt(lastOffset) >= offset)
        const { batch } = log.locate(offset)
        expect(
          batch && { ...batch, baseOffset: `${batch.baseOffset}`, lastOffset: `${batch.lastOffset}` },
        ).toEqual(holder === undefined ? null : placeOf(holder))
      }
    })

    it('finds the first record at or after every time, a marker too', async () => {
      const records = timedRecords(batches, BigInt(logStartOffset))
      const times = records.flatMap(([, timestamp]) => [timestamp - 1n, timestamp, timestamp + 1n])
      for (const time of new Set([0n, ...times])) {
        if (time > INT64_MAX) continue
        const first = records.find(([, timestamp]) => timestamp >= time)
        const found = await log.offsetForTimestamp(time)
        expect(found && [found.offset, found.timestamp], `time ${time}`).toEqual(first ?? null)
      }
    })

    it('finds the first record with the largest time', async () => {
      const records = timedRecords(batches, BigInt(logStartOffset))
      const largest = records.reduce((max, [, timestamp]) => (timestamp > max ? timestamp : max), -1n)
      const first = records.find(([, timestamp]) => timestamp === largest)
      const found = await log.offsetForMaxTimestamp()
      expect(found && [found.offset, found.timestamp]).toEqual(first ?? null)
    })

    it('reads from every offset on', async () => {
      const offsets = readUncommitted.map(BigInt)
      for (let from = BigInt(logStartOffset); from <= BigInt(logEndOffset); from++) {
        const [first] = await all(log, { from, maxRecords: 1 })
        expect(first?.offset).toBe(offsets.find((offset) => offset >= from))
      }
    })

    it('leaves every file as it was, and makes none', async () => {
      await log.close()
      const after = treeOf(directory)
      // Without a segment, and not the last: gone when the log was opened, as in a broker.
      const stray = 'segments-0/00000000000000000330.snapshot'
      const isData = (path: string) => !REWRITTEN.has(path) && path !== stray
      if (!('readOnly' in options) && name === 'segments-0') expect(after).not.toHaveProperty([stray])
      expect(onlyKeys(after, isData)).toEqual(onlyKeys(before, isData))
      for (const file of CHECKPOINTS) expect(sortedLines(after[file])).toEqual(sortedLines(before[file]))
      expect('.kafka_cleanshutdown' in after).toBe(true)
    })
  },
)

describe('the indexes of a broker', () => {
  const files = partitions.flatMap(({ partition }) =>
    goldenFiles(`${BROKER}/${partition}`, 'index').map((file) => ({ partition, file })),
  )
  const backend = testMachine().backend

  it.each(files.filter(({ file }) => file.endsWith('.index')))('$partition/$file', async (at) => {
    const index = backend.openIndexFile(pathOf(at), { kind: 'offset', mode: 'read', capacityBytes: 0 })
    const entries = Array.from({ length: index.entries }, (_, n) => index.entry(n))
    await index.close()
    const base = baseOf(at.file)
    expect(
      entries.map((entry) => ({
        offset: `${base + BigInt(entry.relativeOffset)}`,
        position: entry.position,
      })),
    ).toEqual(expected(relative(at)))
  })

  it.each(files.filter(({ file }) => file.endsWith('.timeindex')))('$partition/$file', async (at) => {
    const index = backend.openIndexFile(pathOf(at), { kind: 'time', mode: 'read', capacityBytes: 0 })
    const entries = Array.from({ length: index.entries }, (_, n) => index.entry(n))
    await index.close()
    const base = baseOf(at.file)
    expect(
      entries.map((entry) => ({
        timestamp: `${entry.timestamp}`,
        offset: `${base + BigInt(entry.relativeOffset)}`,
      })),
    ).toEqual(expected(relative(at)))
  })

  it.each(files.filter(({ file }) => file.endsWith('.txnindex')))('$partition/$file', (at) => {
    const entries = parseTransactionIndex(at.file, readFileSync(pathOf(at)), baseOf(at.file))
    const text = entries.map((entry) => ({
      producerId: `${entry.producerId}`,
      firstOffset: `${entry.firstOffset}`,
      lastOffset: `${entry.lastOffset}`,
      lastStableOffset: `${entry.lastStableOffset}`,
    }))
    expect(text).toEqual(expected(relative(at)))
  })
})

describe('a broker directory that is opened log by log', () => {
  it('grows the indexes of the active segment, and cuts them back', async () => {
    const directory = brokerCopy()
    const log = await openLogOn(testMachine(), join(directory, 'segments-0'), {
      config: { segmentIndexBytes: 400 },
    })
    expect(log.segments.at(-1)).toMatchObject({ offsetIndexBytes: 400, timeIndexBytes: 396 })
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n, 99n, 198n, 297n])
    const lengths = () =>
      ['index', 'timeindex'].map((kind) => statSync(join(directory, `segments-0/${LAST}.${kind}`)).size)
    expect(lengths()).toEqual([400, 396])
    await log.close()
    expect(lengths()).toEqual(
      ['index', 'timeindex'].map((kind) => statSync(join(GOLDEN, BROKER, `segments-0/${LAST}.${kind}`)).size),
    )
  })

  it('goes on where the broker stopped, in its last leader epoch', async () => {
    const directory = brokerCopy()
    const log = await openLogOn(testMachine({ nowMs: 1_796_100_000_000 }), join(directory, 'records-0'))
    expect(log.append([{ key: 'k', value: 'v' }])).toMatchObject({ baseOffset: 62n, lastOffset: 62n })
    const [batch] = await allBatches(log, 62n)
    expect(batch?.partitionLeaderEpoch).toBe(2)
    await log.close()
    expect(existsSync(join(directory, 'records-0', 'partition-log.properties'))).toBe(false)
    const lines = readFileSync(join(directory, 'recovery-point-offset-checkpoint'), 'utf8').split('\n')
    expect(lines).toContain('records 0 63')
    expect(lines).toContain('__transaction_state 0 39')
  })
})

function pathOf({ partition, file }: { partition: string; file: string }): string {
  return join(GOLDEN, BROKER, partition, file)
}

function relative({ partition, file }: { partition: string; file: string }): string {
  return `${BROKER}/${partition}/${file}`
}

function baseOf(file: string): bigint {
  return BigInt(file.slice(0, 20))
}

function placeOf({ position, sizeInBytes, baseOffset, lastOffset }: GoldenBatch) {
  return { position, sizeInBytes, baseOffset, lastOffset }
}

/** Offset and timestamp of the records that are no markers. */
function dataRecords(batches: readonly GoldenBatch[], from: bigint): [bigint, bigint][] {
  return timedRecords(
    batches.filter(({ isControl }) => !isControl),
    from,
  )
}

function timedRecords(batches: readonly GoldenBatch[], from: bigint): [bigint, bigint][] {
  return batches
    .flatMap(({ records }) => records)
    .map(({ offset, timestamp }): [bigint, bigint] => [BigInt(offset), BigInt(timestamp)])
    .filter(([offset]) => offset >= from)
}

async function all(log: PartitionLog, options = {}): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for await (const record of log.read(options)) records.push(record)
  return records
}

async function allBatches(log: PartitionLog, from: bigint) {
  const batches = []
  for await (const batch of log.read({ from }).batches()) batches.push(batch)
  return batches
}

function onlyKeys(tree: Record<string, string>, keep: (path: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => keep(path)))
}

function sortedLines(hex: string | undefined): string[] | undefined {
  return hex === undefined ? undefined : Buffer.from(hex, 'hex').toString().split('\n').sort()
}
