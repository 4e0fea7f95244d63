/** Many logs in one process: what opening touches, how many files are open at most, what closing leaves alone. */
import { readdirSync, rmSync, statSync, truncateSync, utimesSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { OpenSegments } from '../../lib/segment/open-segments.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { closeLater, numbered, testLog, values } from '../support/log.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { tempDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'

const ACTIVE = ['6.log', '6.index', '6.timeindex']

/** Three segments with two batches each; every batch but a segment's first is in the indexes. */
async function closedLog(): Promise<string> {
  const log = await testLog({ config: { indexIntervalBytes: 0 } })
  for (let n = 0; n < 9; n++) {
    if (n === 3 || n === 6) log.roll()
    log.append(numbered(1, n, 1_000 + n))
  }
  await log.close()
  return log.path
}

async function recorded(path: string, options: OpenLogOptions = {}) {
  const machine = new RecordingMachine(dirname(path))
  const log = closeLater(await openLogOn(machine, path, options))
  return { machine, log }
}

describe.each([{ readOnly: false }, { readOnly: true }])('opening a log, %o', (options) => {
  const open = async () => recorded(await closedLog(), options.readOnly ? { readOnly: true } : {})

  test('opens no file of a sealed segment, and no sum of sizes does', async () => {
    const { machine, log } = await open()
    expect(machine.opened()).toEqual(ACTIVE)
    expect(log.segmentSizes.map(({ baseOffset }) => baseOffset)).toEqual([0n, 3n, 6n])
    const bytes = readdirSync(log.path).filter((name) => name.endsWith('.log'))
    const sum = bytes.reduce((total, name) => total + statSync(join(log.path, name)).size, 0)
    expect(log.segmentSizes.reduce((total, { sizeInBytes }) => total + sizeInBytes, 0)).toBe(sum)
    expect(log.offsets.logEndOffset).toBe(9n)
    expect(machine.opened()).toEqual([])
  })

  test('leaves the others to whoever asks for them first', async () => {
    const { machine, log } = await open()
    machine.opened()
    expect(log.segments.map(({ offsetIndexEntries }) => offsetIndexEntries)).toEqual([2, 2, 2])
    const sealed = ['0', '3'].flatMap((base) => [`${base}.log`, `${base}.index`, `${base}.timeindex`])
    expect(machine.opened().sort()).toEqual(sealed.sort())
    expect(log.segments.map(({ maxTimestamp }) => maxTimestamp)).toEqual([1002n, 1005n, 1008n])
    expect(machine.opened()).toEqual([])
  })

  test('reads of each segment what is asked for', async () => {
    const { machine, log } = await open()
    machine.opened()
    expect(await values(log.read({ from: 3, to: 6 }))).toEqual(['v3', 'v4', 'v5'])
    expect(machine.opened()).toEqual(['3.log', '3.index', '3.timeindex'])
  })
})

describe('closing a log that nobody changed', () => {
  const uses: [what: string, use: (log: PartitionLog) => unknown][] = [
    ['only opened', () => undefined],
    ['read', (log) => values(log.read())],
    ['asked for its segments', (log) => log.segments],
    ['searched for a time', (log) => log.offsetForTimestamp(1_007)],
    ['flushed', (log) => log.flush()],
    ['cut at its end', (log) => log.truncateTo(9)],
    ['refused a record', (log) => expect(() => log.append([])).toThrow()],
  ]

  test.each(uses)('(%s) fsyncs nothing and leaves its files as they are', async (_, use) => {
    const path = await closedLog()
    const names = readdirSync(path).filter((name) => name.endsWith('.log'))
    const files = names.map((name) => join(path, name))
    for (const file of files) utimesSync(file, 1000, 1000)
    const before = treeOf(path)
    const machine = new RecordingMachine(dirname(path), { openSegments: new OpenSegments(1) })
    const neighbour = closeLater(await openLogOn(machine, join(dirname(path), 'other-0')))
    const log = await openLogOn(machine, path)
    machine.taken()
    await use(log)
    // Its files are closed and, for the close, opened again where they are needed.
    neighbour.append(numbered(1))
    await log.close()
    expect(machine.taken()).toEqual(['append 0.log'])
    expect(treeOf(path)).toEqual(before)
    expect(files.map((file) => statSync(file).mtimeMs)).toEqual(files.map(() => 1_000_000))
  })

  test('opens nothing either', async () => {
    const { machine, log } = await recorded(await closedLog())
    machine.opened()
    await log.close()
    expect(machine.opened()).toEqual([])
  })
})

describe('the indexes of the active segment', () => {
  const lengths = (path: string) =>
    ['index', 'timeindex'].map((kind) => statSync(join(path, `00000000000000000006.${kind}`)).size)

  test.each([1, 100])(
    'grow when the log is opened, and are cut without an fsync; %i open segments',
    async (most) => {
      const path = await closedLog()
      const before = treeOf(path)
      const machine = new RecordingMachine(dirname(path), { openSegments: new OpenSegments(most) })
      const neighbour = closeLater(await openLogOn(machine, join(dirname(path), 'other-0')))
      const log = await openLogOn(machine, path)
      expect(lengths(path)).toEqual([10_485_760, 10_485_756])
      machine.fail(/^append 6\.log/, 'ENOSPC')
      expect(() => log.append(numbered(1))).toThrowError(expect.objectContaining({ code: 'ERR_DISK_FULL' }))
      neighbour.append(numbered(1))
      machine.taken()
      await log.close()
      expect(machine.taken()).toEqual([])
      expect(treeOf(path)).toEqual(before)
    },
  )

  test('may have their full length behind a clean close: a power failure undid the cut', async () => {
    const path = await closedLog()
    const before = treeOf(path)
    for (const [kind, length] of [
      ['index', 10_485_760],
      ['timeindex', 10_485_756],
    ] as const)
      truncateSync(join(path, `00000000000000000006.${kind}`), length)
    const { machine, log } = await recorded(path)
    expect(log.segments.at(-1)).toMatchObject({
      offsetIndexEntries: 2,
      timeIndexEntries: 2,
      maxTimestamp: 1008n,
    })
    expect(await values(log.read({ from: 6 }))).toEqual(['v6', 'v7', 'v8'])
    machine.taken()
    await log.close()
    expect(treeOf(path)).toEqual(before)
  })

  test('with any other tail of zeros are made anew', async () => {
    const path = await closedLog()
    const index = join(path, '00000000000000000006.index')
    truncateSync(index, 10_485_752)
    const { log } = await recorded(path)
    expect(log.recovery?.scanned).toMatchObject([{ baseOffset: 6n, cause: 'corrupt index' }])
  })
})

test('a log whose indexes had to be made is closed durably', async () => {
  const path = await closedLog()
  const log = await testLog({ path })
  log.roll()
  await log.close()
  rmSync(join(path, '00000000000000000009.timeindex'))
  const { machine, log: again } = await recorded(path)
  machine.taken()
  await again.close()
  const events = machine.taken()
  expect(events).toContain('flush 9.log 9.index 9.timeindex')
  expect(events).toContain(`flushPath ${basename(path)}`)
})

describe.runIf(canSeeDescriptors)('fifty logs with room for ten segments', () => {
  const LOGS = 50
  const LIMIT = 10

  async function fifty() {
    const above = tempDir()
    const machine = new RecordingMachine(above, { openSegments: new OpenSegments(LIMIT) })
    const open = (n: number) =>
      openLogOn(machine, join(above, `many-${n}`), { config: { indexIntervalBytes: 0 } })
    const logs: PartitionLog[] = []
    for (let n = 0; n < LOGS; n++) logs.push(closeLater(await open(n)))
    const count = () => {
      const paths = openBelow(above).filter((path) => /\.(log|index|timeindex)$/.test(path))
      const logFiles = paths.filter((path) => path.endsWith('.log')).length
      return { logFiles, indexes: paths.length - logFiles }
    }
    /** A descriptor of each file, and a mapping of each index. */
    const expectBounded = () => {
      const { logFiles, indexes } = count()
      expect(logFiles).toBeLessThanOrEqual(LIMIT)
      expect(indexes).toBeLessThanOrEqual(LIMIT * 4)
      return logFiles
    }
    return { machine, logs, open, expectBounded }
  }

  test('append, read, flush and close within them, and lose nothing', async () => {
    const { logs, open, expectBounded } = await fifty()
    for (let round = 0; round < 4; round++) {
      for (const log of logs) {
        if (round === 2) log.roll()
        log.append(numbered(1, round, 1_000 + round))
      }
      expect(expectBounded()).toBe(LIMIT)
    }
    const expected = logs.map(() => ['v0', 'v1', 'v2', 'v3'])
    expect(await Promise.all(logs.map((log) => values(log.read())))).toEqual(expected)
    expectBounded()
    expect(await Promise.all(logs.map((log) => log.offsetForTimestamp(1_001)))).toEqual(
      logs.map(() => ({ offset: 1n, timestamp: 1_001n })),
    )
    expectBounded()
    await Promise.all(logs.map((log) => log.flush()))
    expect(logs.every(({ offsets }) => offsets.durableOffset === 4n)).toBe(true)
    expectBounded()
    await Promise.all(logs.map((log) => log.close()))
    const again = await Promise.all(logs.map((_, n) => open(n)))
    for (const log of again) closeLater(log)
    expectBounded()
    expect(await Promise.all(again.map((log) => values(log.read())))).toEqual(expected)
  })

  test.each([
    ['flushes', /^flush 0\.log/, (log: PartitionLog) => log.flush()],
    ['scans', /^lane-read 0\.log/, (log: PartitionLog) => log.offsetForMaxTimestamp()],
  ])('stay within them while all are at their %s at once', async (_, event, work) => {
    const { machine, logs, expectBounded } = await fifty()
    for (const log of logs) log.append(numbered(1))
    const hold = machine.hold(event)
    const working = Promise.all(logs.map((log): Promise<unknown> => work(log)))
    await hold.reached
    for (const log of logs) log.fetchSync(0)
    expectBounded()
    hold.release()
    await working
    expectBounded()
  })
})
