/**
 * The article's retention example in real time, through the command line: its
 * 12,000 records in four segments, whose largest timestamps lie as far apart as
 * there, checked every two seconds. Only the beginning is cut short: records
 * are appended as old as they would be shortly before the first check that
 * deletes.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { beginPlog, plog } from '../support/cli.js'
import { tempDir } from '../support/temp-dir.js'

/** Records of each segment, and how long after the first one's its largest timestamp is. */
const SEGMENTS = [
  { records: 3_830, afterMs: 0 },
  { records: 3_830, afterMs: 2_523 },
  { records: 3_830, afterMs: 4_339 },
  { records: 510, afterMs: 4_538 },
]
const RETENTION_MS = 20_000
/** For the appends, however slow. */
const PREPARING_MS = 10_000
/**
 * When the second segment expires, counted from the first check. Checks at 0, 2
 * and 4 s then take one, one and two segments; each could come 0.9 s earlier or
 * later and would take the same.
 */
const SECOND_EXPIRES_MS = 1_085

const SETTINGS = ['retention.ms=20000', 'file.delete.delay.ms=10000', 'segment.bytes=1048576'].flatMap(
  (setting) => ['--config', setting],
)

it('deletes in the order of the article', { timeout: 60_000 }, async () => {
  const path = join(tempDir(), 'ret-0')
  const startMs = Date.now() + PREPARING_MS
  const firstTimestamp = startMs + SECOND_EXPIRES_MS - 2_523 - RETENTION_MS
  let appended = 0
  for (const { records, afterMs } of SEGMENTS) {
    const flags = ['--key-separator', ':', '--batch-records', '10', '--producer-id', '1', '--timestamp']
    const settings = appended === 0 ? SETTINGS : []
    const args = ['append', path, ...flags, String(firstTimestamp + afterMs), ...settings]
    expect(await plog(args, lines(appended, records))).toMatchObject({ exitCode: 0 })
    appended += records
  }
  const lists = [logFiles(path)]
  const lateMs = Date.now() - startMs
  expect(lateMs).toBeLessThan(0)
  await sleep(-lateMs)

  const retain = beginPlog(['retain', path, '--every', '2000'])
  for (let seen = logFiles(path); (lists.at(-1) as string[]).length > 1; ) {
    await sleep(20)
    const files = logFiles(path)
    // A look can fall into a rename: what two looks show is so.
    const isSo = files.join() === seen.join()
    if (isSo && files.join() !== lists.at(-1)?.join()) lists.push(files)
    seen = files
  }
  retain.interrupt()
  const { exitCode, stdout, stderr } = await retain.result

  expect(wholeSteps(lists)).toEqual([
    [live(0), live(3830), live(7660), live(11490)],
    [gone(0), live(3830), live(7660), live(11490)],
    [gone(0), gone(3830), live(7660), live(11490)],
    [gone(0), gone(3830), gone(7660), gone(11490), live(12000)],
    [gone(3830), gone(7660), gone(11490), live(12000)],
    [gone(7660), gone(11490), live(12000)],
    [live(12000)],
  ])
  expect(stdout.toString().split('\n').map(withoutTimes)).toEqual(MESSAGES)
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr:
      'deleted 4 segments of 1 log, 3277200 bytes; files that still end in .deleted go when the log is next opened\n',
  })
  expect((await plog(['offsets', path, '--time', 'earliest'])).stdout.toString()).toBe('ret:0:12000\n')
})

/** What the article's broker says from the first deletion on, and nothing else. */
const MESSAGES = `Incremented log start offset to 3830 due to segment deletion
Deleting segment LogSegment(baseOffset=0, size=1045973, …) due to log retention time 20000ms breach based on the largest record timestamp in the segment
Incremented log start offset to 7660 due to segment deletion
Deleting segment LogSegment(baseOffset=3830, size=1045973, …) due to log retention time 20000ms breach based on the largest record timestamp in the segment
Rolled new log segment at offset 12000 in N ms.
Incremented log start offset to 12000 due to segment deletion
Deleting segment LogSegment(baseOffset=7660, size=1045973, …) due to log retention time 20000ms breach based on the largest record timestamp in the segment
Deleting segment LogSegment(baseOffset=11490, size=139281, …) due to log retention time 20000ms breach based on the largest record timestamp in the segment
Deleting segment files LogSegment(baseOffset=0, size=1045973, …)
Deleted log 00000000000000000000.log.deleted.
Deleting segment files LogSegment(baseOffset=3830, size=1045973, …)
Deleted log 00000000000000003830.log.deleted.
Deleting segment files LogSegment(baseOffset=7660, size=1045973, …), LogSegment(baseOffset=11490, size=139281, …)
Deleted log 00000000000000007660.log.deleted.
Deleted log 00000000000000011490.log.deleted.
`.split('\n')

function withoutTimes(line: string): string {
  return line
    .replace(/^ret-0: /, '')
    .replace(/in \d+ ms/, 'in N ms')
    .replace(/lastModifiedTime=\d+, largestRecordTimestamp=\d+/g, '…')
}

const live = (baseOffset: number) => `${String(baseOffset).padStart(20, '0')}.log`
const gone = (baseOffset: number) => `${live(baseOffset)}.deleted`

/** One look may fall between two files of a step: of segments that go together, with the new one, only the end counts. */
function wholeSteps(lists: readonly string[][]): string[][] {
  const isBetween = (files: readonly string[]) => {
    const has = (name: string) => files.includes(name)
    const isRenaming = has(live(12000)) || has(gone(7660)) ? has(live(7660)) || has(live(11490)) : false
    const isRemoving = has(live(12000)) && has(gone(7660)) !== has(gone(11490))
    return isRenaming || isRemoving
  }
  return lists.filter((files) => !isBetween(files))
}

function lines(first: number, count: number): string {
  const value = 'v'.repeat(250)
  return Array.from({ length: count }, (_, n) => `k-${String(first + n).padStart(6, '0')}:${value}\n`).join(
    '',
  )
}

function logFiles(path: string): string[] {
  return readdirSync(path)
    .filter((name) => /\.log(\.deleted)?$/.test(name))
    .sort()
}
