/** What is found in a partition directory when it is opened. */
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { codeOf, rejection } from '../support/errors.js'
import { START_MS, testMachine } from '../support/machine.js'
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
  ])('a malformed %s is refused by name', async (name, text, where) => {
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
