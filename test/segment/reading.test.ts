/** Reads at edges, and of logs that change or are damaged, seen from outside. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { codeOf, rejection } from '../support/errors.js'
import { START_MS, testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

async function newLog(config: LogConfigInput = {}, options: OpenLogOptions = {}) {
  const path = join(tempDir(), 'log-0')
  const log = await openLogOn(testMachine(), path, { config, ...options })
  return { log, path }
}

type Log = Awaited<ReturnType<typeof newLog>>['log']

const records = (count: number, timestamp = START_MS) =>
  Array.from({ length: count }, (_, n) => ({ key: `k${n}`, value: 'v', timestamp }))

async function offsetsOf(log: Log, options = {}): Promise<number[]> {
  const offsets: number[] = []
  for await (const { offset } of log.read(options)) offsets.push(Number(offset))
  return offsets
}

describe('a fetch', () => {
  it('never says to go on behind records that it did not give', async () => {
    const { log } = await newLog({}, { highWatermark: 'manual' })
    log.append(records(10))
    log.setHighWatermark(5n)
    const { batches, nextOffset } = await log.fetch(0n)
    expect(batches).toHaveLength(0)
    expect(nextOffset).toBe(0n)
    expect(log.fetchSync(0n).nextOffset).toBe(0n)
    await log.close()
  })

  it('known fault 158: cuts at whole batches, whatever its size', async () => {
    const { log } = await newLog()
    const size = encodeBatch(records(1)).length
    for (let n = 0; n < 4; n++) log.append(records(1))
    for (let maxBytes = 0; maxBytes < size * 5; maxBytes += 7) {
      const { batches, nextOffset } = await log.fetch(1n, { maxBytes })
      const whole = Math.min(3, Math.max(1, Math.floor(maxBytes / size)))
      expect([batches.length, nextOffset]).toEqual([whole * size, BigInt(1 + whole)])
    }
    await log.close()
  })

  it('of less than one batch gives nothing where it need not give one', async () => {
    const { log } = await newLog()
    log.append(records(1))
    const { batches, nextOffset } = await log.fetch(0n, { maxBytes: 10, minOneBatch: false })
    expect([batches.length, nextOffset]).toEqual([0, 0n])
    await log.close()
  })
})

describe('a read', () => {
  it('makes progress whatever bytes it may take at once', async () => {
    const { log } = await newLog()
    for (let n = 0; n < 3; n++) log.append(records(2))
    expect(await offsetsOf(log, { maxBytes: 10 })).toEqual([0, 1, 2, 3, 4, 5])
    await log.close()
  })

  it('steps over a gap behind the largest offset that a segment can hold', async () => {
    const { log } = await newLog({}, { highWatermark: 'manual' })
    const largest = 2 ** 31 - 1
    for (const baseOffset of [0n, BigInt(largest), BigInt(largest + 10)])
      log.appendBatches(encodeBatch(records(1), { baseOffset }), { origin: 'follower' })
    expect(log.segments.map(({ baseOffset }) => Number(baseOffset))).toEqual([0, largest + 10])
    log.setHighWatermark(BigInt(largest + 3))
    expect(await offsetsOf(log)).toEqual([0, largest])
    log.setHighWatermark(log.offsets.logEndOffset)
    for (const from of [largest + 1, largest + 9]) {
      expect(await offsetsOf(log, { from: BigInt(from) })).toEqual([largest + 10])
      expect(log.fetchSync(BigInt(from)).nextOffset).toBe(BigInt(largest + 11))
      expect(log.locate(BigInt(from)).batch?.baseOffset).toBe(BigInt(largest + 10))
    }
    expect(await offsetsOf(log)).toEqual([0, largest, largest + 10])
    await log.close()
  })

  it('steps over gaps inside of and between segments', async () => {
    const { log } = await newLog()
    for (const baseOffset of [3n, 10n, 2_147_483_700n, 9_000_000_000n]) {
      log.appendBatches(encodeBatch(records(2), { baseOffset }), { origin: 'follower' })
      if (baseOffset === 10n) log.roll()
    }
    expect(await offsetsOf(log)).toEqual([
      3, 4, 10, 11, 2_147_483_700, 2_147_483_701, 9_000_000_000, 9_000_000_001,
    ])
    expect((await offsetsOf(log, { from: 12n }))[0]).toBe(2_147_483_700)
    expect(log.locate(5_000_000_000n).batch).toMatchObject({ baseOffset: 9_000_000_000n })
    await log.close()
  })

  it('known fault 166: gives a batch with a wrong checksum as an error, the same each time, and what lies before it', async () => {
    const { log, path } = await newLog()
    for (let n = 0; n < 3; n++) log.append(records(2))
    log.roll()
    log.append(records(1))
    await log.close()
    const file = join(path, '00000000000000000000.log')
    const bytes = readFileSync(file)
    const position = bytes.length / 3
    bytes[position + 69] = (bytes[position + 69] as number) ^ 1
    writeFileSync(file, bytes)
    const again = await openLogOn(testMachine(), path)
    const seen: bigint[] = []
    const read = async () => {
      for await (const { offset } of again.read()) seen.push(offset)
    }
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await rejection(read)).toMatchObject({ code: 'ERR_CORRUPT', path: file, position })
    }
    expect(seen).toEqual([0n, 1n, 0n, 1n])
    await again.close()
  })

  it('known fault 167: of a batch length beyond the end of a sealed segment is an error, not an end', async () => {
    const { log, path } = await newLog()
    for (let n = 0; n < 5; n++) log.append(records(1))
    log.roll()
    log.append(records(1))
    await log.close()
    const file = join(path, '00000000000000000000.log')
    const bytes = readFileSync(file)
    bytes.writeInt32BE(2 ** 31 - 20, bytes.length / 5 + 8)
    writeFileSync(file, bytes)
    const again = await openLogOn(testMachine(), path)
    const error = await rejection(() => offsetsOf(again))
    expect(error).toMatchObject({ code: 'ERR_CORRUPT', path: file, position: bytes.length / 5 })
    await again.close()
  })
})

it('known fault 31: an index entry that leads too far is named, and hides no record', async () => {
  const { log, path } = await newLog({ indexIntervalBytes: 0 })
  for (let n = 0; n < 8; n++) log.append(records(2))
  log.roll()
  log.append(records(1))
  await log.close()
  const file = join(path, '00000000000000000000.index')
  const bytes = readFileSync(file)
  // The entry of the batch at 8 to 9 says that it is found under 6: offset 7 would be skipped.
  expect(bytes.readInt32BE(3 * 8)).toBe(9)
  bytes.writeInt32BE(6, 3 * 8)
  writeFileSync(file, bytes)
  const again = await openLogOn(testMachine(), path)
  for (const read of [() => offsetsOf(again, { from: 7n }), () => again.fetch(7n), () => again.locate(7n)]) {
    expect(await rejection(read)).toMatchObject({ code: 'ERR_CORRUPT', path: file, position: 24 })
  }
  expect((await offsetsOf(again, { from: 0n })).slice(0, 4)).toEqual([0, 1, 2, 3])
  await again.close()
})

describe('a log that is open', () => {
  it('can be read beside its writer by a read-only one', async () => {
    const { log, path } = await newLog({ segmentIndexBytes: 1000, indexIntervalBytes: 0 })
    for (let n = 0; n < 3; n++) log.append(records(2))
    const reader = await openLogOn(testMachine(), path, { readOnly: true })
    expect(await offsetsOf(reader)).toEqual([0, 1, 2, 3, 4, 5])
    await reader.close()
    await log.close()
  })

  it('known fault 13: preallocated, is read to where its records end, beside its writer too', async () => {
    const { log, path } = await newLog({ preallocate: true, internalSegmentBytes: 100_000 })
    for (let n = 0; n < 3; n++) log.append(records(2))
    const reader = await openLogOn(testMachine(), path, { readOnly: true })
    for (const each of [log, reader]) {
      expect(await offsetsOf(each, { maxBytes: 1 << 20 })).toEqual([0, 1, 2, 3, 4, 5])
      expect((await each.fetch(0n, { maxBytes: 1 << 20 })).batches).toHaveLength(
        3 * encodeBatch(records(2)).length,
      )
      expect(await each.offsetForMaxTimestamp()).toMatchObject({ offset: 0n })
      expect(await each.offsetForTimestamp(START_MS + 1)).toBeNull()
    }
    await reader.close()
    await log.close()
  })

  it('looks times up while it is cut', async () => {
    const { log } = await newLog({ fileDeleteDelayMs: 0 })
    for (let n = 0; n < 40; n++) {
      log.append(records(1, START_MS + n))
      log.roll()
    }
    const lookups = Array.from({ length: 40 }, (_, n) => log.offsetForTimestamp(START_MS + n))
    await log.truncateTo(10n)
    const found = await Promise.all(lookups)
    // What was answered before the cut may still name what was there.
    for (const [n, answer] of found.entries()) if (n < 10) expect(answer?.offset).toBe(BigInt(n))
    expect(await log.offsetForTimestamp(START_MS + 30)).toBeNull()
    await log.close()
  })

  it('is read while it is cut: what is given was there, in order, and nothing is damaged', async () => {
    const { log } = await newLog({ internalSegmentBytes: 300, fileDeleteDelayMs: 0 })
    for (let n = 0; n < 60; n++) log.append(records(1, START_MS + n))
    const reader = async (from: bigint) => {
      const seen: bigint[] = []
      try {
        for await (const { offset } of log.read({ from, maxBytes: 100 })) seen.push(offset)
      } catch (error) {
        expect((error as { code?: string }).code).toBe('ERR_OFFSET_OUT_OF_RANGE')
      }
      expect(seen).toEqual(Array.from(seen, (_, n) => from + BigInt(n)))
    }
    const readers = Array.from({ length: 8 }, (_, n) => reader(BigInt(n * 7)))
    for (const cut of [50n, 33n, 20n]) {
      await log.truncateTo(cut)
      log.append(records(1))
    }
    await Promise.all(readers)
    await log.close()
  })
})

describe('times', () => {
  it('are found behind a segment whose largest time cannot be read any more', async () => {
    const { log } = await newLog()
    log.append(records(1, START_MS + 500))
    log.append(records(1, START_MS))
    log.roll()
    log.append(records(1, START_MS + 100))
    await log.deleteRecordsBefore(1n)
    expect(await log.offsetForTimestamp(START_MS + 100)).toMatchObject({ offset: 2n })
    expect(await log.offsetForMaxTimestamp()).toMatchObject({ offset: 2n })
    await log.close()
  })

  it('known fault 128: give the first record that has the largest, not the last of its batch', async () => {
    const { log } = await newLog()
    const timed = [10, 30, 20, 30].map((ms) => ({ value: 'v', timestamp: START_MS + ms }))
    log.append(timed)
    expect(await log.offsetForMaxTimestamp()).toEqual({ offset: 1n, timestamp: BigInt(START_MS + 30) })
    await log.close()
  })

  it('known fault 28: the largest and its offset belong together, whatever is appended meanwhile', async () => {
    const { log } = await newLog({ indexIntervalBytes: 0, internalSegmentBytes: 400 })
    const found = []
    for (let n = 0; n < 60; n++) {
      log.append(records(1, START_MS + n))
      found.push(log.offsetForMaxTimestamp())
      if (n % 7 === 0) await found.at(-1)
    }
    for (const [n, answer] of (await Promise.all(found)).entries()) {
      expect(answer?.timestamp).toBe(BigInt(START_MS) + (answer?.offset as bigint))
      expect(answer?.offset).toBeGreaterThanOrEqual(BigInt(n))
    }
    await log.close()
  })

  it('of none leave the time index alone', async () => {
    const { log, path } = await newLog({ indexIntervalBytes: 0 })
    for (let n = 0; n < 3; n++) log.append(records(1, -1))
    expect(await log.offsetForMaxTimestamp()).toBeNull()
    expect(log.segments[0]).toMatchObject({ timeIndexEntries: 0, offsetIndexEntries: 2, maxTimestamp: -1n })
    await log.close()
    expect(readFileSync(join(path, '00000000000000000000.timeindex'))).toHaveLength(0)
  })

  it('in microseconds are refused, in seconds taken', async () => {
    const { log } = await newLog()
    expect(await codeOf(() => log.append(records(1, START_MS * 1000)))).toBe('ERR_TIMESTAMP_OUT_OF_BOUNDS')
    log.append(records(1, START_MS / 1000))
    await log.close()
  })
})

it('known fault 154: a follower does not take a batch that ends before it begins', async () => {
  const { log } = await newLog()
  log.append(records(60))
  for (const delta of [-1, -50]) {
    const batch = encodeBatch(records(1), { baseOffset: 60n })
    batch.writeInt32BE(delta, 23)
    const { resealed } = await import('../support/batches.js')
    expect(await codeOf(() => log.appendBatches(resealed(batch), { origin: 'follower' }))).toBe(
      'ERR_INVALID_BATCH',
    )
  }
  expect(log.offsets.logEndOffset).toBe(60n)
  await log.close()
})

it('a leader refuses times that no record can have, with its own error', async () => {
  const { log } = await newLog({ compressionType: 'gzip' })
  const batch = encodeBatch(records(1))
  batch.writeBigInt64BE(-5n, 27)
  const { resealed } = await import('../support/batches.js')
  const code = await codeOf(() => log.appendBatches(resealed(batch), { origin: 'leader' }))
  expect(code).toMatch(/^ERR_(INVALID_BATCH|TIMESTAMP_OUT_OF_BOUNDS)$/)
  await log.close()
})
