/** What is found in a partition directory when it is opened. */
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { codeOf, rejection } from '../support/errors.js'
import { START_MS, testMachine } from '../support/machine.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { tempDir } from '../support/temp-dir.js'

const FIRST = '00000000000000000000'
const records = (count: number, timestamp = START_MS) =>
  Array.from({ length: count }, (_, n) => ({ key: `k${n}`, value: 'v', timestamp }))

async function closedLog(prepare: (log: Log) => unknown, config: LogConfigInput = {}): Promise<string> {
  const path = join(tempDir(), 'log-0')
  const log = await open(path, config)
  await prepare(log)
  await log.close()
  return path
}

const open = (path: string, config: LogConfigInput = {}) => openLogOn(testMachine(), path, { config })
type Log = Awaited<ReturnType<typeof open>>

async function offsetsOf(log: Log, options = {}): Promise<bigint[]> {
  const offsets: bigint[] = []
  for await (const { offset } of log.read(options)) offsets.push(offset)
  return offsets
}

describe('an index that is missing', () => {
  it.each(['index', 'timeindex'])('is fine beside an empty active segment (.%s)', async (kind) => {
    const path = await closedLog((log) => {
      log.append(records(2))
      log.roll()
    })
    rmSync(join(path, `00000000000000000002.${kind}`))
    const log = await open(path)
    log.append(records(1))
    expect(await offsetsOf(log)).toEqual([0n, 1n, 2n])
    await log.close()
  })

  it.each(['index', 'timeindex'])(
    'is named beside a segment with records that is only read (.%s)',
    async (kind) => {
      const path = await closedLog((log) => log.append(records(2)))
      rmSync(join(path, `${FIRST}.${kind}`))
      const error = await rejection(() => openLogOn(testMachine(), path, { readOnly: true }))
      expect(error).toMatchObject({ code: 'ERR_CORRUPT', path: join(path, `${FIRST}.${kind}`) })
      const log = await open(path)
      expect(await offsetsOf(log)).toEqual([0n, 1n])
      await log.close()
    },
  )
})

describe('a damaged index of a sealed segment', () => {
  const entry = (relativeOffset: number, position: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeInt32BE(relativeOffset, 0)
    bytes.writeInt32BE(position, 4)
    return bytes
  }
  /** All positions but the first a byte too far. */
  const moved = (sound: Buffer) => {
    const bytes = Buffer.from(sound)
    for (let at = 12; at < bytes.length; at += 8) bytes.writeInt32BE(bytes.readInt32BE(at) + 1, at)
    return bytes
  }
  const damages: [name: string, kind: 'index' | 'timeindex', bytes: (sound: Buffer) => Buffer][] = [
    ['an odd length', 'index', (sound) => sound.subarray(0, -3)],
    ['an odd length', 'timeindex', (sound) => sound.subarray(0, -5)],
    ['a position beyond the log', 'index', (sound) => Buffer.concat([sound, entry(50, 1 << 30)])],
    ['a falling last entry', 'index', (sound) => Buffer.concat([sound, entry(0, 0)])],
    ['zeros at its end', 'timeindex', (sound) => Buffer.concat([sound, Buffer.alloc(12)])],
    ['a position in the middle of a batch', 'index', () => entry(1, 146)],
    ['positions that are none, one after the other', 'index', (sound) => moved(sound)],
  ]

  it.each(damages)(
    'known fault 31: (%s of the .%s) is named, and rebuilt when it was removed as the error says',
    async (_, kind, damaged) => {
      const path = await closedLog(
        (log) => {
          for (let n = 0; n < 6; n++) log.append(records(1, START_MS + n))
          log.roll()
          log.append(records(1, START_MS + 10))
        },
        { indexIntervalBytes: 0 },
      )
      const file = join(path, `${FIRST}.${kind}`)
      const sound = readFileSync(file)
      writeFileSync(file, damaged(sound))
      const log = await open(path)
      const use = async () => [await offsetsOf(log, { from: 1n }), await log.offsetForTimestamp(START_MS + 3)]
      const error = await rejection(use)
      expect(error).toMatchObject({ code: 'ERR_CORRUPT', kind: 'index', path: file })
      expect(error).toHaveProperty(
        'message',
        expect.stringMatching(/close it, remove this file and open it again, and the index is rebuilt/),
      )
      await log.close()
      rmSync(file)
      const again = await open(path)
      expect(await offsetsOf(again)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n])
      expect(await again.offsetForTimestamp(START_MS + 3)).toMatchObject({ offset: 3n })
      await again.close()
      expect(readFileSync(file)).toEqual(sound)
    },
  )
})

it('known fault 31: a damaged batch that an index rightly leads to is the log’s damage', async () => {
  const path = await closedLog(
    (log) => {
      for (let n = 0; n < 6; n++) log.append(records(1, START_MS + n))
      log.roll()
      log.append(records(1))
    },
    { indexIntervalBytes: 0 },
  )
  const file = join(path, `${FIRST}.log`)
  const bytes = readFileSync(file)
  const position = (bytes.length / 6) * 3
  bytes.writeInt8(9, position + 16)
  writeFileSync(file, bytes)
  const log = await open(path)
  for (const use of [() => log.fetch(3n), () => log.offsetForTimestamp(START_MS + 3)])
    expect(await rejection(use)).toMatchObject({ code: 'ERR_CORRUPT', kind: 'batch', path: file, position })
  await log.close()
})

it('known fault 25: a sealed segment that many ask for at once is opened once', async () => {
  const path = await closedLog((log) => {
    log.append(records(2))
    log.roll()
    log.append(records(1))
  })
  const machine = new RecordingMachine(dirname(path))
  const log = await openLogOn(machine, path)
  machine.opened()
  const asked = await Promise.all([
    ...Array.from({ length: 5 }, () => offsetsOf(log)),
    ...Array.from({ length: 5 }, () => log.offsetForTimestamp(START_MS).then((found) => [found?.offset])),
    log.fetch(0n).then(({ nextOffset }) => [nextOffset]),
  ])
  expect(machine.opened().sort()).toEqual(['0.index', '0.log', '0.timeindex'])
  expect(asked.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => [0n, 1n, 2n]))
  expect(asked.slice(5)).toEqual([...Array.from({ length: 5 }, () => [0n]), [2n]])
  await log.close()
})

describe('files that other programs wrote', () => {
  it('a segment whose offsets span more than 31 bits is read right, or refused by name', async () => {
    const path = await closedLog((log) => log.append(records(1)))
    const far = encodeBatch(records(2), { baseOffset: 2_147_483_648n, partitionLeaderEpoch: 0 })
    const near = encodeBatch(records(1), { partitionLeaderEpoch: 0 })
    writeFileSync(join(path, `${FIRST}.log`), Buffer.concat([near, far]))
    const expected = [0n, 2_147_483_648n, 2_147_483_649n]
    try {
      const log = await open(path)
      try {
        expect(await offsetsOf(log)).toEqual(expected)
        for (const from of expected) expect((await offsetsOf(log, { from }))[0]).toBe(from)
        log.append(records(1))
        expect((await offsetsOf(log)).at(-1)).toBe(2_147_483_650n)
      } finally {
        await log.close()
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_CORRUPT', path: join(path, `${FIRST}.log`) })
    }
  })

  it('known fault 16: entries of a time index that fall are made anew, not used', async () => {
    const path = await closedLog((log) => log.append(records(2)))
    const index = join(path, `${FIRST}.timeindex`)
    const zero = Buffer.alloc(12)
    const entry = Buffer.alloc(12)
    entry.writeBigInt64BE(BigInt(START_MS))
    entry.writeInt32BE(1, 8)
    writeFileSync(index, Buffer.concat([entry, zero]))
    const log = await open(path)
    expect(log.recovery?.scanned).toMatchObject([{ cause: 'corrupt index' }])
    expect(log.segments[0]?.maxTimestamp).toBe(BigInt(START_MS))
    await log.close()
    expect(readFileSync(index)).toEqual(Buffer.concat([entry]))
  })

  it('known fault 13a: offsets of an index that are negative are made anew, not used', async () => {
    const path = await closedLog((log) => log.append(records(2)))
    const index = join(path, `${FIRST}.index`)
    const entries = Buffer.alloc(16)
    entries.writeInt32BE(10, 0)
    entries.writeInt32BE(-2_147_483_000, 8)
    writeFileSync(index, entries)
    const log = await open(path)
    expect(log.recovery?.scanned).toMatchObject([{ cause: 'corrupt index' }])
    expect(await offsetsOf(log)).toEqual([0n, 1n])
    await log.close()
  })

  it.each([
    ['leader-epoch-checkpoint', 'abc', '.'],
    ['leader-epoch-checkpoint', '0\n2\n0 0\n', '.'],
    ['partition-log.properties', 'no setting', '.'],
    ['replication-offset-checkpoint', 'abc', '..'],
    ['log-start-offset-checkpoint', '0\n1\nlog 0\n', '..'],
  ])('known faults, area 18: a malformed %s is refused by name', async (name, text, where) => {
    const path = await closedLog((log) => log.append(records(1)))
    const file = join(path, where, name)
    writeFileSync(file, text)
    expect(await rejection(() => open(path))).toMatchObject({ code: 'ERR_CORRUPT', path: file })
    // And nothing is held by the failed open.
    rmSync(file)
    await (await open(path)).close()
  })

  it('an empty log and an empty checkpoint are fine', async () => {
    const path = await closedLog(() => undefined)
    writeFileSync(join(path, 'leader-epoch-checkpoint'), '')
    const log = await open(path)
    expect([await offsetsOf(log), log.leaderEpochs]).toEqual([[], []])
    await log.close()
  })
})

describe('a time index that begins with the time 0 at the first offset', () => {
  const byTime = async (log: Log) => [
    await log.offsetForTimestamp(0),
    await log.offsetForMaxTimestamp(),
    log.segments.map(({ maxTimestamp }) => maxTimestamp),
  ]
  const found = expect.objectContaining({ offset: 0n, timestamp: 0n })

  it('is no room, where the active segment has room for this entry alone', async () => {
    const config = { segmentIndexBytes: 12 }
    const path = await closedLog((log) => log.append(records(1, 0)), config)
    const log = await open(path, config)
    expect(log.segments[0]?.timeIndexEntries).toBe(1)
    expect(await byTime(log)).toEqual([found, found, [0n]])
    await log.close()
    expect(statSync(join(path, `${FIRST}.timeindex`)).size).toBe(12)
  })

  it('leads readers of sealed segments to it, who cannot tell it from room by itself', async () => {
    const path = await closedLog((log) => {
      log.append(records(1, 0))
      log.roll()
      log.append(records(1, -1))
    })
    const log = await openLogOn(testMachine(), path, { readOnly: true })
    expect(await byTime(log)).toEqual([found, found, [0n, -1n]])
    await log.close()
  })

  it('is room, where the first batch has another time', async () => {
    const config = { segmentIndexBytes: 12 }
    const path = await closedLog((log) => log.append(records(1, -1)), config)
    writeFileSync(join(path, `${FIRST}.timeindex`), Buffer.alloc(12))
    for (const options of [{ config }, { readOnly: true }]) {
      const log = await openLogOn(testMachine(), path, options)
      expect(log.segments[0]?.timeIndexEntries).toBe(0)
      expect(await byTime(log)).toEqual([null, null, [-1n]])
      await log.close()
    }
  })
})

it('opening and closing does not touch a log file, whose time retention may go by', async () => {
  const path = await closedLog((log) => {
    log.append(records(1, -1))
    log.roll()
    log.append(records(1, -1))
  })
  const files = [`${FIRST}.log`, '00000000000000000001.log'].map((name) => join(path, name))
  for (const file of files) utimesSync(file, 1000, 1000)
  const log = await open(path)
  await offsetsOf(log)
  await log.close()
  expect(files.map((file) => statSync(file).mtimeMs)).toEqual([1_000_000, 1_000_000])
})

it('other settings than the stored ones are refused, the same ones taken', async () => {
  const path = await closedLog((log) => log.append(records(1)), { segmentMs: 5000 })
  expect(await codeOf(() => open(path, { segmentMs: 6000 }))).toBe('ERR_CONFIG_MISMATCH')
  const log = await open(path, { segmentMs: 5000 })
  expect(log.config.segmentMs).toBe(5000)
  await log.close()
})
