import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCodec, lines, noise, upTo } from '../../support/codecs.js'
import { fcOptions } from '../../support/random.js'

const codecs = await everyCodec()
const KIB = 1024

// Around the block sizes of the framings (32 KiB, 64 KiB) and zstd's 128 KiB.
const SIZES = [
  0,
  1,
  2,
  11,
  12,
  13,
  100,
  32 * KIB - 1,
  32 * KIB,
  32 * KIB + 1,
  64 * KIB - 1,
  64 * KIB,
  64 * KIB + 1,
]
const INPUTS = [
  ...SIZES.flatMap((size) => [noise(size), lines(size), Buffer.alloc(size)]),
  lines(300 * KIB),
  noise(300 * KIB),
  Buffer.concat([lines(100 * KIB), noise(100 * KIB), Buffer.alloc(100 * KIB)]),
]

describe.each(codecs.map((codec) => [codec.name, codec.library, codec] as const))(
  '%s by %s',
  (name, _, codec) => {
    test('gives back what it was given', () => {
      for (const input of INPUTS) {
        const output = codec.decompress(codec.compress(input), upTo(input.length))
        expect(Buffer.compare(output, input), `${input.length} bytes`).toBe(0)
      }
    })

    test('does so off the loop, with the same compressed bytes', async () => {
      for (const input of INPUTS) {
        const compressed = await codec.compressAsync(input)
        expect(Buffer.compare(compressed, codec.compress(input)), `${input.length} bytes`).toBe(0)
        expect(Buffer.compare(await codec.decompressAsync(compressed, upTo(input.length)), input)).toBe(0)
      }
    })

    test('gives back any bytes', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 5000 }), fc.integer({ min: 1, max: 40 }), (piece, times) => {
          const input = Buffer.concat(Array.from({ length: times }, () => piece))
          const output = codec.decompress(codec.compress(input), upTo(input.length))
          expect(Buffer.compare(output, input)).toBe(0)
        }),
        fcOptions(100),
      )
    })

    test('does not touch its input, and its results stay as they are', () => {
      const input = lines(100_000)
      const before = Buffer.from(input)
      const compressed = codec.compress(input)
      const copy = Buffer.from(compressed)
      const output = codec.decompress(compressed, upTo(200_000))
      codec.decompress(codec.compress(noise(100_000)), upTo(200_000))
      expect(Buffer.compare(input, before)).toBe(0)
      expect(Buffer.compare(compressed, copy)).toBe(0)
      expect(Buffer.compare(output, before)).toBe(0)
    })

    test('takes input that lies inside of other bytes', () => {
      const whole = Buffer.concat([noise(7), lines(70_000), noise(9)])
      const input = whole.subarray(7, 70_007)
      const compressed = codec.compress(input)
      const embedded = Buffer.concat([noise(5), compressed, noise(5)]).subarray(5, 5 + compressed.length)
      expect(Buffer.compare(codec.decompress(embedded, upTo(70_000)), input)).toBe(0)
    })

    test('serves many at once', async () => {
      const inputs = Array.from({ length: 40 }, (_, n) =>
        Buffer.concat([lines(1000 * n), noise(100 * n, n + 1)]),
      )
      const compressed = await Promise.all(inputs.map((input) => codec.compressAsync(input)))
      const outputs = await Promise.all(
        compressed.map((bytes) => codec.decompressAsync(bytes, upTo(1 << 20))),
      )
      for (const [n, output] of outputs.entries()) expect(Buffer.compare(output, inputs[n]!)).toBe(0)
    })

    test('is read by every other library of its codec', async () => {
      for (const other of codecs.filter((candidate) => candidate.name === name)) {
        for (const input of INPUTS) {
          const compressed = codec.compress(input)
          expect(Buffer.compare(other.decompress(compressed, upTo(input.length)), input), other.library).toBe(
            0,
          )
        }
      }
    })
  },
)
