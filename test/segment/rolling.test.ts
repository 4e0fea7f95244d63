/** When and how a log begins a new segment, seen from outside. */
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { ioError } from '../../lib/errors.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { backendUnderTest } from '../support/backend.js'
import { codeOf } from '../support/errors.js'
import { START_MS, type TestMachineOptions, testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

const NOW = BigInt(START_MS)

async function newLog(config: LogConfigInput = {}, options: TestMachineOptions = {}) {
  const path = join(tempDir(), 'log-0')
  const machine = testMachine(options)
  const log = await openLogOn(machine, path, { config })
  return { log, path, machine, ...machine }
}

const record = (timestamp: bigint = NOW) => ({ key: 'k', value: 'v', timestamp })
const batchAt = (baseOffset: bigint, count = 1) =>
  encodeBatch(
    Array.from({ length: count }, () => record()),
    { baseOffset, partitionLeaderEpoch: 0 },
  )
const bases = (log: { segments: readonly { baseOffset: bigint }[] }) =>
  log.segments.map(({ baseOffset }) => baseOffset)

describe('rolling on request', () => {
  it('begins a segment at the end', async () => {
    const { log } = await newLog()
    log.append([record(), record()])
    expect(log.roll()).toBe(2n)
    log.append([record()])
    expect(bases(log)).toEqual([0n, 2n])
    await log.close()
  })

  it('makes an empty active segment anew', async () => {
    const { log } = await newLog()
    expect([log.roll(), log.roll()]).toEqual([0n, 0n])
    log.append([record()])
    log.roll()
    log.roll()
    log.append([record()])
    expect(bases(log)).toEqual([0n, 1n])
    await log.close()
  })

  it('cuts the indexes of the old segment, and gives the new one its full room', async () => {
    const { log, path } = await newLog({ segmentIndexBytes: 100 })
    log.append([record()])
    log.roll()
    const size = (name: string) => statSync(join(path, name)).size
    expect(size('00000000000000000000.index')).toBe(0)
    expect(size('00000000000000000000.timeindex')).toBe(12)
    expect(size('00000000000000000001.index')).toBe(96)
    expect(size('00000000000000000001.timeindex')).toBe(96)
    await log.close()
  })
})

describe('rolling because of time', () => {
  it("known fault 5: compares the batch's time with the segment's first, not with the clock", async () => {
    const { log, clock } = await newLog({ segmentMs: 1000 })
    log.append([record(NOW - 100_000n)])
    clock.advance(50_000)
    log.append([record(NOW - 99_500n)])
    expect(bases(log)).toEqual([0n])
    log.append([record(NOW - 98_900n)])
    expect(bases(log)).toEqual([0n, 2n])
    await log.close()
  })

  it('known fault 5: uses the age of the segment where records carry no time', async () => {
    const { log, clock } = await newLog({ segmentMs: 1000 })
    log.append([record(-1n)])
    clock.advance(1000)
    log.append([record(-1n)])
    expect(bases(log)).toEqual([0n])
    clock.advance(1)
    log.append([record(-1n)])
    expect(bases(log)).toEqual([0n, 2n])
    await log.close()
  })

  it('does not happen while nothing is appended', async () => {
    const { log, clock } = await newLog({ segmentMs: 1 })
    log.append([record()])
    clock.advance(100_000)
    expect(bases(log)).toEqual([0n])
    await log.close()
  })
})

describe('rolling because of size or full indexes', () => {
  it('keeps segments within segment.bytes', async () => {
    const { log } = await newLog({ internalSegmentBytes: 200 })
    for (let n = 0; n < 10; n++) log.append([record()])
    expect(log.segments.every(({ sizeInBytes }) => sizeInBytes <= 200)).toBe(true)
    expect(log.segments).toHaveLength(5)
    await log.close()
  })

  it('keeps one time entry free, so a room for one rolls before every batch', async () => {
    const { log } = await newLog({ segmentIndexBytes: 12 })
    for (let n = 0; n < 3; n++) log.append([record()])
    expect(log.offsets.logEndOffset).toBe(3n)
    expect(bases(log)).toEqual([0n, 1n, 2n])
    await log.close()
  })

  it('known fault 11: never writes beyond the room of an index: it rolls first', async () => {
    const { log } = await newLog({ segmentIndexBytes: 48, indexIntervalBytes: 0 })
    for (let n = 0; n < 20; n++) log.append([record(NOW + BigInt(n))])
    expect(log.segments.every(({ timeIndexEntries }) => timeIndexEntries <= 4)).toBe(true)
    expect(log.offsets.logEndOffset).toBe(20n)
    await log.close()
  })
})

describe('rolling because of offsets', () => {
  it('known fault 2: rolls before relative offsets leave 31 bits, and names the segment after its first offset', async () => {
    const { log } = await newLog()
    log.append([record()])
    log.appendBatches(batchAt(2_147_483_646n, 3), { origin: 'follower' })
    expect(bases(log)).toEqual([0n, 2_147_483_646n])
    await log.close()
  })

  it('known fault 2: takes two batches that lie 2^31 offsets apart in one call', async () => {
    const { log } = await newLog({ indexIntervalBytes: 0 })
    const bytes = Buffer.concat([batchAt(0n), batchAt(2_147_483_648n)])
    log.appendBatches(bytes, { origin: 'follower' })
    expect(log.offsets.logEndOffset).toBe(2_147_483_649n)
    expect(log.locate(1n).batch).toMatchObject({ baseOffset: 2_147_483_648n })
    await log.close()
  })

  it('known fault 133: refuses a batch that would leave no offset for the next one', async () => {
    const { log } = await newLog()
    const bytes = batchAt(9_223_372_036_854_775_807n)
    expect(await codeOf(() => log.appendBatches(bytes, { origin: 'follower' }))).toBe('ERR_INVALID_BATCH')
    log.append([record()])
    await log.close()
  })
})

describe('a batch above segment.bytes', () => {
  it('known fault 13b: is refused from a leader and taken from a follower, in a segment of its own', async () => {
    const { log } = await newLog({ internalSegmentBytes: 200 })
    const large = [{ key: 'k', value: 'v'.repeat(500), timestamp: NOW }]
    expect(await codeOf(() => log.append(large))).toBe('ERR_BATCH_TOO_LARGE')
    log.append([record()])
    log.appendBatches(encodeBatch(large, { baseOffset: 1n }), { origin: 'follower' })
    log.append([record()])
    expect(bases(log)).toEqual([0n, 1n, 2n])
    await log.close()
  })

  it('is taken from a follower as the first of the log', async () => {
    const { log } = await newLog({ internalSegmentBytes: 200 })
    const large = [{ key: 'k', value: 'v'.repeat(500), timestamp: NOW }]
    log.appendBatches(encodeBatch(large), { origin: 'follower' })
    expect(bases(log)).toEqual([0n])
    await log.close()
  })
})

describe('a roll that cannot make its files', () => {
  it('on a full disk refuses that append alone', async () => {
    let full = false
    const inner = backendUnderTest()
    const backend = new Proxy(inner, {
      get(target, name) {
        if (name === 'openIndexFile' && full) {
          return (path: string) => {
            throw ioError('open', 'ENOSPC', path)
          }
        }
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { log } = await newLog({ internalSegmentBytes: 100 }, { backend })
    log.append([record()])
    full = true
    expect(await codeOf(() => log.append([record()]))).toBe('ERR_DISK_FULL')
    expect(await codeOf(() => log.append([record()]))).toBe('ERR_DISK_FULL')
    full = false
    log.append([record()])
    expect(bases(log)).toEqual([0n, 1n])
    expect(log.state).toBe('open')
    await log.close()
  })

  it('goes on over index files that lie there without a log', async () => {
    const { log, path } = await newLog()
    log.append([record()])
    await log.close()
    for (const kind of ['index', 'timeindex'])
      writeFileSync(join(path, `00000000000000000001.${kind}`), 'stale')
    const again = await openLogOn(testMachine(), path)
    again.roll()
    again.append([record()])
    expect(bases(again)).toEqual([0n, 1n])
    await again.close()
  })
})

it('known fault 13: preallocates the new segment, and cuts the rest off when it rolls and closes', async () => {
  const { log, path } = await newLog({ preallocate: true, internalSegmentBytes: 4000 })
  const sizes = () =>
    readdirSync(path)
      .filter((name) => name.endsWith('.log'))
      .map((name) => statSync(join(path, name)).size)
  log.append([record()])
  log.roll()
  const { length } = batchAt(0n)
  log.append([record()])
  const [first] = sizes()
  expect(first).toBe(length)
  const { batches } = await log.fetch(1n, { maxBytes: 100_000 })
  expect(batches).toHaveLength(length)
  await log.close()
  expect(sizes()).toEqual([length, length])
})
