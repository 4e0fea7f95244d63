/** Scans: what they read of good batches, and where and why they stop at bad ones. */
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Backend, BatchColumns, BatchScan, ScanOptions } from '../../lib/backend/contract.js'
import { rawBatch, resealed } from '../support/batches.js'
import { tempDir } from '../support/temp-dir.js'
import { faultyHeaders } from './reading.js'

const BASE = 1000n

export function describeScan(makeBackend: () => Backend): void {
  const backend = makeBackend()
  const lane = backend.openLane()
  afterAll(() => lane.close())

  async function scan(bytes: Buffer, options: Partial<ScanOptions> = {}): Promise<BatchScan> {
    const path = join(tempDir(), 'a.log')
    writeFileSync(path, bytes)
    const log = backend.openLogFile(path, { mode: 'read', baseOffset: BASE })
    const whole = { fromPosition: 0, endPosition: bytes.length, maxBatches: 1_000_000, checkCrc: true }
    try {
      return await lane.scan(log, { ...whole, ...options })
    } finally {
      await log.close()
    }
  }

  describe('scan: good batches', () => {
    test('every header field of magic 2', async () => {
      const batch = rawBatch({
        baseOffset: BASE + 3n,
        lastOffsetDelta: 6,
        baseTimestamp: -2n,
        maxTimestamp: 2n ** 62n,
        leaderEpoch: -7,
        attributes: -32_768 + 0x75,
        producerId: 2n ** 63n - 1n,
        producerEpoch: -32_768,
        baseSequence: 2 ** 31 - 1,
        count: 3,
      })
      const result = await scan(Buffer.concat([rawBatch({ baseOffset: BASE }), batch]))
      expect(result).toMatchObject({ endPosition: 142, stop: 'end' })
      expect(result.crc).toBeUndefined()
      expect(rows(result.batches)[1]).toEqual({
        positions: 71,
        sizes: 71,
        magics: 2,
        attributes: -32_768 + 0x75,
        leaderEpochs: -7,
        crcs: batch.readUInt32BE(17),
        counts: 3,
        producerEpochs: -32_768,
        baseSequences: 2 ** 31 - 1,
        baseOffsets: BASE + 3n,
        lastOffsets: BASE + 9n,
        baseTimestamps: -2n,
        maxTimestamps: 2n ** 62n,
        producerIds: 2n ** 63n - 1n,
      })
    })

    test.each([
      [0, -1n],
      [1, 77n],
    ] as const)('messages of magic %i', async (magic, timestamp) => {
      const message = rawBatch({
        magic,
        baseOffset: BASE + 5n,
        maxTimestamp: 77n,
        attributes: -8,
        payloadBytes: 3,
      })
      const result = await scan(message)
      expect(result).toMatchObject({ stop: 'end', endPosition: message.length })
      expect(rows(result.batches)).toEqual([
        {
          positions: 0,
          sizes: message.length,
          magics: magic,
          attributes: -8,
          leaderEpochs: -1,
          crcs: message.readUInt32BE(12),
          counts: 1,
          producerEpochs: -1,
          baseSequences: -1,
          baseOffsets: BASE + 5n,
          lastOffsets: BASE + 5n,
          baseTimestamps: timestamp,
          maxTimestamps: timestamp,
          producerIds: -1n,
        },
      ])
    })

    test('the least that each format allows', async () => {
      const least = [0, 1, 2].map((magic) =>
        rawBatch({ magic: magic as 0 | 1 | 2, payloadBytes: 0, baseOffset: BASE + BigInt(magic) }),
      )
      expect(least.map(({ length }) => length)).toEqual([26, 34, 61])
      const result = await scan(Buffer.concat(least))
      expect(result).toMatchObject({ stop: 'end', batches: { count: 3 } })
    })

    test('batches larger than a read, in the middle of others', async () => {
      const sizes = [10, 3_000_000, 1 << 20, (1 << 20) - 61, 500_000, 700_000, 5]
      const file = Buffer.concat(
        sizes.map((payloadBytes, i) => rawBatch({ baseOffset: BASE + BigInt(i), payloadBytes })),
      )
      for (const checkCrc of [true, false]) {
        const result = await scan(file, { checkCrc })
        expect(result).toMatchObject({ stop: 'end', endPosition: file.length })
        expect(rows(result.batches).map((row) => row.sizes)).toEqual(sizes.map((size) => size + 61))
      }
      const wrong = Buffer.from(file)
      wrong[2_500_000] = 1 + (wrong[2_500_000] as number)
      expect(await scan(wrong)).toMatchObject({ stop: 'bad-crc', endPosition: 71 })
    })

    test('a header that lies across the edge of a read, at every byte', async () => {
      const second = rawBatch({ baseOffset: BASE + 9n, lastOffsetDelta: 1, maxTimestamp: 5n, count: 2 })
      const first = rawBatch({ baseOffset: BASE, payloadBytes: 1 << 20 })
      for (let before = 0; before <= 62; before++) {
        const size = (1 << 20) - before
        first.writeInt32BE(size - 12, 8)
        const { batches } = await scan(Buffer.concat([first.subarray(0, size), second]), { checkCrc: false })
        const row = {
          positions: size,
          baseOffsets: BASE + 9n,
          lastOffsets: BASE + 10n,
          maxTimestamps: 5n,
          counts: 2,
        }
        expect(rows(batches)[1]).toMatchObject(row)
      }
    })

    test('known fault 215: thousands of small batches', async () => {
      const file = Buffer.concat(
        Array.from({ length: 20_000 }, (_, i) =>
          rawBatch({ baseOffset: BASE + BigInt(i), payloadBytes: i % 40 }),
        ),
      )
      const { batches, stop } = await scan(file)
      expect({ stop, count: batches.count }).toEqual({ stop: 'end', count: 20_000 })
      for (let i = 0; i < batches.count; i++) {
        if (batches.lastOffsets[i] !== BASE + BigInt(i)) expect.fail(`row ${i}: ${batches.lastOffsets[i]}`)
      }
    })
  })

  describe('scan: limits', () => {
    const three = [0n, 10n, 20n].map((offset) =>
      rawBatch({ baseOffset: BASE + offset, maxTimestamp: 100n + offset }),
    )
    const file = Buffer.concat(three)

    test('stops after `maxBatches` and goes on from there', async () => {
      expect(await scan(file, { maxBatches: 2 })).toMatchObject({
        stop: 'limit',
        endPosition: 142,
        batches: { count: 2 },
      })
      const rest = await scan(file, { maxBatches: 2, fromPosition: 142 })
      expect(rest).toMatchObject({ stop: 'end', endPosition: 213, batches: { count: 1 } })
      expect(rows(rest.batches)[0]).toMatchObject({ positions: 142, baseOffsets: BASE + 20n })
    })

    test('memory of an earlier answer makes no difference', async () => {
      const reuse = (await scan(file)).batches
      for (const maxBatches of [3, 1, 2, 1_000_000]) {
        const { batches, ...end } = await scan(file, { maxBatches, reuse })
        const { batches: fresh, ...freshEnd } = await scan(file, { maxBatches })
        expect(end).toEqual(freshEnd)
        expect(rows(batches)).toEqual(rows(fresh))
      }
    })

    test('the end comes before the limit', async () => {
      expect(await scan(file, { maxBatches: 3 })).toMatchObject({ stop: 'end', batches: { count: 3 } })
      expect(await scan(file, { maxBatches: 0 })).toMatchObject({
        stop: 'limit',
        endPosition: 0,
        batches: { count: 0 },
      })
      expect(await scan(Buffer.alloc(0), { maxBatches: 0 })).toMatchObject({
        stop: 'end',
        batches: { count: 0 },
      })
    })

    test('never reads beyond `endPosition` or the valid size', async () => {
      expect(await scan(file, { endPosition: 142 })).toMatchObject({ stop: 'end', endPosition: 142 })
      expect(await scan(file, { endPosition: 150 })).toMatchObject({ stop: 'torn-header', endPosition: 142 })
      expect(await scan(file, { endPosition: 1_000_000 })).toMatchObject({ stop: 'end', endPosition: 213 })
      expect(await scan(file, { fromPosition: -1 })).toMatchObject({ stop: 'end', endPosition: 213 })
      expect(await scan(file, { fromPosition: 213 })).toMatchObject({ stop: 'end', endPosition: 213 })
    })

    test.each([
      [99n, 0, 71],
      [100n, 0, 71],
      [101n, 71, 142],
      [110n, 71, 142],
      [120n, 142, 213],
    ])('until timestamp %i: the first batch that has it', async (untilTimestamp, position, endPosition) => {
      const result = await scan(file, { untilTimestamp })
      expect(result).toMatchObject({ stop: 'limit', endPosition, batches: { count: 1 } })
      expect(result.batches.positions[0]).toBe(position)
    })

    test('until a timestamp that no batch has', async () => {
      const result = await scan(file, { untilTimestamp: 121n })
      expect(result).toMatchObject({ stop: 'end', endPosition: 213, batches: { count: 0 } })
      const limited = await scan(file, { untilTimestamp: 121n, maxBatches: 2 })
      expect(limited).toMatchObject({ stop: 'limit', endPosition: 142, batches: { count: 0 } })
    })
  })

  describe('scan: bad batches', () => {
    const first = rawBatch({ baseOffset: BASE, lastOffsetDelta: 9 })

    test.each(faultyHeaders())('known fault 133: a header that is $stop', async ({ stop, bytes }) => {
      for (const checkCrc of [false, true]) {
        // A length that is wrong makes the checksum's range wrong too, but is found before.
        const result = await scan(Buffer.concat([first, bytes]), { checkCrc })
        expect(result).toMatchObject({ stop, endPosition: first.length, batches: { count: 1 } })
      }
    })

    test.each([0, 1, 2] as const)(
      'a wrong checksum of magic %i, only where it is looked at',
      async (magic) => {
        const bytes = rawBatch({ magic, baseOffset: BASE + 20n })
        const expected = bytes.readUInt32BE(magic === 2 ? 17 : 12)
        bytes[bytes.length - 1] = 1 + (bytes[bytes.length - 1] as number)
        const file = Buffer.concat([first, bytes])
        const result = await scan(file)
        expect(result).toMatchObject({
          stop: 'bad-crc',
          endPosition: first.length,
          batches: { count: 1 },
          crc: { expected },
        })
        expect(result.crc?.actual).toBe(rightCrc(bytes, magic))
        const unchecked = await scan(file, { checkCrc: false })
        expect(unchecked).toMatchObject({ stop: 'end', endPosition: file.length })
        expect(unchecked.crc).toBeUndefined()
      },
    )

    test('every bit of a batch is covered by some check, but for the leader epoch', async () => {
      const last = rawBatch({ baseOffset: BASE + 20n, payloadBytes: 4 })
      const file = Buffer.concat([first, last])
      const covered = Array.from({ length: last.length }, (_, i) => i).filter(
        (i) => i >= 16 || (i >= 8 && i < 12),
      )
      for (const at of covered) {
        const damaged = Buffer.from(file)
        const position = first.length + at
        damaged[position] = (damaged[position] as number) ^ 0x40
        const { stop, endPosition } = await scan(damaged)
        if (stop === 'end' || endPosition !== first.length)
          expect.fail(`byte ${at}: ${stop} at ${endPosition}`)
      }
    })

    test('known faults, area 18: a file cut at any byte gives its whole batches', async () => {
      const sizes = [0, 40, 7].map((payloadBytes, i) =>
        rawBatch({ baseOffset: BASE + BigInt(i), payloadBytes }),
      )
      const file = Buffer.concat(sizes)
      const ends = [0, 61, 162, 230]
      for (let length = 0; length <= file.length; length++) {
        const { stop, endPosition, batches } = await scan(file.subarray(0, length))
        const whole = ends.filter((end) => end <= length).length - 1
        const rest = length - (ends[whole] as number)
        const expected = rest === 0 ? 'end' : rest < 17 ? 'torn-header' : 'torn-batch'
        expect({ length, stop, endPosition, count: batches.count }).toEqual({
          length,
          stop: expected,
          endPosition: ends[whole],
          count: whole,
        })
      }
    })

    test.each([100, 1 << 20, 3_000_000])(
      'a file that others cut within a batch of %i bytes',
      async (payloadBytes) => {
        const path = join(tempDir(), 'a.log')
        const file = Buffer.concat([first, rawBatch({ baseOffset: BASE + 20n, payloadBytes })])
        writeFileSync(path, file)
        const log = backend.openLogFile(path, { mode: 'read', baseOffset: BASE })
        truncateSync(path, file.length - 1)
        const whole = { fromPosition: 0, endPosition: file.length, maxBatches: 10, checkCrc: true }
        expect(await lane.scan(log, whole)).toMatchObject({ stop: 'torn-batch', endPosition: first.length })
        expect(await lane.read(log, file.length - 5, 5)).toEqual(file.subarray(-5, -1))
        expect(log.readBlocking(file.length - 5, 5)).toEqual(file.subarray(-5, -1))
        await log.close()
      },
    )

    test('offsets that fall only where a scan begins are not compared with what it has not read', async () => {
      const file = Buffer.concat([rawBatch({ baseOffset: BASE + 50n }), rawBatch({ baseOffset: BASE + 3n })])
      expect(await scan(file)).toMatchObject({ stop: 'offset-order', endPosition: 71 })
      expect(await scan(file, { fromPosition: 71 })).toMatchObject({ stop: 'end', batches: { count: 1 } })
    })
  })
}

type Row = Record<Exclude<keyof BatchColumns, 'count'>, number | bigint | undefined>

function rows({ count, ...columns }: BatchColumns): Row[] {
  return Array.from({ length: count }, (_, row) => {
    return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[row]])) as Row
  })
}

/** What the checksum field would have to say. */
function rightCrc(bytes: Buffer, magic: number): number {
  return resealed(Buffer.from(bytes)).readUInt32BE(magic === 2 ? 17 : 12)
}
