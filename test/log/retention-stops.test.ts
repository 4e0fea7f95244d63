/** A process that stops at any step of a retention, and what the next start finds. */
import { cpSync, readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { type CallKind, FailingMachine } from '../support/failing-machine.js'
import { closeLater, numbered, values } from '../support/log.js'
import { START_MS } from '../support/machine.js'
import { segmentedLog, segmentFilesOf } from '../support/segmented-log.js'
import { type Settling, settling } from '../support/settled.js'
import { memoryDir, removeDir } from '../support/temp-dir.js'

const MARKER = '.kafka_cleanshutdown'
const RECORDS = 5
const file = (base: number, kind: string) => `${String(base).padStart(20, '0')}.${kind}`

/** What changes something on the disk. */
const CHANGES: ReadonlySet<CallKind> = new Set([
  'write',
  'rename',
  'remove',
  'makeDirectory',
  'removeDirectory',
  'openLogFile',
  'append',
  'truncateLog',
  'trim',
  'resizeIndex',
  'flush',
  'flushPath',
])

/** Two records to a segment, the last one alone, each of an epoch of its own; snapshots beside. Closed cleanly. */
async function closedLog(config: LogConfigInput): Promise<string> {
  const { log, directory } = await segmentedLog({ segments: 0, config })
  for (let n = 0; n < RECORDS; n++) log.append(numbered(1, n, START_MS), { leaderEpoch: n })
  for (const base of [0, 2, 4]) writeFileSync(join(log.path, file(base, 'snapshot')), '')
  await log.close()
  return directory
}

interface Stopped {
  readonly path: string
  /** First offset that somebody was told is the log's start for good. */
  readonly promised: bigint
}

type Work = (log: PartitionLog, machine: Settling, promise: (start: bigint) => void) => Promise<void>

/** Does `work` on a machine that changes nothing any more from its `step`th change on; undefined where it was over before. */
async function stoppedAt(step: number, original: string, work: Work): Promise<Stopped | undefined> {
  const directory = memoryDir()
  cpSync(original, directory, { recursive: true, preserveTimestamps: true })
  const machine = new FailingMachine()
  const counting = settling(machine)
  const log = await openLogOn(counting.machine, join(directory, 'orders-0'))
  let changes = 0
  machine.fault = (kind) => (CHANGES.has(kind) && ++changes >= step ? 'EIO' : undefined)
  let promised = 0n
  await work(log, counting, (start) => {
    promised = start
  })
  const isOver = machine.failed.length === 0
  machine.fault = (kind) => (CHANGES.has(kind) ? 'EIO' : undefined)
  await log.close().catch(() => undefined)
  return isOver ? undefined : { path: log.path, promised }
}

const pass = async ({ machine, settled }: Settling, ms: number) => {
  ;(machine.clock as FailingMachine['clock']).advance(ms)
  await settled()
}

const tried = (work: Promise<unknown>) => work.catch((error) => expect(error.code).toMatch(/^ERR_/))

const retain: Work = async (log, machine) => {
  await tried(log.runRetention())
  await pass(machine, 60_000)
}

const deleteAndRetain: Work = async (log, machine, promise) => {
  await tried(log.deleteRecordsBefore(3).then(promise))
  await tried(log.runRetention())
  // The checkpoints behind the log, then the removal of the files.
  for (let time = 0; time < 3; time++) await pass(machine, 60_000)
}

/** The records that are left, which are the last ones without a gap. */
async function recordsOf(log: PartitionLog): Promise<string[]> {
  const left = await values(log.read())
  const first = RECORDS - left.length
  expect(left).toEqual(Array.from({ length: left.length }, (_, n) => `v${first + n}`))
  expect(log.offsets).toMatchObject({ logStartOffset: BigInt(first), logEndOffset: BigInt(RECORDS) })
  return left as string[]
}

/** The indexes of the active segment are longer than what they hold until it is closed. */
function trimIndexes(path: string): void {
  for (const name of readdirSync(path).filter((each) => /\.(time)?index$/.test(each))) {
    const bytes = readFileSync(join(path, name))
    const used = bytes.findLastIndex((byte) => byte !== 0) + 1
    const entrySize = name.endsWith('.timeindex') ? 12 : 8
    truncateSync(join(path, name), Math.ceil(used / entrySize) * entrySize)
  }
}

describe('a stop at any step', () => {
  const cases: [name: string, config: LogConfigInput, work: Work, kept: number[], start: bigint][] = [
    ['of a retention by size', { retentionBytes: 200 }, retain, [2, 4], 2n],
    ['of one that takes everything', { retentionBytes: 0 }, retain, [5], 5n],
    ['after records were deleted', { retentionBytes: -1 }, deleteAndRetain, [2, 4], 3n],
  ]

  test.each(cases)('%s loses nothing and leaves nothing behind', async (_, config, work, kept, start) => {
    const original = await closedLog(config)
    let stops = 0
    for (let step = 1; ; step++) {
      const stopped = await stoppedAt(step, original, work)
      if (stopped === undefined) break
      stops++
      const { path, promised } = stopped
      const seen = await openLogOn(new FailingMachine(), path, { readOnly: true })
      const left = await recordsOf(seen)
      await seen.close()
      expect(left.length, `step ${step}`).toBeGreaterThanOrEqual(RECORDS - Number(start))
      expect(seen.offsets.logStartOffset, `step ${step}`).toBeGreaterThanOrEqual(promised)
      // As after a recovery: what was cut off in the middle is gone on with.
      trimIndexes(path)
      writeFileSync(join(path, '..', MARKER), '')
      const counting = settling(new FailingMachine())
      const again = closeLater(await openLogOn(counting.machine, path))
      expect(await recordsOf(again), `step ${step}`).toEqual(left)
      await again.deleteRecordsBefore(start)
      await again.runRetention()
      await pass(counting, 60_000)
      expect(again.offsets.logStartOffset).toBe(start)
      const files = kept.flatMap((base) => ['index', 'log', 'timeindex'].map((kind) => `${base}.${kind}`))
      expect(
        segmentFilesOf(again).filter((name) => !name.endsWith('.snapshot')),
        `step ${step}`,
      ).toEqual(files.sort())
      await again.close()
      removeDir(dirname(path))
    }
    expect(stops).toBeGreaterThan(6)
  })
})

describe('files that a stop left of a deletion', () => {
  test('indexes without their log are removed when the log is opened', async () => {
    const directory = await closedLog({})
    const path = join(directory, 'orders-0')
    renameSync(join(path, file(0, 'log')), join(path, `${file(0, 'log')}.deleted`))
    writeFileSync(join(path, file(0, 'txnindex')), '')
    const seen = await openLogOn(new FailingMachine(), path, { readOnly: true })
    await seen.close()
    expect(segmentFilesOf(seen)).toEqual(expect.arrayContaining(['0.index', '0.log.deleted']))
    const log = closeLater(await openLogOn(new FailingMachine(), path))
    expect(log.offsets.logStartOffset).toBe(2n)
    expect(segmentFilesOf(log).filter((name) => name.startsWith('0.'))).toEqual([])
  })
})
