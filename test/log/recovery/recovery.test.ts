/** What opening does with a log that was not closed cleanly: kept, cut, made anew, refused; and what it says of it. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import { openLogOn } from '../../../lib/manager/open-log.js'
import { rejection } from '../../support/errors.js'
import { numbered, values } from '../../support/log.js'
import { telling } from '../../support/telling.js'
import { memoryDir } from '../../support/temp-dir.js'
import { treeOf } from '../../support/tree.js'
import {
  batchPositions,
  cutBytes,
  flipByte,
  hasMarker,
  killedLog,
  logFile,
  openSwiftly,
  setLogStart,
  setMarker,
  setRecoveryPoint,
  swiftMachine,
} from '../../support/unclean-log.js'

const BATCHES = 4
const INDEXED = { indexIntervalBytes: 0 }

/** Segments at 0, 4 and 8, each of four batches of one record. */
function threeSegments(log: PartitionLog): void {
  for (let n = 0; n < 3 * BATCHES; n++) {
    if (n > 0 && n % BATCHES === 0) log.roll()
    log.append(numbered(1, n), { leaderEpoch: n >> 1 })
  }
}

const all = Array.from({ length: 3 * BATCHES }, (_, n) => `v${n}`)

async function killed(): Promise<string> {
  const path = await killedLog(threeSegments, INDEXED)
  setRecoveryPoint(path, 8)
  return path
}

async function recordsOf(log: PartitionLog): Promise<(string | undefined)[]> {
  return values(log.read())
}

/** Opens it, checks what is in it, appends, closes it, and opens it again. */
async function expectRecords(path: string, expected: readonly string[], options = {}): Promise<PartitionLog> {
  const log = await openSwiftly(path, options)
  expect(await recordsOf(log)).toEqual(expected)
  const { baseOffset } = log.append(numbered(1, 99))
  expect(baseOffset).toBe(log.offsets.logEndOffset - 1n)
  await log.close()
  expect(hasMarker(path)).toBe(true)
  const again = await openSwiftly(path)
  expect(await recordsOf(again)).toEqual([...expected, 'v99'])
  expect(again.recovery?.scanned ?? []).toEqual([])
  await again.close()
  return log
}

describe('after a kill', () => {
  it('all that was appended is there, and only segments from the recovery point on are scanned', async () => {
    const path = await killed()
    const { recovery } = await expectRecords(path, all)
    expect(recovery).toMatchObject({
      wasClean: false,
      recoveryPoint: 8n,
      segmentsScanned: 1,
      scanned: [{ baseOffset: 8n, cause: 'unflushed', nextOffset: 12n }],
      cuts: [],
      removedSegments: [],
      logEndOffset: 12n,
    })
  })

  it('all is on disk before it is served, and the recovery point says so', async () => {
    const path = await killed()
    const log = await openSwiftly(path)
    expect(log.offsets).toMatchObject({ recoveryPoint: 12n, durableOffset: 12n })
    await log.close()
  })

  it('known faults, area 18: indexes are what a clean close would have left', async () => {
    const clean = await killedLog(async (log) => {
      threeSegments(log)
      await log.close()
    }, INDEXED)
    const path = await killed()
    for (const base of [0, 4, 8])
      for (const kind of ['index', 'timeindex'] as const) writeFileSync(logFile(path, base, kind), 'garbage!')
    setRecoveryPoint(path, 0)
    await (await openSwiftly(path)).close()
    for (const base of [0, 4, 8])
      for (const kind of ['index', 'timeindex'] as const)
        expect(readFileSync(logFile(path, base, kind)), `${base} ${kind}`).toEqual(
          readFileSync(logFile(clean, base, kind)),
        )
  })

  it('leader epochs come from the batches where their file is behind', async () => {
    const path = await killed()
    writeFileSync(join(path, 'leader-epoch-checkpoint'), '0\n4\n0 0\n1 2\n2 4\n3 6\n')
    const log = await openSwiftly(path)
    expect(log.leaderEpochs.map(({ epoch, startOffset }) => [epoch, Number(startOffset)])).toEqual([
      [0, 0],
      [1, 2],
      [2, 4],
      [3, 6],
      [4, 8],
      [5, 10],
    ])
    await log.close()
    expect(readFileSync(join(path, 'leader-epoch-checkpoint'), 'utf8')).toContain('5 10')
  })

  it('known fault 59: a damaged epoch file is refused, or made anew from the batches', async () => {
    for (const stop of ['clean', 'unclean']) {
      const path = await killed()
      if (stop === 'clean') await (await openSwiftly(path)).close()
      const file = join(path, 'leader-epoch-checkpoint')
      const sound = '0\n6\n0 0\n1 2\n2 4\n3 6\n4 8\n5 10\n'
      for (const text of ['abc', '0\n7\n0 0\n', '0\n2\n3 0\n1 2\n']) {
        writeFileSync(file, text)
        expect(await rejection(() => openSwiftly(path))).toMatchObject({ code: 'ERR_CORRUPT', path: file })
        const log = await openSwiftly(path, { onDamage: 'cut' })
        expect(log.leaderEpochs).toHaveLength(6)
        await log.close()
        expect(readFileSync(file, 'utf8')).toBe(sound)
      }
    }
  })

  it('known fault 41: a recovery point above the end is lowered, on disk, before anything is appended', async () => {
    const path = await killed()
    setRecoveryPoint(path, 1_000)
    const log = await openSwiftly(path)
    const file = join(dirname(path), 'recovery-point-offset-checkpoint')
    expect(readFileSync(file, 'utf8')).toBe('0\n1\norders 0 12\n')
    expect(log.recovery).toMatchObject({ missingOffsets: 988n, cuts: [] })
    await log.close()
  })

  it('a log that is closed cleanly has its marker again, and is not scanned the next time', async () => {
    const path = await killed()
    await (await openSwiftly(path)).close()
    expect(hasMarker(path)).toBe(true)
    const log = await openSwiftly(path)
    expect(log.recovery).toBeNull()
    await log.close()
  })

  it('a listener of partition-log:recover and the logger hear of it, in a broker’s words', async () => {
    const path = await killed()
    cutBytes(logFile(path, 8), 3)
    const { logger, lines } = telling()
    await (await openSwiftly(path, { logger })).close()
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringContaining('Recovering unflushed segment 8. 0 recovered for orders-0.'),
        expect.stringContaining('Corruption found in segment 8, truncating to offset 11'),
      ]),
    )
  })

  it('known fault 190: progress is told in bytes', async () => {
    const path = await killed()
    setRecoveryPoint(path, 0)
    const told: number[] = []
    const log = await openSwiftly(path, {
      onProgress: ({ phase, log: name, done, total }) => {
        expect([phase, name]).toEqual(['recover', 'orders-0'])
        told.push(done)
        expect(done).toBeLessThanOrEqual(total)
      },
    })
    expect(told).toEqual([...told].sort((a, b) => a - b))
    expect(told.at(-1)).toBe(log.recovery?.bytesScanned)
    await log.close()
  })
})

describe('damage above the recovery point is cut', () => {
  it('known faults 194a and 196: a torn tail', async () => {
    const path = await killed()
    const [, , , position = 0, end = 0] = batchPositions(logFile(path, 8))
    cutBytes(logFile(path, 8), 3)
    const { recovery } = await expectRecords(path, all.slice(0, 11))
    expect(recovery?.cuts).toMatchObject([
      {
        path: logFile(path, 8),
        baseOffset: 8n,
        position,
        removedBytes: end - position - 3,
        offset: 11n,
        found: 'torn-batch',
        because: 'at or above the recovery point 8',
      },
    ])
  })

  it('known fault 56: it is gone from the disk, not only from memory', async () => {
    const path = await killed()
    cutBytes(logFile(path, 8), 3)
    const before = statSync(logFile(path, 8)).size
    const log = await openSwiftly(path)
    expect(statSync(logFile(path, 8)).size).toBeLessThan(before)
    await log.close()
  })

  it('known faults, area 18: a bad batch in an earlier segment: what lies behind goes too, with its indexes', async () => {
    const path = await killed()
    setRecoveryPoint(path, 2)
    flipByte(logFile(path, 4), -1)
    const files = () => readdirSync(path).filter((name) => /^0{19}8\.(?!snapshot)/.test(name))
    const log = await openSwiftly(path)
    expect(log.recovery?.removedSegments).toMatchObject([{ baseOffset: 8n }])
    expect(files().sort()).toEqual([
      '00000000000000000008.index.deleted',
      '00000000000000000008.log.deleted',
      '00000000000000000008.timeindex.deleted',
    ])
    await log.close()
    await expectRecords(path, all.slice(0, 7))
    expect(files()).toEqual([])
  })

  it('known fault 47: a size field that cannot be one, too small or too large', async () => {
    for (const length of [7, 0x7fff_ffff]) {
      const path = await killed()
      const bytes = readFileSync(logFile(path, 8))
      const last = batchPositions(logFile(path, 8))[3] as number
      bytes.writeInt32BE(length, last + 8)
      writeFileSync(logFile(path, 8), bytes)
      await expectRecords(path, all.slice(0, 11))
    }
  })

  it('known fault 46: a partial header alone is a segment without records', async () => {
    const path = await killed()
    truncateSync(logFile(path, 8), 30)
    const { recovery } = await expectRecords(path, all.slice(0, 8))
    expect(recovery?.cuts).toMatchObject([{ position: 0, offset: 8n, found: 'torn-batch' }])
  })

  it.each([
    ['no bytes', 0],
    ['8 MiB of zeros', 8 << 20],
  ])(
    'known faults 55 and 194a: a newest segment of %s opens, empty, and what lies before stays',
    async (_, size) => {
      const path = await killed()
      writeFileSync(logFile(path, 8), Buffer.alloc(size))
      await expectRecords(path, all.slice(0, 8))
    },
  )

  it('known fault 13: zeros behind the last batch, as a preallocated file has them', async () => {
    const path = await killed()
    appendFileSync(logFile(path, 8), Buffer.alloc(100_000))
    await expectRecords(path, all)
  })

  it('known fault 52: offsets that step back; a gap forward stays', async () => {
    const path = await killedLog((log) => {
      log.append(numbered(2))
      log.roll()
      log.append(numbered(2, 2))
    })
    setRecoveryPoint(path, 0)
    const file = logFile(path, 2)
    const bytes = readFileSync(file)
    writeFileSync(file, Buffer.concat([bytes, bytes]))
    await expectRecords(path, ['v0', 'v1', 'v2', 'v3'])

    const gap = await killedLog((log) => void log.append(numbered(2)))
    const moved = readFileSync(logFile(gap, 0))
    moved.writeBigInt64BE(10n)
    writeFileSync(logFile(gap, 0), Buffer.concat([readFileSync(logFile(gap, 0)), moved]))
    const log = await openSwiftly(gap)
    expect(log.offsets.logEndOffset).toBe(12n)
    await log.close()
  })

  it('known fault 50: a segment from before the log began anew, lower, is not picked up again', async () => {
    const path = await killed()
    setRecoveryPoint(path, 0)
    writeFileSync(logFile(path, 0), '')
    const { recovery } = await expectRecords(path, [])
    expect(recovery?.removedSegments.map(({ baseOffset }) => baseOffset)).toEqual([4n, 8n])
  })

  it('a copy is kept first where one was asked for, and an earlier one stays', async () => {
    const quarantine = join(memoryDir(), 'kept')
    for (const n of [1, 2]) {
      const path = await killed()
      setRecoveryPoint(path, 4)
      flipByte(logFile(path, 4), -1)
      const [damaged, behind] = [4, 8].map((base) => readFileSync(logFile(path, base)))
      const log = await openSwiftly(path, { quarantine })
      const end = n === 1 ? '' : '.2'
      const kept = join(quarantine, 'orders-0')
      expect(readFileSync(`${logFile(kept, 4)}${end}`)).toEqual(damaged)
      expect(readFileSync(`${logFile(kept, 8)}${end}`)).toEqual(behind)
      expect(log.recovery?.quarantined).toContain(`${logFile(kept, 4)}${end}`)
      await log.close()
    }
  })
})

describe('damage in what was known to be on disk', () => {
  async function refused(damage: (path: string) => void, fields: object): Promise<void> {
    const path = await killed()
    damage(path)
    const before = treeOf(dirname(path))
    const error = await rejection(() => openSwiftly(path))
    expect(error).toMatchObject({ code: 'ERR_CORRUPT', ...fields })
    expect(error).toHaveProperty('message', expect.stringContaining("onDamage: 'cut'"))
    expect(onlyRecords(treeOf(dirname(path)))).toEqual(onlyRecords(before))
    expect(hasMarker(path)).toBe(false)
  }

  const onlyRecords = (tree: Record<string, string>) =>
    Object.fromEntries(Object.entries(tree).filter(([name]) => name.endsWith('.log')))

  it('below the recovery point nothing is cut, and the error says what is at stake', async () => {
    let file = ''
    await refused(
      (path) => {
        setRecoveryPoint(path, 10)
        file = logFile(path, 8)
        flipByte(file, (batchPositions(file)[1] as number) - 1)
      },
      { position: 0, offset: 8n, validBytes: 0, atStake: { firstOffset: 9n, nextOffset: 12n } },
    )
  })

  it('where no recovery point is known, and sound batches follow in the file', async () => {
    await refused(
      (path) => {
        setRecoveryPoint(path, null)
        const file = logFile(path, 8)
        flipByte(file, (batchPositions(file)[2] as number) - 1)
      },
      { offset: 9n, atStake: { firstOffset: 10n, nextOffset: 12n } },
    )
  })

  it('known faults, area 18: where its checkpoint is damaged, and sound batches follow in another segment', async () => {
    await refused(
      (path) => {
        writeFileSync(join(dirname(path), 'recovery-point-offset-checkpoint'), 'garbage')
        cutBytes(logFile(path, 0), 1)
      },
      { offset: 3n, kind: 'torn-tail', atStake: { firstOffset: 4n, nextOffset: 12n } },
    )
  })

  it.each(['missing', 'damaged'])(
    'where its checkpoint is %s and nothing follows, the tail is cut',
    async (how) => {
      const path = await killed()
      const file = join(dirname(path), 'recovery-point-offset-checkpoint')
      if (how === 'missing') rmSync(file)
      else writeFileSync(file, 'garbage')
      cutBytes(logFile(path, 8), 1)
      const { recovery } = await expectRecords(path, all.slice(0, 11))
      expect(recovery).toMatchObject({ recoveryPoint: null, segmentsScanned: 3 })
    },
  )

  it("onDamage: 'cut' cuts it", async () => {
    const path = await killed()
    setRecoveryPoint(path, 10)
    flipByte(logFile(path, 8), (batchPositions(logFile(path, 8))[1] as number) - 1)
    const { recovery } = await expectRecords(path, all.slice(0, 8), { onDamage: 'cut' })
    expect(recovery?.cuts).toMatchObject([{ because: "onDamage is 'cut'", position: 0 }])
  })

  it('after a clean stop too: refused as it is, or cut if asked for', async () => {
    const path = await killed()
    await (await openSwiftly(path)).close()
    cutBytes(logFile(path, 8), 3)
    const before = treeOf(dirname(path))
    expect(await rejection(() => openSwiftly(path))).toMatchObject({ code: 'ERR_CORRUPT', offset: 11n })
    expect(treeOf(dirname(path))).toEqual(before)
    expect(hasMarker(path)).toBe(true)
    await expectRecords(path, all.slice(0, 11), { onDamage: 'cut' })
  })

  it('an I/O error is never damage: the open fails, and nothing is cut', async () => {
    const path = await killed()
    const machine = swiftMachine()
    const { backend } = machine
    const failing = {
      ...machine,
      backend: Object.assign(Object.create(backend), {
        openLane: () => {
          const lane = backend.openLane()
          const scan = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'ERR_IO', errno: 'EIO' }))
          return Object.assign(Object.create(lane), {
            scan,
            close: () => lane.close(),
            flushPath: (p: string) => lane.flushPath(p),
            look: (...args: Parameters<typeof lane.look>) => lane.look(...args),
          })
        },
      }),
    }
    const before = treeOf(dirname(path))
    expect(await rejection(() => openLogOn(failing, path, { onDamage: 'cut' }))).toMatchObject({
      errno: 'EIO',
    })
    expect(treeOf(dirname(path))).toEqual(before)
    await expectRecords(path, all)
  })
})

describe('a start behind the end', () => {
  it('known faults 35 and 14: all segments go, the epochs with them, and the log goes on at its start', async () => {
    const path = await killed()
    setLogStart(path, 100)
    const log = await openSwiftly(path)
    expect(log.offsets).toMatchObject({ logStartOffset: 100n, logEndOffset: 100n })
    expect(log.leaderEpochs).toEqual([])
    expect(log.recovery?.removedSegments.map(({ baseOffset }) => baseOffset)).toEqual([0n, 4n, 8n])
    expect(log.append(numbered(1)).baseOffset).toBe(100n)
    await log.close()
    const again = await openSwiftly(path)
    expect(again.segments.map(({ baseOffset }) => baseOffset)).toEqual([100n])
    await again.close()
  })
})

it('known fault 194b: readOnly shows what is sound, and changes nothing', async () => {
  const path = await killed()
  cutBytes(logFile(path, 8), 3)
  const before = treeOf(dirname(path))
  const log = await openSwiftly(path, { readOnly: true })
  expect(await recordsOf(log)).toEqual(all.slice(0, 11))
  await log.close()
  expect(treeOf(dirname(path))).toEqual(before)
  expect(existsSync(join(dirname(path), '.lock'))).toBe(false)
})

it('one log of a directory that was recovered and closed does not vouch for its neighbours', async () => {
  const path = await killed()
  const other = join(dirname(path), 'other-0')
  const neighbour = await killedLog((log) => void log.append(numbered(1)))
  cpSync(neighbour, other, { recursive: true })
  setMarker(path, false)
  await (await openSwiftly(path)).close()
  expect(hasMarker(path)).toBe(false)
  const [one, two] = await Promise.all([openSwiftly(path), openSwiftly(other)])
  expect(two.recovery).toMatchObject({ wasClean: false })
  await Promise.all([one.close(), two.close()])
  expect(hasMarker(path)).toBe(true)
})
