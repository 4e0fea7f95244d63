/** A full disk refuses what it must, takes nothing that was acknowledged, and is over when there is space again. */
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { PartitionLogError } from '../../lib/errors.js'
import { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { codeOf, errorFrom, rejection } from '../support/errors.js'
import { closeLater, testLog, values } from '../support/log.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { smallDisk } from '../support/small-disk.js'
import { tempDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'

const MARKER = '.kafka_cleanshutdown'
const isClean = (log: PartitionLog) => existsSync(join(dirname(log.path), MARKER))

/** Values of half a page each, so that few appends fill a disk. */
const textOf = (n: number) => `v${n}-${'x'.repeat(2_000)}`

/** Appends until the disk is full; gives the number of records that the log took. */
function appendUntilFull(log: PartitionLog): number {
  for (;;) {
    const next = Number(log.offsets.logEndOffset)
    try {
      log.append([{ value: textOf(next) }])
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_DISK_FULL' })
      return next
    }
  }
}

async function expectRecords(log: PartitionLog, count: number): Promise<void> {
  expect(await values(log.read())).toEqual(Array.from({ length: count }, (_, n) => textOf(n)))
}

/** Closed, marker there, and opened again with every record. */
async function expectCleanClose(log: PartitionLog, count: number): Promise<void> {
  await log.close()
  expect(isClean(log)).toBe(true)
  const again = await testLog({ path: log.path })
  await expectRecords(again, count)
  expect(again.append([{ value: 'more' }]).baseOffset).toBe(BigInt(count))
  await again.close()
}

const probe = smallDisk(64 << 10)
if (probe === undefined) console.warn('full disks are not tested: no tmpfs can be mounted here')

describe.skipIf(probe === undefined)('on a small disk', () => {
  const PAGES = 48

  /** `fill` takes all space but `pages`, `free` gives it back. */
  function disk() {
    const directory = smallDisk(PAGES * 4_096) ?? expect.fail('no second tmpfs')
    const filler = join(directory, 'filler')
    const fill = (pages = 0) => {
      const { bavail, bsize } = statfsSync(directory)
      writeFileSync(filler, Buffer.alloc((bavail - pages) * bsize))
    }
    return { path: join(directory, 'orders-0'), fill, free: () => rmSync(filler) }
  }

  async function logOn(config: LogConfigInput) {
    const { path, ...space } = disk()
    return { ...space, log: await testLog({ path, config }) }
  }

  test.each([false, true])(
    'appends stop where it is full, and go on later (preallocate %s)',
    async (preallocate) => {
      const { log, fill, free } = await logOn({
        internalSegmentBytes: 40_960,
        preallocate,
        indexIntervalBytes: 0,
      })
      fill(4)
      const full = appendUntilFull(log)
      expect(log.state).toBe('open')
      for (let n = 0; n < 3; n++) expect(appendUntilFull(log)).toBe(full)
      await expectRecords(log, full)
      free()
      log.append([{ value: textOf(full) }])
      await log.flush()
      await expectRecords(log, full + 1)
      await expectCleanClose(log, full + 1)
    },
  )

  test.each([0, 1, 2])('a roll for size with %i pages left', async (pages) => {
    const { log, fill, free } = await logOn({ internalSegmentBytes: 8_192, indexIntervalBytes: 0 })
    for (let n = 0; n < 7; n++) log.append([{ value: textOf(n) }])
    while (log.append([{ value: textOf(Number(log.offsets.logEndOffset)) }]) && isRoomLeft(log));
    fill(pages)
    const full = appendUntilFull(log)
    expect(appendUntilFull(log)).toBe(full)
    expect(log.state).toBe('open')
    await expectRecords(log, full)
    free()
    log.append([{ value: textOf(full) }])
    await expectCleanClose(log, full + 1)
  })

  test.each([0, 3])('a roll for size of preallocated segments with %i pages left', async (pages) => {
    const { log, fill, free } = await logOn({ internalSegmentBytes: 20_480, preallocate: true })
    while (isRoomLeft(log, 20_480)) log.append([{ value: textOf(Number(log.offsets.logEndOffset)) }])
    fill(pages)
    const full = appendUntilFull(log)
    expect(appendUntilFull(log)).toBe(full)
    expect(log.state).toBe('open')
    await expectRecords(log, full)
    free()
    log.append([{ value: textOf(full) }])
    await expectCleanClose(log, full + 1)
  })

  test('a roll of an empty, preallocated segment changes nothing, or is refused', async () => {
    const { log, fill, free } = await logOn({ internalSegmentBytes: 40_960, preallocate: true })
    fill()
    for (let n = 0; n < 3; n++) {
      const outcome = await Promise.allSettled([(async () => log.roll())()])
      if (outcome[0]?.status === 'rejected')
        expect(outcome[0].reason).toMatchObject({ code: 'ERR_DISK_FULL' })
      else expect(outcome[0]?.value).toBe(0n)
    }
    expect(log.state).toBe('open')
    expect(log.segments).toHaveLength(1)
    free()
    log.append([{ value: textOf(0) }])
    expect(log.roll()).toBe(1n)
    expect(log.roll()).toBe(1n)
    log.append([{ value: textOf(1) }])
    await expectCleanClose(log, 2)
  })

  test.each([0, 1, 3])(
    'a close with %i pages left is refused or clean, and clean with space',
    async (pages) => {
      const { log, fill, free } = await logOn({ indexIntervalBytes: 100_000 })
      for (let n = 0; n < 5; n++) log.append([{ value: textOf(n) }], { leaderEpoch: n })
      fill(pages)
      const outcome = await log.close().then(
        () => 'clean',
        (error) => error.code as string,
      )
      expect(['clean', 'ERR_DISK_FULL']).toContain(outcome)
      if (pages === 0) expect(outcome).toBe('ERR_DISK_FULL')
      if (outcome === 'ERR_DISK_FULL') {
        expect(isClean(log)).toBe(false)
        expect(log.state).toBe('open')
        await expectRecords(log, 5)
        expect(await codeOf(() => log.close())).toBe('ERR_DISK_FULL')
      }
      free()
      await expectCleanClose(log, 5)
    },
  )

  test('after a refused close the log goes on', async () => {
    const { log, fill, free } = await logOn({})
    for (let n = 0; n < 3; n++) log.append([{ value: textOf(n) }])
    fill()
    expect(await codeOf(() => log.close())).toBe('ERR_DISK_FULL')
    free()
    for (let n = 3; n < 6; n++) log.append([{ value: textOf(n) }])
    await log.append([{ value: textOf(6) }]).durable()
    log.roll()
    log.append([{ value: textOf(7) }])
    await expectCleanClose(log, 8)
  })

  test.each([0, 2, 4, 6])('a log made with %i pages left: made, or refused and made later', async (pages) => {
    const { path, fill, free } = disk()
    fill(pages)
    const options = { path, config: { internalSegmentBytes: 8_192, preallocate: true } }
    const made = await testLog(options).catch((error) => error as PartitionLogError)
    if (pages === 0) expect(made).toMatchObject({ code: 'ERR_DISK_FULL' })
    free()
    if (made instanceof PartitionLog) await made.close()
    else expect(made).toMatchObject({ code: 'ERR_DISK_FULL' })
    const log = await testLog(options)
    log.append([{ value: textOf(0) }])
    await expectCleanClose(log, 1)
  })

  test('a log is opened, read and closed again on a full disk', async () => {
    const { log, fill, free } = await logOn({ indexIntervalBytes: 0 })
    for (let n = 0; n < 5; n++) log.append([{ value: textOf(n) }])
    await log.close()
    fill()
    const before = treeOf(dirname(log.path))
    const again = await testLog({ path: log.path }).catch((error) => error as PartitionLogError)
    if (again instanceof PartitionLog) {
      await expectRecords(again, 5)
      expect(errorFrom(() => again.append([{ value: textOf(5).repeat(3) }])).code).toBe('ERR_DISK_FULL')
      await again.close()
    } else {
      // Where the lock is a file with a process id in it, there is no space for that.
      expect(again).toMatchObject({ code: 'ERR_DISK_FULL' })
      expect(treeOf(dirname(log.path))).toEqual(before)
    }
    free()
    await expectCleanClose(await testLog({ path: log.path }), 5)
  })
})

/** Whether the active segment takes another record of the usual size. */
function isRoomLeft(log: PartitionLog, segmentBytes = 8_192): boolean {
  const active = log.segments.at(-1)
  return active !== undefined && active.sizeInBytes + textOf(0).length + 200 < segmentBytes
}

describe('space that runs out at any one step', () => {
  /** All that happens between open and close, to be refused one by one. */
  const CLOSE_STEPS = 24
  const CREATE_STEPS = 24

  function refuseNth(
    machine: RecordingMachine,
    nth: number,
    events: RegExp,
  ): { refused: string | undefined } {
    const seen: { refused: string | undefined } = { refused: undefined }
    let left = nth
    machine.failWhere((event) => {
      if (!events.test(event) || left-- !== 0) return undefined
      seen.refused = event
      return 'ENOSPC'
    })
    return seen
  }

  test('of a close: it is clean when it is asked for again', async () => {
    const refusals: string[] = []
    for (let nth = 0; nth < CLOSE_STEPS; nth++) {
      const path = join(tempDir(), 'orders-0')
      const machine = new RecordingMachine(dirname(path))
      const log = closeLater(await openLogOn(machine, path))
      for (let n = 0; n < 3; n++) log.append([{ value: textOf(n) }], { leaderEpoch: n })
      await log.flush()
      log.append([{ value: textOf(3) }], { leaderEpoch: 9 })
      await log.append([{ value: textOf(4) }]).durable()
      const seen = refuseNth(machine, nth, /^(write|rename)/)
      const outcome = await log.close().then(
        () => undefined,
        (error) => error,
      )
      if (seen.refused === undefined) break
      refusals.push(seen.refused)
      if (outcome !== undefined) {
        expect(outcome).toMatchObject({ code: 'ERR_DISK_FULL' })
        expect(log.state, seen.refused).toBe('open')
      }
      await expectCleanClose(log, 5)
    }
    expect(refusals).toEqual(
      expect.arrayContaining(['write leader-epoch-checkpoint.tmp', `write ${MARKER}.tmp`]),
    )
    expect(refusals.length).toBeLessThan(CLOSE_STEPS)
  })

  test('of making a log: it is made when it is asked for again', async () => {
    const refusals: string[] = []
    for (let nth = 0; nth < CREATE_STEPS; nth++) {
      const path = join(tempDir(), 'orders-0')
      const machine = new RecordingMachine(dirname(path))
      const seen = refuseNth(machine, nth, /^(write|create|makeDirectory)/)
      const outcome = await openLogOn(machine, path).catch((error) => error as PartitionLogError)
      machine.failWhere(() => undefined)
      if (outcome instanceof PartitionLog) await outcome.close()
      else expect(outcome).toMatchObject({ code: 'ERR_DISK_FULL' })
      if (seen.refused === undefined) break
      refusals.push(seen.refused)
      const log = await testLog({ path })
      log.append([{ value: textOf(0) }])
      await expectCleanClose(log, 1)
    }
    expect(refusals).toEqual(expect.arrayContaining(['create 0.log', 'create 0.timeindex']))
    expect(refusals.length).toBeLessThan(CREATE_STEPS)
  })
})

describe('a roll for which no file can be made', () => {
  test.each(['log', 'index', 'timeindex'])(
    'refuses the append at the .%s, and goes on later',
    async (kind) => {
      const path = join(tempDir(), 'orders-0')
      const machine = new RecordingMachine(dirname(path))
      const options = { config: { internalSegmentBytes: 8_192, preallocate: true, indexIntervalBytes: 0 } }
      const log = closeLater(await openLogOn(machine, path, options))
      for (let n = 0; n < 3; n++) log.append([{ value: textOf(n) }])
      machine.failWhere((event) => (event === `create 3.${kind}` ? 'ENOSPC' : undefined))
      for (let n = 0; n < 2; n++) expect(appendUntilFull(log)).toBe(3)
      expect(await codeOf(async () => log.roll())).toBe('ERR_DISK_FULL')
      expect(log.state).toBe('open')
      expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n])
      await log.flush()
      await expectRecords(log, 3)
      machine.failWhere(() => undefined)
      log.append([{ value: textOf(3) }])
      expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n, 3n])
      await expectCleanClose(log, 4)
    },
  )

  test('closes cleanly as it is', async () => {
    const path = join(tempDir(), 'orders-0')
    const machine = new RecordingMachine(dirname(path))
    const log = closeLater(await openLogOn(machine, path))
    for (let n = 0; n < 3; n++) log.append([{ value: textOf(n) }])
    machine.fail(/^create 3\.timeindex/, 'ENOSPC')
    expect(await codeOf(async () => log.roll())).toBe('ERR_DISK_FULL')
    await expectCleanClose(log, 3)
  })

  test('is none where the active segment is empty: that one stays', async () => {
    const path = join(tempDir(), 'orders-0')
    const machine = new RecordingMachine(dirname(path))
    const options = { config: { internalSegmentBytes: 8_192, preallocate: true } }
    const log = closeLater(await openLogOn(machine, path, options))
    machine.failWhere((event) => (event.startsWith('create') ? 'ENOSPC' : undefined))
    expect(log.roll()).toBe(0n)
    expect(log.state).toBe('open')
    log.append([{ value: textOf(0) }])
    await expectCleanClose(log, 1)
  })
})

describe('a flush that found no space', () => {
  async function openedLog() {
    const path = join(tempDir(), 'orders-0')
    const machine = new RecordingMachine(dirname(path))
    const log = closeLater(await openLogOn(machine, path))
    return { machine, log }
  }

  test('is final, as any failed flush: what the kernel dropped would not be flushed a second time', async () => {
    const { machine, log } = await openedLog()
    machine.fail(/^flush 0\.log/, 'ENOSPC')
    expect(await codeOf(() => log.append([{ value: 'a' }]).durable())).toBe('ERR_DISK_FULL')
    expect(log.state).toBe('offline')
    await log.close()
    expect(isClean(log)).toBe(false)
  })

  test('while closing is final too', async () => {
    const { machine, log } = await openedLog()
    await log.append([{ value: 'a' }]).durable()
    machine.fail(/^flush 0\.log/, 'ENOSPC')
    expect(await rejection(() => log.close())).toMatchObject({ code: 'ERR_DISK_FULL' })
    await log.close().catch(() => undefined)
    expect(log.state).toBe('closed')
    expect(isClean(log)).toBe(false)
  })
})
