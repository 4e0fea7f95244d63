/**
 * The article's retention example under a clock that the test moves: its
 * 12,000 records, its four largest timestamps, its settings; so its lists of
 * files, in its order, and its log's lines.
 *
 * The article counts t from the end of its producer, which was over some time
 * after its last record: `PRODUCER_ENDS_MS`. A segment goes at the first check
 * from then on that its newest record is older than retention.ms, which gives
 * t = 14, 18, 20 and 20; its files go ten seconds later, at t = 24, 28, 30 and
 * 30, as in the article's lists. Its lists show the renames at t = 17, 20 and
 * 22: whoever watched there saw them two or three seconds late.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Logger } from '../../lib/base/logger.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { closeLater } from '../support/log.js'
import { testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

const RETENTION_MS = 20_000
const CHECK_INTERVAL_MS = 2_000
const FILE_DELETE_DELAY_MS = 10_000

/** Base offset and largest timestamp of each segment, as the article has them. */
const SEGMENTS = [
  { baseOffset: 0, largestTimestamp: 1_794_024_815_939 },
  { baseOffset: 3_830, largestTimestamp: 1_794_024_818_462 },
  { baseOffset: 7_660, largestTimestamp: 1_794_024_820_278 },
  { baseOffset: 11_490, largestTimestamp: 1_794_024_820_477 },
]
const RECORDS = 12_000
const LAST_RECORD_MS = 1_794_024_820_477
const PRODUCER_ENDS_MS = 1_600
/** The time of t = 0; checks come at even t. */
const ZERO_MS = LAST_RECORD_MS + PRODUCER_ENDS_MS

/** t of the first check, at even t, at which a record of that time is too old. */
function checkThatTakes(largestTimestamp: number): number {
  const expiresMs = largestTimestamp + RETENTION_MS - ZERO_MS
  return ((Math.floor(expiresMs / CHECK_INTERVAL_MS) + 1) * CHECK_INTERVAL_MS) / 1_000
}

const MESSAGES = `Rolled new log segment at offset 3830 in N ms.
Rolled new log segment at offset 7660 in N ms.
Rolled new log segment at offset 11490 in N ms.
Incremented log start offset to 3830 due to segment deletion
Deleting segment LogSegment(baseOffset=0, size=1045973, lastModifiedTime=N, largestRecordTimestamp=1794024815939) due to log retention time 20000ms breach based on the largest record timestamp in the segment
Incremented log start offset to 7660 due to segment deletion
Deleting segment LogSegment(baseOffset=3830, size=1045973, lastModifiedTime=N, largestRecordTimestamp=1794024818462) due to log retention time 20000ms breach based on the largest record timestamp in the segment
Rolled new log segment at offset 12000 in N ms.
Incremented log start offset to 12000 due to segment deletion
Deleting segment LogSegment(baseOffset=7660, size=1045973, lastModifiedTime=N, largestRecordTimestamp=1794024820278) due to log retention time 20000ms breach based on the largest record timestamp in the segment
Deleting segment LogSegment(baseOffset=11490, size=139281, lastModifiedTime=N, largestRecordTimestamp=1794024820477) due to log retention time 20000ms breach based on the largest record timestamp in the segment
Deleting segment files LogSegment(baseOffset=0, size=1045973, lastModifiedTime=N, largestRecordTimestamp=1794024815939)
Deleted log 00000000000000000000.log.deleted.
Deleting segment files LogSegment(baseOffset=3830, size=1045973, lastModifiedTime=N, largestRecordTimestamp=1794024818462)
Deleted log 00000000000000003830.log.deleted.
Deleting segment files LogSegment(baseOffset=7660, size=1045973, lastModifiedTime=N, largestRecordTimestamp=1794024820278), LogSegment(baseOffset=11490, size=139281, lastModifiedTime=N, largestRecordTimestamp=1794024820477)
Deleted log 00000000000000007660.log.deleted.
Deleted log 00000000000000011490.log.deleted.`

it('deletes in the order of the article, at its seconds and with its words', async () => {
  const lines: string[] = []
  const machine = testMachine({ nowMs: ZERO_MS - 4_000 })
  const path = join(tempDir(), 'ret-0')
  const log = closeLater(
    await openLogOn(machine, path, {
      config: { retentionMs: RETENTION_MS, segmentBytes: 1_048_576, fileDeleteDelayMs: FILE_DELETE_DELAY_MS },
      manager: { initialTaskDelayMs: 2_000, retentionCheckIntervalMs: CHECK_INTERVAL_MS },
      logger: collecting(lines),
    }),
  )
  const advance = async (ms: number) => {
    machine.clock.advance(ms)
    await settled(log, machine.clock.nowMs())
  }
  await advance(2_000)
  appendRecords(log)
  await advance(2_000)
  const lists = [{ t: 0, files: logFiles(path) }]
  for (let t = 1; t <= 31; t++) {
    await advance(1_000)
    const files = logFiles(path)
    if (files.join() !== lists.at(-1)?.files.join()) lists.push({ t, files })
  }

  const renamed = SEGMENTS.map(({ largestTimestamp }) => checkThatTakes(largestTimestamp))
  expect(renamed).toEqual([14, 18, 20, 20])
  expect(lists).toEqual([
    { t: 0, files: [live(0), live(3830), live(7660), live(11490)] },
    { t: 14, files: [gone(0), live(3830), live(7660), live(11490)] },
    { t: 18, files: [gone(0), gone(3830), live(7660), live(11490)] },
    { t: 20, files: [gone(0), gone(3830), gone(7660), gone(11490), live(12000)] },
    { t: 24, files: [gone(3830), gone(7660), gone(11490), live(12000)] },
    { t: 28, files: [gone(7660), gone(11490), live(12000)] },
    { t: 30, files: [live(12000)] },
  ])
  expect(log.offsets).toMatchObject({ logStartOffset: 12_000n, logEndOffset: 12_000n })
  expect(lines.map(withoutTimes).join('\n')).toBe(MESSAGES)
})

const live = (baseOffset: number) => `${String(baseOffset).padStart(20, '0')}.log`
const gone = (baseOffset: number) => `${live(baseOffset)}.deleted`

/** Ten a batch; each segment's last record has its largest timestamp. */
function appendRecords(log: PartitionLog): void {
  const value = Buffer.alloc(250, 'v')
  for (let first = 0; first < RECORDS; first += 10) {
    const { largestTimestamp } = SEGMENTS.findLast(({ baseOffset }) => baseOffset <= first) as {
      largestTimestamp: number
    }
    const records = Array.from({ length: 10 }, (_, n) => ({
      key: `k-${String(first + n).padStart(6, '0')}`,
      value,
      timestamp: largestTimestamp,
    }))
    log.append(records, { producer: { id: 1, epoch: 0, baseSequence: first } })
  }
  expect(log.segments.map(({ baseOffset }) => Number(baseOffset))).toEqual(
    SEGMENTS.map(({ baseOffset }) => baseOffset),
  )
}

function logFiles(path: string): string[] {
  return readdirSync(path)
    .filter((name) => /\.log(\.deleted)?$/.test(name))
    .sort()
}

/** The check that was due has been made, and files whose time had come are gone. */
async function settled(log: PartitionLog, nowMs: number): Promise<void> {
  const isBusy = () => {
    const { nextCheck, waiting } = log.explain()
    const isRunning = nextCheck.kind === 'scheduled' && nextCheck.nextMs === null
    return isRunning || waiting.some(({ untilMs }) => untilMs !== null && untilMs <= nowMs)
  }
  while (isBusy()) await new Promise((resolve) => setImmediate(resolve))
}

function collecting(lines: string[]): Logger {
  const note = (_: object, text: string) => void lines.push(text)
  return { debug: () => undefined, info: note, warn: note, error: note }
}

function withoutTimes(line: string): string {
  return line.replace(/in \d+ ms/, 'in N ms').replace(/lastModifiedTime=\d+/g, 'lastModifiedTime=N')
}
