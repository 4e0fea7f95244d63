/** What a stop leaves beside the live files of a log, state by state: each is removed, finished or made anew. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeBatch } from '../../../lib/format/encode-batch.js'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import { openLogOn } from '../../../lib/manager/open-log.js'
import { codeOf, rejection } from '../../support/errors.js'
import { numbered, values } from '../../support/log.js'
import { RecordingMachine } from '../../support/recording-machine.js'
import { treeOf } from '../../support/tree.js'
import {
  copyOf,
  cutBytes,
  killedLog,
  logFile,
  openSwiftly,
  setMarker,
  setRecoveryPoint,
} from '../../support/unclean-log.js'

const CONFIG = { indexIntervalBytes: 0 }
const KINDS = ['log', 'index', 'timeindex'] as const
const stops = ['clean', 'unclean'] as const
type Stop = (typeof stops)[number]

let original = ''

/** Segments at 0, 4 and 8 with four records each. */
beforeAll(async () => {
  original = await killedLog(async (log) => {
    for (let n = 0; n < 12; n++) {
      if (n > 0 && n % 4 === 0) log.roll()
      log.append(numbered(1, n))
    }
    await log.close()
  }, CONFIG)
})

const all = Array.from({ length: 12 }, (_, n) => `v${n}`)
const without = (...offsets: number[]) => all.filter((_, offset) => !offsets.includes(offset))

function left(stop: Stop): string {
  const path = copyOf(original)
  setMarker(path, stop === 'clean')
  return path
}

/** Files of a segment under another suffix, with the records of `offsets`. */
function writeSegment(path: string, base: number, suffix: string, offsets: readonly number[]): void {
  const batches = offsets.map((n) =>
    encodeBatch(numbered(1, n), { baseOffset: BigInt(n), partitionLeaderEpoch: 0 }),
  )
  writeFileSync(`${logFile(path, base)}${suffix}`, Buffer.concat(batches))
  for (const kind of ['index', 'timeindex'] as const)
    writeFileSync(`${logFile(path, base, kind)}${suffix}`, '')
}

async function recordsOf(path: string): Promise<{ records: (string | undefined)[]; log: PartitionLog }> {
  const log = await openSwiftly(path)
  const records = await values(log.read())
  expect(log.append(numbered(1, 99)).baseOffset).toBe(12n)
  await log.close()
  expect(leftOvers(path)).toEqual([])
  const again = await openSwiftly(path)
  expect(await values(again.read())).toEqual([...records, 'v99'])
  expect(again.recovery).toBeNull()
  await again.close()
  return { records, log }
}

function leftOvers(path: string): string[] {
  return readdirSync(path).filter((name) => /\.(cleaned|swap)$/.test(name))
}

describe.each(stops)('after a stop that was %s', (stop) => {
  it('known faults, area 18: files to be deleted are removed, of whatever name; a metadata log’s snapshots are not', async () => {
    const path = left(stop)
    const names = ['00000000000000000000.snapshot.deleted', 'anything.deleted', '1-2.checkpoint.deleted']
    for (const name of names) writeFileSync(join(path, name), 'x')
    const { records, log } = await recordsOf(path)
    expect(records).toEqual(all)
    expect(names.map((name) => existsSync(join(path, name)))).toEqual([false, false, true])
    expect(log.recovery?.removedFiles).toHaveLength(2)
  })

  it('a cleaning that was not finished is undone', async () => {
    const path = left(stop)
    writeSegment(path, 0, '.cleaned', [1])
    expect((await recordsOf(path)).records).toEqual(all)
  })

  it('a .swap at or above the lowest .cleaned is undone with it, one below is put in place', async () => {
    const path = left(stop)
    writeSegment(path, 0, '.swap', [1, 3])
    writeSegment(path, 4, '.cleaned', [5])
    writeSegment(path, 8, '.swap', [9])
    const { records, log } = await recordsOf(path)
    expect(records).toEqual(without(0, 2))
    expect(log.recovery).toMatchObject({ swappedIn: [0n] })
  })

  it.each([
    ['all it replaces is there', []],
    ['some of what it replaces is gone', [4]],
    ['all of it is gone', [0, 4]],
    ['what it replaces was renamed to be deleted', 'renamed'],
  ] as const)('a complete .swap of two segments is put in place where %s', async (_, gone) => {
    const path = left(stop)
    for (const base of [0, 4])
      for (const kind of KINDS) {
        const file = logFile(path, base, kind)
        if (gone === 'renamed') renameSync(file, `${file}.deleted`)
        else if ((gone as readonly number[]).includes(base)) rmSync(file)
      }
    writeSegment(path, 0, '.swap', [1, 5, 7])
    const { records } = await recordsOf(path)
    expect(records).toEqual(without(0, 2, 3, 4, 6))
    expect(existsSync(logFile(path, 4))).toBe(false)
  })

  it('known faults, area 17: several .swap of one range are put in place together', async () => {
    const path = left(stop)
    writeSegment(path, 0, '.swap', [0, 1])
    writeSegment(path, 2, '.swap', [2, 3, 6])
    const { records, log } = await recordsOf(path)
    expect(records).toEqual(without(4, 5, 7))
    expect(log.recovery).toMatchObject({ swappedIn: [0n, 2n] })
    expect(log.segmentSizes.map(({ baseOffset }) => baseOffset)).toEqual([0n, 2n, 8n])
  })

  it('of a swap that had got as far as its indexes these alone are renamed', async () => {
    const path = left(stop)
    for (const kind of ['index', 'timeindex'] as const)
      renameSync(logFile(path, 0, kind), `${logFile(path, 0, kind)}.swap`)
    expect((await recordsOf(path)).records).toEqual(all)
    expect(existsSync(logFile(path, 0, 'index'))).toBe(true)
  })

  it('a .swap that is damaged is refused, and nothing is touched', async () => {
    const path = left(stop)
    writeSegment(path, 0, '.swap', [1, 5, 7])
    cutBytes(`${logFile(path, 0)}.swap`, 1)
    const before = treeOf(path)
    const error = await rejection(() => openSwiftly(path, { onDamage: 'cut' }))
    expect(error).toMatchObject({ code: 'ERR_CORRUPT', path: `${logFile(path, 0)}.swap` })
    expect(treeOf(path)).toEqual(before)
  })

  it('known faults, area 18: indexes without their log are removed', async () => {
    const path = left(stop)
    for (const kind of ['index', 'timeindex'] as const) writeFileSync(logFile(path, 77, kind), 'x')
    writeFileSync(join(path, '00000000000000000077.txnindex'), '')
    const { records, log } = await recordsOf(path)
    expect(records).toEqual(all)
    expect(log.recovery?.removedFiles).toHaveLength(3)
  })

  it.each([
    [0, 'index'],
    [4, 'timeindex'],
    [8, 'index'],
    [8, 'timeindex'],
  ] as const)(
    'known faults 20 and 44: a missing index is made anew, from the log (%i, %s)',
    async (base, kind) => {
      const path = left(stop)
      const sound = readFileSync(logFile(path, base, kind))
      rmSync(logFile(path, base, kind))
      const log = await openSwiftly(path)
      expect(await values(log.read())).toEqual(all)
      await log.close()
      expect(readFileSync(logFile(path, base, kind))).toEqual(sound)
    },
  )

  it.each([
    ['index', Buffer.from('odd')],
    ['timeindex', Buffer.from('odd')],
    ['index', Buffer.alloc(16, 0xff)],
    ['timeindex', Buffer.concat([Buffer.alloc(8, 0x7f), Buffer.alloc(16)])],
  ] as const)(
    'known faults 13a, 16, 17 and 193: garbage in the active segment’s %s is made anew',
    async (kind, bytes) => {
      const path = left(stop)
      const sound = readFileSync(logFile(path, 8, kind))
      writeFileSync(logFile(path, 8, kind), bytes)
      expect((await recordsOf(path)).records).toEqual(all)
      const log = await openSwiftly(path)
      await log.close()
      expect(readFileSync(logFile(path, 8, kind)).subarray(0, sound.length)).toEqual(sound)
    },
  )

  it('known fault 19: an empty active segment without indexes is fine', async () => {
    const path = left(stop)
    writeFileSync(logFile(path, 12), '')
    expect((await recordsOf(path)).records).toEqual(all)
  })

  it('known fault 14: a directory without segments begins at its checkpointed start', async () => {
    const path = left(stop)
    for (const name of readdirSync(path)) rmSync(join(path, name))
    writeFileSync(join(dirname(path), 'log-start-offset-checkpoint'), '0\n1\norders 0 100\n')
    const log = await openSwiftly(path)
    expect(log.append(numbered(1)).baseOffset).toBe(100n)
    await log.close()
  })

  it('known fault 1: a segment whose offsets need more than 31 bits is split', async () => {
    const path = left(stop)
    for (const base of [4, 8]) for (const kind of KINDS) rmSync(logFile(path, base, kind))
    const far = 2_147_483_648
    const batches = [0, 1, far, far + 1].map((n) =>
      encodeBatch(numbered(1, n), { baseOffset: BigInt(n), partitionLeaderEpoch: 0 }),
    )
    writeFileSync(logFile(path, 0), Buffer.concat(batches))
    for (const kind of ['index', 'timeindex'] as const) writeFileSync(logFile(path, 0, kind), '')
    if (stop === 'clean') rmSync(logFile(path, 0, 'index'))
    writeFileSync(join(path, '00000000000000000000.snapshot'), 'x')
    const log = await openSwiftly(path)
    expect(log.recovery).toMatchObject({ splits: [{ baseOffset: 0n, into: [0n, BigInt(far)] }] })
    expect(log.segmentSizes.map(({ baseOffset }) => baseOffset)).toEqual([0n, BigInt(far)])
    expect(await values(log.read())).toEqual(['v0', 'v1', `v${far}`, `v${far + 1}`])
    expect(log.append(numbered(1)).baseOffset).toBe(BigInt(far + 2))
    expect(existsSync(join(path, '00000000000000000000.snapshot'))).toBe(false)
    await log.close()
    expect(leftOvers(path)).toEqual([])
  })

  it('known fault 1: a segment whose very first batch lies too far gets its base', async () => {
    const path = left(stop)
    for (const base of [4, 8]) for (const kind of KINDS) rmSync(logFile(path, base, kind))
    const far = 2_147_483_648
    const batches = [far, far + 1].map((n) =>
      encodeBatch(numbered(1, n), { baseOffset: BigInt(n), partitionLeaderEpoch: 0 }),
    )
    writeFileSync(logFile(path, 0), Buffer.concat(batches))
    for (const kind of ['index', 'timeindex'] as const) rmSync(logFile(path, 0, kind))
    const log = await openSwiftly(path)
    expect(log.recovery).toMatchObject({ splits: [{ baseOffset: 0n, into: [BigInt(far)] }] })
    expect(await values(log.read())).toEqual([`v${far}`, `v${far + 1}`])
    expect(log.append(numbered(1)).baseOffset).toBe(BigInt(far + 2))
    await log.close()
    expect(leftOvers(path)).toEqual([])
  })

  it('damage found while an index is made anew is refused; cut, what lies behind stays', async () => {
    const path = left(stop)
    setRecoveryPoint(path, 12)
    rmSync(logFile(path, 0, 'index'))
    cutBytes(logFile(path, 0), 1)
    const error = await rejection(() => openSwiftly(path))
    expect(error).toMatchObject({ code: 'ERR_CORRUPT', path: logFile(path, 0), offset: 3n })
    const log = await openSwiftly(path, { onDamage: 'cut' })
    expect(await values(log.read())).toEqual(without(3))
    await log.close()
  })
})

describe('beside a writer, or to be read alone', () => {
  it('a cleaning that was not finished is not seen, and stays', async () => {
    const path = left('unclean')
    writeSegment(path, 0, '.cleaned', [1])
    writeSegment(path, 4, '.swap', [5])
    const before = treeOf(path)
    const log = await openSwiftly(path, { readOnly: true })
    expect(await values(log.read())).toEqual(all)
    await log.close()
    expect(treeOf(path)).toEqual(before)
  })

  it('known fault 194b: a .swap that is to be put in place is left alone, and the log is not readable until it is', async () => {
    const path = left('unclean')
    writeSegment(path, 0, '.swap', [1, 5, 7])
    const before = treeOf(path)
    expect(await codeOf(() => openSwiftly(path, { readOnly: true }))).toBe('ERR_UNCLEAN')
    expect(treeOf(path)).toEqual(before)
  })
})

it('the marker is gone from the disk before anything of a log is touched', async () => {
  const path = copyOf(original)
  rmSync(logFile(path, 0, 'index'))
  writeFileSync(join(path, 'x.deleted'), '')
  const machine = new RecordingMachine(dirname(path))
  await (await openLogOn(machine, path)).close()
  const events = machine.taken()
  expect(events.slice(0, 3)).toEqual([
    'makeDirectory above',
    'remove .kafka_cleanshutdown',
    'flushPath above',
  ])
  expect(events).toContain('remove x.deleted')
})
