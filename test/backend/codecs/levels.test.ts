import { describe, expect, test } from 'vitest'
import { COMPRESSION_LEVELS } from '../../../lib/format/compression.js'
import { everyCodec, lines, noise, upTo } from '../../support/codecs.js'

const codecs = await everyCodec()
const input = lines(50_000)
// Prose of sorts: repetitions at every distance.
const WORDS = 'the log is a list of records that only grows at its end and is read from any place'.split(' ')
const prose = Buffer.from([...noise(10_000)].map((byte) => WORDS[byte % WORDS.length]).join(' '))

describe.each(codecs.map((codec) => [codec.name, codec.library, codec] as const))(
  '%s by %s',
  (name, _, codec) => {
    if (name === 'snappy' || name === 'none') {
      test('has no levels and ignores one', () => {
        expect(Buffer.compare(codec.compress(input, 99), codec.compress(input))).toBe(0)
      })
      return
    }
    const range = COMPRESSION_LEVELS[name]

    test('takes its bounds and its default', async () => {
      for (const level of [range.min, range.max, range.default]) {
        expect(Buffer.compare(codec.decompress(codec.compress(input, level), upTo(50_000)), input)).toBe(0)
        const compressed = await codec.compressAsync(input, level)
        expect(Buffer.compare(codec.decompress(compressed, upTo(50_000)), input)).toBe(0)
      }
      expect(Buffer.compare(codec.compress(input, range.default), codec.compress(input))).toBe(0)
    })

    test('refuses what lies beyond them', async () => {
      for (const level of [
        range.min - 1 === range.default ? range.min - 2 : range.min - 1,
        range.max + 1,
        1.5,
        Number.NaN,
      ]) {
        expect(() => codec.compress(input, level)).toThrow(RangeError)
        await expect(codec.compressAsync(input, level)).rejects.toThrow(RangeError)
      }
    })

    test.runIf(name !== 'lz4')('compresses better at a higher one', () => {
      const [low, high] = name === 'gzip' ? [1, 9] : [-100, 19]
      expect(codec.compress(prose, high).length).toBeLessThan(codec.compress(prose, low).length)
    })
  },
)
