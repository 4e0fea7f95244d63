import { describe, expect, test } from 'vitest'
import { wasmZstd } from '../../lib/backend/codecs/zstd-libraries.js'
import { zstdFrames } from '../../lib/format/zstd-frame.js'
import { lines, noise, ourError } from '../support/codecs.js'

const library = await wasmZstd()
const KIB_128 = 128 * 1024
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

describe('zstdFrames', () => {
  test.each([0, 1, 255, 256, 65_791, 65_792, 300_000])('finds a frame of %i declared bytes', (size) => {
    for (const input of [lines(size), noise(size), Buffer.alloc(size)]) {
      const bytes = library.compress(input, 3)
      const [frame, ...others] = zstdFrames(bytes)
      expect(others).toEqual([])
      expect(frame).toMatchObject({ contentBytes: size })
      expect(frame!.bytes).toHaveLength(bytes.length)
      expect(frame!.maxBytes).toBeGreaterThanOrEqual(size)
      expect(frame!.maxBytes).toBeLessThanOrEqual(Math.ceil(size / KIB_128) * KIB_128)
    }
  })

  test.each([
    ['a raw block, size unknown', '28b52ffd 00 58 190000 616263', undefined, 3],
    ['a run of 5 bytes', '28b52ffd 00 58 2b0000 61', undefined, 5],
    ['two blocks', '28b52ffd 00 58 180000 616263 2b0000 61', undefined, 8],
    [
      'a compressed block in a window of 128 KiB and more',
      '28b52ffd 00 58 1d0000 616263',
      undefined,
      KIB_128,
    ],
    ['a compressed block in a window of 1 KiB', '28b52ffd 00 00 1d0000 616263', undefined, 1024],
    ['a window with eighths', '28b52ffd 00 03 1d0000 616263', undefined, 1024 + 3 * 128],
    ['a size in one byte', '28b52ffd 20 03 190000 616263', 3, 3],
    ['a size in two bytes, less 256', '28b52ffd 60 0000 030800 61', 256, 256],
    ['a size in four bytes', '28b52ffd a0 03000000 190000 616263', 3, 3],
    ['a size in eight bytes', '28b52ffd e0 0300000000000000 190000 616263', 3, 3],
    ['a size in eight bytes and a window', '28b52ffd c0 58 0300000000000000 190000 616263', 3, 3],
    ['a checksum', '28b52ffd 04 58 190000 616263 01020304', undefined, 3],
    ['a dictionary id of 0', '28b52ffd 03 58 00000000 190000 616263', undefined, 3],
    ['nothing', '28b52ffd 20 00 010000', 0, 0],
  ])('%s', (_, text, contentBytes, maxBytes) => {
    const bytes = hex(text)
    expect(zstdFrames(bytes)).toEqual([{ bytes, contentBytes, maxBytes }])
    for (let length = 0; length < bytes.length; length++) {
      expect(ourError(() => zstdFrames(bytes.subarray(0, length))).code, `cut to ${length}`).toBe(
        'ERR_CORRUPT',
      )
    }
  })

  test('steps over skippable frames and finds several', () => {
    const frame = hex('28b52ffd 00 58 190000 616263')
    const skippable = hex('5f2a4d18 03000000 ffffff')
    const bytes = Buffer.concat([skippable, frame, skippable, frame])
    expect(zstdFrames(bytes).map((found) => found.bytes.toString())).toEqual([frame, frame].map(String))
    expect(zstdFrames(skippable)).toEqual([])
  })

  test.each([
    ['another magic number', '28b52ffe 00 58 190000 616263', 'ERR_CORRUPT'],
    ['bytes behind a frame', '28b52ffd 00 58 190000 616263 00000000', 'ERR_CORRUPT'],
    ['a reserved bit', '28b52ffd 08 58 190000 616263', 'ERR_CORRUPT'],
    ['a reserved block type', '28b52ffd 00 58 1f0000 616263', 'ERR_CORRUPT'],
    ['a run above 128 KiB', '28b52ffd 00 58 0b0010 61', 'ERR_CORRUPT'],
    ['a block above its window', '28b52ffd 00 00 0b2000 61', 'ERR_CORRUPT'],
    ['a declared size that the blocks cannot give', '28b52ffd a0 04000000 190000 616263', 'ERR_CORRUPT'],
    ['a size of 2^64 - 1', '28b52ffd e0 ffffffffffffffff 190000 616263', 'ERR_CORRUPT'],
    ['a skippable frame beyond the end', '502a4d18 04000000 ffffff', 'ERR_CORRUPT'],
    ['a dictionary', '28b52ffd 01 58 07 190000 616263', 'ERR_UNSUPPORTED'],
  ])('refuses %s', (_, text, code) => {
    expect(ourError(() => zstdFrames(hex(text))).code).toBe(code)
  })
})
