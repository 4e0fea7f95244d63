import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { zstdFrom } from '../../../lib/backend/codecs/zstd.js'
import {
  wasmZstd,
  type ZlibWithZstd,
  zlibWithZstd,
  zlibZstd,
} from '../../../lib/backend/codecs/zstd-libraries.js'
import { lines, noise, ourError, upTo } from '../../support/codecs.js'

const wasm = await wasmZstd()

/** `node:zlib` as newer Nodes have it: its calls and errors, over the other library. */
function standIn(): ZlibWithZstd & { levels: (number | undefined)[] } {
  const levels: (number | undefined)[] = []
  const zlib: Omit<ZlibWithZstd, 'constants'> = {
    zstdCompressSync(bytes, { params }) {
      levels.push(params[100])
      return wasm.compress(bytes, params[100]!)
    },
    zstdCompress: (bytes, options, done) =>
      queueMicrotask(() => done(null, zlib.zstdCompressSync(bytes, options))),
    zstdDecompressSync(bytes, { maxOutputLength }) {
      if (maxOutputLength < 1) throw new RangeError('maxOutputLength is out of range')
      const result = wasm.decompress(bytes, 1 << 20)
      if (result.length <= maxOutputLength) return result
      throw Object.assign(new RangeError('Cannot create a larger Buffer'), { code: 'ERR_BUFFER_TOO_LARGE' })
    },
    zstdDecompress(bytes, options, done) {
      try {
        done(null, zlib.zstdDecompressSync(bytes, options))
      } catch (error) {
        done(error as Error, Buffer.alloc(0))
      }
    },
  }
  return { ...zlib, constants: { ZSTD_c_compressionLevel: 100 }, levels }
}

const libraries = [wasm, zlibZstd(zlibWithZstd() ?? standIn())]

describe.each(libraries.map((library) => [library.library, zstdFrom(library)] as const))(
  'zstd by %s',
  (_, codec) => {
    const unknownSize = Buffer.from('28b52ffd0058190000616263', 'hex')

    test('reads a frame that declares no size', async () => {
      expect(Buffer.from(codec.decompress(unknownSize, upTo(3))).toString()).toBe('abc')
      expect(Buffer.from(await codec.decompressAsync(unknownSize, upTo(3))).toString()).toBe('abc')
      expect(ourError(() => codec.decompress(unknownSize, upTo(2))).code).toBe('ERR_BATCH_TOO_LARGE')
    })

    test('reads several frames as one, and bounds their sum', async () => {
      const parts = [lines(1000), noise(500), Buffer.alloc(0), lines(200_000)]
      const bytes = Buffer.concat([...parts.map((part) => codec.compress(part)), unknownSize])
      const whole = Buffer.concat([...parts, Buffer.from('abc')])
      expect(Buffer.compare(codec.decompress(bytes, upTo(whole.length)), whole)).toBe(0)
      expect(Buffer.compare(await codec.decompressAsync(bytes, upTo(whole.length)), whole)).toBe(0)
      for (const maxBytes of [whole.length - 1, 1400, 0]) {
        expect(ourError(() => codec.decompress(bytes, upTo(maxBytes))).code).toBe('ERR_BATCH_TOO_LARGE')
        await expect(codec.decompressAsync(bytes, upTo(maxBytes))).rejects.toMatchObject({
          code: 'ERR_BATCH_TOO_LARGE',
        })
      }
    })

    test('a frame of many small blocks needs no room for large ones', () => {
      const block = Buffer.from('180000616263', 'hex')
      const last = Buffer.from('190000616263', 'hex')
      const blocks = [...Array.from({ length: 999 }, () => block), last]
      const bytes = Buffer.concat([Buffer.from('28b52ffd0058', 'hex'), ...blocks])
      expect(codec.decompress(bytes, upTo(3000))).toHaveLength(3000)
      expect(ourError(() => codec.decompress(bytes, upTo(2999))).code).toBe('ERR_BATCH_TOO_LARGE')
    })

    test('a checksum that is wrong is damage', () => {
      // XXH64 of 'abc', its low four bytes.
      const sound = Buffer.from('28b52ffd0458190000616263990e7f39'.slice(0, 24), 'hex')
      const wrong = Buffer.concat([sound, Buffer.from([1, 2, 3, 4])])
      expect(ourError(() => codec.decompress(wrong, upTo(3)))).toMatchObject({
        code: 'ERR_CORRUPT',
        kind: 'compression',
      })
    })
  },
)

test('node:zlib gets the level as a parameter', async () => {
  const zlib = standIn()
  const codec = zstdFrom(zlibZstd(zlib))
  codec.compress(lines(100))
  codec.compress(lines(100), 19)
  await codec.compressAsync(lines(100), -5)
  expect(zlib.levels).toEqual([3, 19, -5])
})

test('zstd-wasm refuses more than its memory holds, before it takes any', () => {
  expect(ourError(() => wasm.decompress(new Uint8Array(10), 2 ** 30)).code).toBe('ERR_UNSUPPORTED')
})

test('zstd-wasm of ours and of others in the process do not meet', async () => {
  const require = createRequire(import.meta.url)
  const load = (): { init(): Promise<void>; compress(bytes: Uint8Array): Uint8Array } =>
    require('@bokuweb/zstd-wasm')
  const input = lines(20_000)
  const expected = wasm.compress(input, 3)
  const theirs = load()
  await theirs.init()
  const another = await wasmZstd()
  // A second set-up of one instance is what must not reach ours.
  await theirs.init()
  for (const library of [wasm, another]) {
    expect(Buffer.compare(library.compress(input, 3), expected)).toBe(0)
    expect(Buffer.compare(library.decompress(expected, 20_000), input)).toBe(0)
  }
  expect(load()).toBe(theirs)
})
