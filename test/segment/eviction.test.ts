/** Files that are closed in favour of others: what lies on disk then, and what the log does when it needs them again. */
import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import type { OpenSegments } from '../../lib/segment/open-segments.js'
import { Segment } from '../../lib/segment/segment.js'
import { allOf, appendEach, CONFIG, crowded, lengths, pathOf, turn } from '../support/crowded-log.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { rejection } from '../support/errors.js'
import { closeLater, testLog, values } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'

describe('the active segment, closed', () => {
  test('is cut to what counts, and grows back with the next append, not with a read', async () => {
    const { log, crowdOut } = await crowded({ preallocate: true, internalSegmentBytes: 10_000 })
    appendEach(log, 3)
    const { length } = (await log.fetch(2)).batches
    expect(lengths(log)).toEqual([10_000, 240, 240])
    crowdOut()
    // Two entries each: that of the last batch's time is left to the seal.
    expect(lengths(log)).toEqual([3 * length, 16, 24])
    expect(await values(log.read())).toEqual(allOf(3))
    expect(log.locate(2).indexEntry).toEqual({ offset: 2n, position: 2 * length })
    expect(lengths(log)).toEqual([3 * length, 16, 24])
    appendEach(log, 1)
    expect(lengths(log)).toEqual([4 * length, 240, 240])
    expect(await values(log.read())).toEqual(allOf(4))
  })

  test('is told of as if it were open, and opens nothing for it', async () => {
    const { machine, log, crowdOut } = await crowded()
    appendEach(log, 3)
    const before = log.segments
    crowdOut()
    machine.opened()
    expect(log.segments).toEqual(before)
    expect(before).toMatchObject([{ offsetIndexEntries: 2, offsetIndexBytes: 240, timeIndexBytes: 240 }])
    expect(machine.opened()).toEqual([])
  })

  test('rolls, is truncated and closed like one that is open', async () => {
    const left: Record<string, string>[] = []
    for (const isCrowded of [true, false]) {
      const { log, crowdOut } = await crowded()
      const pause = () => {
        if (isCrowded) crowdOut()
      }
      appendEach(log, 3)
      pause()
      log.roll()
      pause()
      appendEach(log, 4)
      pause()
      await log.truncateTo(5)
      pause()
      appendEach(log, 1)
      pause()
      await log.close()
      left.push(treeOf(log.path, (name) => name === 'partition.metadata'))
    }
    expect(left[0]).toEqual(left[1])
    expect(Object.keys(left[0] ?? {}).filter((name) => name.endsWith('.timeindex'))).toHaveLength(2)
  })

  test('grows to the length that it has been given meanwhile', async () => {
    const { machine } = await crowded()
    const directory = tempDir()
    const options = {
      place: { backend: machine.backend, directory, mode: 'write' as const },
      openSegments: machine.openSegments as OpenSegments,
      baseOffset: 0n,
      indexIntervalBytes: 4096,
      createdMs: 0,
      rollJitterMs: 0,
    }
    const segment = Segment.create(options, { capacityBytes: 240, preallocateBytes: 0 })
    segment.renew(options, 480)
    expect(segment).toMatchObject({ offsetCapacity: 60, timeCapacity: 40 })
    segment.grow()
    expect(statSync(join(directory, '00000000000000000000.index')).size).toBe(480)
    await segment.retire()
  })

  test('is found valid by whoever opens the directory after a stop at that moment', async () => {
    const { log, crowdOut } = await crowded()
    appendEach(log, 3)
    crowdOut()
    const beside = await testLog({ path: log.path, readOnly: true })
    expect(await values(beside.read())).toEqual(allOf(3))
    expect(beside.segments).toMatchObject([
      { offsetIndexEntries: 2, timeIndexEntries: 2, maxTimestamp: 1002n },
    ])
  })
})

describe('what was written before the files were closed', () => {
  test('is flushed by opening them again', async () => {
    const { machine, log, crowdOut } = await crowded()
    await log.flush()
    appendEach(log, 2)
    crowdOut()
    machine.taken()
    machine.opened()
    await log.flush()
    expect(machine.opened()).toEqual(['0.log', '0.index', '0.timeindex'])
    expect(machine.taken()).toContain('flush 0.log 0.index 0.timeindex')
    expect(log.offsets.durableOffset).toBe(2n)
  })

  test('is not flushed again when they were closed and opened once more', async () => {
    const { machine, log, crowdOut } = await crowded()
    appendEach(log, 2)
    crowdOut()
    await log.flush()
    crowdOut()
    expect(await values(log.read())).toEqual(allOf(2))
    crowdOut()
    machine.taken()
    machine.opened()
    await log.flush()
    expect([machine.taken(), machine.opened()]).toEqual([[], []])
  })

  test('and cut by that is flushed before the log is closed cleanly, and has its last time', async () => {
    const { machine, log, crowdOut } = await crowded({ preallocate: true, internalSegmentBytes: 10_000 })
    appendEach(log, 2)
    await log.flush()
    crowdOut()
    machine.taken()
    await log.close()
    const events = machine.taken()
    const saved = events.indexOf('write recovery-point-offset-checkpoint.tmp')
    expect(events.slice(0, saved).filter((event) => event.startsWith('flush '))).toContain(
      'flush 0.log 0.index 0.timeindex',
    )
    const again = await testLog({ path: log.path })
    expect(again.segments).toMatchObject([{ timeIndexEntries: 1, maxTimestamp: 1001n }])
  })
})

describe.runIf(canSeeDescriptors)('files that a thread uses', () => {
  const openOf = (log: PartitionLog) =>
    openBelow(log.path)
      .filter((path) => path.endsWith('.log'))
      .map((path) => path.slice(-8, -4))

  test.each([
    ['a scan', /^lane-read 0\.log/, (log: PartitionLog) => log.offsetForTimestamp(1_001)],
    ['a flush', /^flush 0\.log/, (log: PartitionLog) => log.flush()],
  ])('stay open until %s has ended', async (_, event, work) => {
    const { machine, log, crowdOut } = await crowded()
    await log.flush()
    appendEach(log, 3)
    const hold = machine.hold(event)
    const working = work(log)
    await hold.reached
    for (let n = 0; n < 3; n++) crowdOut()
    expect(openOf(log)).toEqual(['0000'])
    hold.release()
    await working
    crowdOut()
    expect(openOf(log)).toEqual([])
  })
})

describe('a log that nobody changed, closed', () => {
  test('has its indexes cut, though they could not be at first', async () => {
    const before = await crowded()
    appendEach(before.log, 3)
    await before.log.close()
    const found = treeOf(before.log.path)
    const { machine, crowdOut } = await crowded({}, tempDir())
    const log = closeLater(await openLogOn(machine, before.log.path))
    machine.fail(/^trim 0\.timeindex$/, 'ENOSPC')
    crowdOut()
    await turn()
    expect(lengths(log)[2]).toBe(240)
    await log.close()
    expect(treeOf(log.path)).toEqual(found)
  })

  test('in the middle of its opening, has room cut that a power failure gave back', async () => {
    const before = await crowded()
    appendEach(before.log, 3)
    await before.log.close()
    const found = treeOf(before.log.path)
    truncateSync(pathOf(before.log, 'index'), 240)
    truncateSync(pathOf(before.log, 'timeindex'), 240)
    const { machine, crowdOut } = await crowded({}, tempDir())
    let letIn = () => {}
    const crowd = machine.openSegments?.reads.pass(
      () =>
        new Promise<void>((resolve) => {
          letIn = resolve
        }),
    )
    machine.opened()
    const opening = openLogOn(machine, before.log.path)
    const opened: string[] = []
    while (!opened.includes('0.timeindex')) {
      await turn()
      opened.push(...machine.opened())
    }
    // It waits for its turn to read the last batches.
    crowdOut()
    letIn()
    await crowd
    const log = closeLater(await opening)
    expect(await values(log.read())).toEqual(allOf(3))
    await log.close()
    expect(treeOf(log.path)).toEqual(found)
  })
})

test('a log that is only read, beside one who writes it, is closed and opened without a change', async () => {
  const writer = await testLog({ config: CONFIG })
  appendEach(writer, 3)
  const { machine, crowdOut } = await crowded()
  const offline: unknown[] = []
  const beside = closeLater(
    await openLogOn(machine, writer.path, { readOnly: true, onOffline: (error) => offline.push(error) }),
  )
  for (let n = 0; n < 3; n++) {
    expect(await values(beside.read())).toEqual(allOf(3))
    crowdOut()
    appendEach(writer, 1)
  }
  await turn()
  expect(offline).toEqual([])
  expect(lengths(writer).slice(1)).toEqual([240, 240])
})

describe('the largest timestamp of a sealed segment', () => {
  test('takes its time index alone, once', async () => {
    const before = await crowded()
    for (let n = 0; n < 3; n++) {
      if (n > 0) before.log.roll()
      appendEach(before.log, 2)
    }
    await before.log.close()
    const { machine, log } = await crowded({}, tempDir())
    await log.close()
    const again = closeLater(await openLogOn(machine, before.log.path))
    machine.opened()
    expect(await again.offsetForTimestamp(1_005)).toEqual({ offset: 5n, timestamp: 1_005n })
    expect(machine.opened()).toEqual(['0.timeindex', '2.timeindex'])
    expect(await again.offsetForTimestamp(1_005)).toEqual({ offset: 5n, timestamp: 1_005n })
    expect(machine.opened()).toEqual([])
  })

  test('is checked, and closed again where it is damaged', async () => {
    const log = await testLog({ config: CONFIG })
    appendEach(log, 3)
    log.roll()
    appendEach(log, 1)
    await log.close()
    const path = pathOf(log, 'timeindex')
    appendFileSync(path, Buffer.alloc(12))
    const again = await testLog({ path: log.path })
    expect(await rejection(() => again.offsetForTimestamp(1_003))).toMatchObject({
      code: 'ERR_CORRUPT',
      path,
    })
    if (canSeeDescriptors) expect(openBelow(log.path).filter((open) => open === path)).toEqual([])
  })
})
