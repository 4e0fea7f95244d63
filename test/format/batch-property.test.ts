/** Batches for any input: what is written is read back, and no bytes do harm. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import { PartitionLogError } from '../../lib/errors.js'
import type { Batch } from '../../lib/format/batch.js'
import { recordBatches } from '../../lib/format/batches.js'
import { CODEC_NAMES } from '../../lib/format/compression.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { options, plain, records } from '../property/arbitraries.js'
import { resealed } from '../support/batches.js'
import { message } from '../support/legacy-bytes.js'
import { fcOptions } from '../support/random.js'

beforeAll(async () => {
  for (const name of CODEC_NAMES) await loadCodec(name)
})

describe('a batch', () => {
  it('reads back as the records and options that it was made of', () => {
    fc.assert(
      fc.property(records, options, (input, given) => {
        const bytes = encodeBatch(input, given)
        const batches = [...recordBatches(bytes)]
        expect(batches).toHaveLength(1)
        const [batch] = batches as [Batch]
        expect(batch.isValid()).toBe(true)
        expect(batch.bytes.equals(bytes)).toBe(true)
        const appendTime = given.timestampType === 'LogAppendTime'
        const baseOffset = BigInt(given.baseOffset ?? 0)
        const read = [...batch.records()]
        expect(read.map(({ offset }) => offset)).toEqual(input.map((_, n) => baseOffset + BigInt(n)))
        expect(read.map(plain)).toEqual(
          input.map((one) => (appendTime ? { ...plain(one), timestamp: batch.maxTimestamp } : plain(one))),
        )
        const times = input.map(({ timestamp }) => BigInt(timestamp ?? 0))
        const largest = times.reduce((a, b) => (a > b ? a : b))
        if (!appendTime) expect(batch.maxTimestamp).toBe(largest)
        else if (given.logAppendTime !== undefined)
          expect(batch.maxTimestamp).toBe(BigInt(given.logAppendTime))
        expect([batch.baseOffset, batch.lastOffset, batch.count]).toEqual([
          baseOffset,
          baseOffset + BigInt(input.length - 1),
          input.length,
        ])
        expect(batch.codec).toBe(given.compression)
        expect(batch.baseTimestamp).toBe(times[0])
        expect(batch.isTransactional).toBe(given.producer?.transactional ?? false)
        expect(batch.producerId).toBe(BigInt(given.producer?.id ?? -1))
        const sequence = given.producer?.baseSequence
        const last = sequence === undefined ? -1 : (sequence + input.length - 1) % 2 ** 31
        expect([batch.baseSequence, batch.lastSequence]).toEqual([sequence ?? -1, last])
      }),
      fcOptions(300),
    )
  })

  it('has one JSON form for equal records, with text as text and other bytes as base64', () => {
    fc.assert(
      fc.property(records, (input) => {
        for (const record of firstBatch(encodeBatch(input)).records()) {
          const { value } = JSON.parse(JSON.stringify(record))
          const back =
            value === null || typeof value === 'string' ? value : Buffer.from(value.base64, 'base64')
          expect(back === null ? null : Buffer.from(back).toString('hex')).toBe(
            record.value?.toString('hex') ?? null,
          )
        }
      }),
      fcOptions(100),
    )
  })
})

describe('several batches', () => {
  it('known faults 158 and 164: cut anywhere give the whole ones before the cut', () => {
    const three = fc.array(fc.tuple(records, options), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(three, fc.nat(), (input, at) => {
        const batches = input.map(([some, given]) => encodeBatch(some, given))
        const bytes = Buffer.concat(batches)
        const cut = at % (bytes.length + 1)
        const read = [...recordBatches(bytes.subarray(0, cut))].map((batch) => batch.bytes)
        let end = 0
        const whole = batches.filter((batch) => {
          end += batch.length
          return end <= cut
        })
        expect(Buffer.concat(read).equals(Buffer.concat(whole))).toBe(true)
        expect(read).toHaveLength(whole.length)
      }),
      fcOptions(200),
    )
  })

  it('known fault 163: may be of different magic', () => {
    const mixed = [
      message({ magic: 0, offset: 1n, value: Buffer.from('a') }),
      encodeBatch([{ value: 'b', timestamp: 5 }], { baseOffset: 2n }),
      message({ magic: 1, offset: 3n, value: Buffer.from('c') }),
    ]
    const read = [...recordBatches(Buffer.concat(mixed))]
    expect(read.map(({ magic, lastOffset }) => [magic, lastOffset])).toEqual([
      [0, 1n],
      [2, 2n],
      [1, 3n],
    ])
    expect(read.flatMap((batch) => [...batch.records()].map(({ value }) => `${value}`))).toEqual([
      'a',
      'b',
      'c',
    ])
  })
})

describe('bytes that are no batch', () => {
  it('throw errors of ours and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        readAll(Buffer.from(bytes))
      }),
      fcOptions(500),
    )
  })

  it('throw errors of ours where a good batch was changed, with its checksum set right', () => {
    const change = fc.record({ at: fc.nat(), to: fc.nat(255) })
    const changes = fc.array(change, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(records, options, changes, fc.boolean(), (input, given, all, inHeader) => {
        const bytes = encodeBatch(input, given)
        for (const { at, to } of all) bytes[inHeader ? 8 + (at % 53) : at % bytes.length] = to
        const changed = bytes[16] === 2 || bytes[16] === 1 || bytes[16] === 0 ? resealed(bytes) : bytes
        readAll(changed)
      }),
      fcOptions(500),
    )
  })

  it('known fault 166: throw the same error each time', () => {
    const bytes = encodeBatch([{ value: 'a', timestamp: 1 }])
    bytes.writeInt32BE(2, 57)
    const batch = firstBatch(resealed(bytes))
    const attempt = () => {
      try {
        return [...batch.records()].length
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(attempt()).toBe(attempt())
    expect(attempt()).toContain('2 records')
  })
})

describe('known faults 155 and 157: a header that claims what is not there', () => {
  const good = () =>
    encodeBatch([{ key: 'k', value: 'v', headers: [{ key: 'h', value: 'x' }], timestamp: 1 }])
  const record = 61
  const cases: [string, (bytes: Buffer) => void][] = [
    ['2^31 - 1 records', (bytes) => bytes.writeInt32BE(2 ** 31 - 1, 57)],
    ['-597 records', (bytes) => bytes.writeInt32BE(-597, 57)],
    ['fewer records', (bytes) => bytes.writeInt32BE(0, 57)],
    ['one more record', (bytes) => bytes.writeInt32BE(2, 57)],
    ['a record of 2^30 bytes', (bytes) => bytes.set([0xff, 0xff, 0xff, 0xff, 0x07], record)],
    ['a record of -1 bytes', (bytes) => bytes.set([1], record)],
    ['a key of 63 bytes', (bytes) => bytes.set([126], record + 4)],
    ['a key of -2 bytes', (bytes) => bytes.set([3], record + 4)],
    ['-1 headers', (bytes) => bytes.set([1], bytes.length - 5)],
    ['60 headers', (bytes) => bytes.set([120], bytes.length - 5)],
    ['a header key of -1 bytes', (bytes) => bytes.set([1], bytes.length - 4)],
    ['a number without an end', (bytes) => bytes.fill(0xff, record, record + 10)],
  ]

  it.each(cases)('%s', (_, damage) => {
    const bytes = good()
    damage(bytes)
    const before = process.memoryUsage().arrayBuffers
    expect(() => [...firstBatch(resealed(bytes)).records()]).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_BATCH' }),
    )
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
  })

  it('an unknown magic is an error, also where the batch is cut', () => {
    const bytes = encodeBatch([{ value: 'v' }])
    bytes[16] = 3
    for (const length of [17, 40, bytes.length]) {
      expect(() => [...recordBatches(bytes.subarray(0, length))]).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_BATCH' }),
      )
    }
    expect([...recordBatches(bytes.subarray(0, 16))]).toEqual([])
  })

  it('a length of 2 GiB is a cut batch, one below the least an error with its position', () => {
    const bytes = Buffer.concat([good(), good()])
    bytes.writeInt32BE(2 ** 31 - 1, bytes.length / 2 + 8)
    expect([...recordBatches(bytes)]).toHaveLength(1)
    for (const length of [0, -1, 7, 13, 48]) {
      bytes.writeInt32BE(length, bytes.length / 2 + 8)
      expect(() => [...recordBatches(bytes)]).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_BATCH', position: bytes.length / 2 }),
      )
    }
  })

  it.each([3, 127, -1])('magic %i', (magic) => {
    const bytes = good()
    bytes.writeInt8(magic, 16)
    expect(() => [...recordBatches(bytes)]).toThrow(expect.objectContaining({ code: 'ERR_INVALID_BATCH' }))
  })

  it.each([5, 6, 7])('known fault 176: codec id %i', (id) => {
    const bytes = good()
    bytes.writeInt16BE(id, 21)
    const batch = firstBatch(resealed(bytes))
    expect(batch.isValid()).toBe(true)
    expect(() => [...batch.records()]).toThrow(expect.objectContaining({ code: 'ERR_UNSUPPORTED' }))
  })
})

it('known fault 154: a batch that compaction emptied, of any codec, has no records and keeps its offsets', () => {
  const bytes = encodeBatch([{ value: 'v', timestamp: 1 }], { baseOffset: 7n }).subarray(0, 61)
  bytes.writeInt32BE(49, 8)
  bytes.writeInt32BE(4, 23)
  bytes.writeInt32BE(0, 57)
  for (let codec = 0; codec < 5; codec++) {
    bytes.writeInt16BE(codec, 21)
    const batch = firstBatch(resealed(Buffer.from(bytes)))
    expect([...batch.records()]).toEqual([])
    expect([batch.baseOffset, batch.lastOffset, batch.count]).toEqual([7n, 11n, 0])
  }
})

it('known fault 133: sums that leave 64 bits wrap, as in Kafka', () => {
  const bytes = encodeBatch([
    { value: 'v', timestamp: 0 },
    { value: 'w', timestamp: 1 },
  ])
  bytes.writeBigInt64BE((1n << 63n) - 1n, 0)
  bytes.writeBigInt64BE((1n << 63n) - 1n, 27)
  const [, second] = [...firstBatch(resealed(bytes)).records()]
  expect([second?.offset, second?.timestamp]).toEqual([-(1n << 63n), -(1n << 63n)])
})

function firstBatch(bytes: Buffer): Batch {
  const [batch] = recordBatches(bytes)
  return batch as Batch
}

/** Looks at everything that the bytes claim; errors of ours are fine. */
function readAll(bytes: Buffer): void {
  const fields = ['baseOffset', 'lastOffset', 'codec', 'lastSequence', 'maxTimestamp', 'count'] as const
  ours(() => {
    for (const batch of recordBatches(bytes, { maxDecompressedBytes: 1 << 20 })) {
      for (const name of fields) ours(() => batch[name])
      ours(() => batch.isValid())
      ours(() => {
        for (const record of batch.records()) JSON.stringify(record)
      })
    }
  })
}

function ours(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof PartitionLogError)) throw error
  }
}
