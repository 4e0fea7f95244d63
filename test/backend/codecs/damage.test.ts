import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CorruptionError, InvalidBatchError, UnsupportedError } from '../../../lib/errors.js'
import { everyCodec, gzipOfZeros, lines, noise, ourError, upTo } from '../../support/codecs.js'
import { fcOptions } from '../../support/random.js'

const codecs = await everyCodec()
const table = codecs.map((codec) => [codec.name, codec.library, codec] as const)
const MIB = 1 << 20

/** True where bytes were refused in one of the allowed ways. */
async function refused(
  codec: (typeof codecs)[number],
  bytes: Uint8Array,
  maxBytes: number,
): Promise<boolean> {
  let output: Uint8Array
  try {
    output = codec.decompress(bytes, upTo(maxBytes))
  } catch (error) {
    const allowed = [CorruptionError, InvalidBatchError, UnsupportedError].some(
      (kind) => error instanceof kind,
    )
    if (!allowed) throw new Error('not an error of ours', { cause: error })
    await expect(codec.decompressAsync(bytes, upTo(maxBytes))).rejects.toMatchObject({
      code: (error as CorruptionError).code,
    })
    return true
  }
  expect(output.length).toBeLessThanOrEqual(maxBytes)
  expect(Buffer.compare(await codec.decompressAsync(bytes, upTo(maxBytes)), output)).toBe(0)
  return false
}

describe.each(table)('%s by %s', (name, _, codec) => {
  test('refuses any random bytes as damage, or as too much', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        await refused(codec, bytes, 100_000)
      }),
      fcOptions(300),
    )
  })

  test('survives sound data with some bytes changed', async () => {
    const sound = [lines(3000), noise(500), Buffer.alloc(70_000), lines(40_000)].map((input) =>
      codec.compress(input),
    )
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...sound),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        async (base, list) => {
          const bytes = Uint8Array.from(base)
          for (const [at, value] of list) bytes[at % bytes.length] = value
          await refused(codec, bytes, 200_000)
        },
      ),
      fcOptions(300),
    )
  })

  test('says what is damaged and of which kind', () => {
    const error = ourError(() =>
      codec.decompress(Buffer.from('this is not compressed at all, is it?'), upTo(MIB)),
    )
    expect(error).toBeInstanceOf(CorruptionError)
    expect(error).toMatchObject({ code: 'ERR_CORRUPT', kind: 'compression' })
    expect(error.path).toBeUndefined()
    expect(error.message).toContain(name)
  })

  test('refuses no bytes at all', () => {
    expect(ourError(() => codec.decompress(new Uint8Array(), upTo(10))).code).toBe('ERR_CORRUPT')
  })

  test('refuses data that is cut off anywhere', async () => {
    for (const input of [lines(400), Buffer.concat([lines(200), noise(100)])]) {
      const compressed = codec.compress(input)
      for (let length = 0; length < compressed.length; length++) {
        // The framing of snappy cannot tell that whole blocks are missing.
        if (name === 'snappy' && length === 16) continue
        expect(await refused(codec, compressed.subarray(0, length), MIB), `cut to ${length}`).toBe(true)
      }
    }
  })

  test('keeps to the limit, to the byte', async () => {
    for (const input of [lines(1000), noise(1000), lines(200_000), Buffer.alloc(200_000)]) {
      const compressed = codec.compress(input)
      expect(codec.decompress(compressed, upTo(input.length)).length).toBe(input.length)
      for (const maxBytes of [0, 1, 500, input.length - 1]) {
        const error = ourError(() => codec.decompress(compressed, upTo(maxBytes)))
        expect(error).toBeInstanceOf(InvalidBatchError)
        expect(error).toMatchObject({ code: 'ERR_BATCH_TOO_LARGE', expected: maxBytes })
        await expect(codec.decompressAsync(compressed, upTo(maxBytes))).rejects.toThrow(InvalidBatchError)
      }
    }
  })
})

/** Runs `attempt`, which must be refused as too much, and gives the memory that it took meanwhile. */
function memoryOf(attempt: () => unknown): number {
  const before = process.memoryUsage().rss
  expect(ourError(attempt).code).toBe('ERR_BATCH_TOO_LARGE')
  return process.memoryUsage().rss - before
}

describe('bombs', () => {
  test('a gigabyte of zeros in gzip is stopped at the limit', async () => {
    const bomb = await gzipOfZeros(1024 * MIB)
    expect(bomb.length).toBeLessThan(1.1 * MIB)
    const gzip = codecs.find(({ name }) => name === 'gzip')!
    expect(memoryOf(() => gzip.decompress(bomb, upTo(MIB)))).toBeLessThan(64 * MIB)
    await expect(gzip.decompressAsync(bomb, upTo(MIB))).rejects.toThrow(InvalidBatchError)
  })

  test.each(table.filter(([name]) => name === 'zstd'))(
    'a zstd frame of runs is stopped (%s by %s)',
    (_, __, codec) => {
      // 8,192 blocks "128 KiB of zero", with and without the size declared.
      const run = Buffer.from([0x02, 0x00, 0x10, 0x00])
      const blocks = Buffer.concat([
        ...Array.from({ length: 8191 }, () => run),
        Buffer.from([0x03, 0x00, 0x10, 0x00]),
      ])
      const unknown = Buffer.concat([Buffer.from('28b52ffd0058', 'hex'), blocks])
      const declared = Buffer.concat([Buffer.from('28b52ffda000000040', 'hex'), blocks])
      expect(memoryOf(() => codec.decompress(unknown, upTo(MIB)))).toBeLessThan(64 * MIB)
      expect(memoryOf(() => codec.decompress(declared, upTo(MIB)))).toBeLessThan(64 * MIB)
    },
  )

  test.each(table.filter(([name]) => name === 'zstd'))(
    'a declared zstd size is not believed (%s by %s)',
    (_, __, codec) => {
      const lie = Buffer.from('28b52ffda0000000400100003a', 'hex')
      expect(ourError(() => codec.decompress(lie, upTo(2048 * MIB))).code).toBe('ERR_CORRUPT')
    },
  )

  test.each(table.filter(([name]) => name === 'snappy'))(
    'a declared snappy size is not believed (%s by %s)',
    (_, __, codec) => {
      // 2^31 - 1 bytes out of five.
      const lie = Buffer.from('ffffffff0700', 'hex')
      expect(ourError(() => codec.decompress(lie, upTo(2048 * MIB))).code).toBe('ERR_CORRUPT')
    },
  )

  test.each(table.filter(([name]) => name === 'lz4'))(
    'an lz4 frame of huge blocks is stopped (%s by %s)',
    (_, __, codec) => {
      // 100 blocks of 4 MiB of zeros, 16 KiB each.
      const length = 4 * MIB - 5 - 1 - 19
      const match = Buffer.concat([
        Buffer.from([0x1f, 0x00, 0x01, 0x00]),
        Buffer.alloc(Math.floor(length / 255), 255),
        Buffer.from([length % 255, 0x50, 0, 0, 0, 0, 0]),
      ])
      const size = Buffer.alloc(4)
      size.writeUInt32LE(match.length)
      const frame = Buffer.concat([
        Buffer.from('04224d18607073', 'hex'),
        ...Array.from({ length: 100 }, () => Buffer.concat([size, match])),
        Buffer.alloc(4),
      ])
      expect(memoryOf(() => codec.decompress(frame, upTo(5 * MIB)))).toBeLessThan(64 * MIB)
      const one = Buffer.concat([frame.subarray(0, 7), size, match, Buffer.alloc(4)])
      expect(codec.decompress(one, upTo(5 * MIB))).toHaveLength(4 * MIB)
    },
  )
})

describe('libraries of one codec', () => {
  test.each(['snappy', 'lz4'])('%s: accept and refuse the same bytes', (name) => {
    const [one, other] = codecs.filter((codec) => codec.name === name)
    const sound = [lines(300), noise(40), Buffer.alloc(900)].map((input) => one!.compress(input))
    const outcome = (codec: (typeof codecs)[number], bytes: Uint8Array): string => {
      try {
        return Buffer.from(codec.decompress(bytes, upTo(100_000))).toString('hex')
      } catch (error) {
        return (error as CorruptionError).code
      }
    }
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(
        fc.constantFrom(...sound),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (base, list) => {
          const bytes = Uint8Array.from(base)
          for (const [at, value] of list) bytes[at % bytes.length] = value
          expect(outcome(other!, bytes)).toBe(outcome(one!, bytes))
        },
      ),
      fcOptions(1000),
    )
  })
})
