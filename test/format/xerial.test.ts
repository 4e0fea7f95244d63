import { describe, expect, test } from 'vitest'
import { nativeSnappy, scriptSnappy, snappyFrom } from '../../lib/backend/codecs/snappy.js'
import { isSnappyBlock, snappyBlockLength } from '../../lib/format/snappy-block.js'
import { XERIAL_BLOCK_BYTES, xerialBlocks } from '../../lib/format/xerial.js'
import { lines, noise, ourError, upTo } from '../support/codecs.js'

const native = await nativeSnappy()
const codec = snappyFrom(native)
const HEADER = Buffer.from('82534e4150505900' + '00000001' + '00000001', 'hex')

function block(bytes: Uint8Array): Buffer {
  const raw = native.compress(bytes)
  const length = Buffer.alloc(4)
  length.writeInt32BE(raw.length)
  return Buffer.concat([length, raw])
}

describe('written', () => {
  test('known fault 175: has the header of version 1 and blocks of 32 KiB', () => {
    const stream = Buffer.from(codec.compress(lines(2 * XERIAL_BLOCK_BYTES + 1)))
    expect(stream.subarray(0, 16).equals(HEADER)).toBe(true)
    expect(xerialBlocks(stream, upTo(1 << 20)).sizes).toEqual([32768, 32768, 1])
    expect(stream.readInt32BE(16)).toBe(xerialBlocks(stream, upTo(1 << 20)).blocks[0]!.length)
  })

  test('is a bare header for no input', () => {
    expect(Buffer.from(codec.compress(new Uint8Array())).equals(HEADER)).toBe(true)
    expect(codec.decompress(HEADER, upTo(0))).toHaveLength(0)
  })
})

describe('read', () => {
  const [one, two] = [lines(500), noise(300)]

  test.each([
    ['one block', Buffer.concat([HEADER, block(one)]), one],
    ['two blocks', Buffer.concat([HEADER, block(one), block(two)]), Buffer.concat([one, two])],
    ['an empty block', Buffer.concat([HEADER, block(Buffer.alloc(0)), block(one)]), one],
    ['a block above 32 KiB', Buffer.concat([HEADER, block(lines(100_000))]), lines(100_000)],
    ['joined streams', Buffer.concat([HEADER, block(one), HEADER, block(two)]), Buffer.concat([one, two])],
    [
      'little-endian versions',
      Buffer.concat([HEADER.subarray(0, 8), Buffer.from('0100000001000000', 'hex'), block(one)]),
      one,
    ],
    [
      'versions of any kind',
      Buffer.concat([HEADER.subarray(0, 8), Buffer.from('ffffffff00000007', 'hex'), block(one)]),
      one,
    ],
    ['a raw block', Buffer.from(native.compress(one)), one],
    ['a raw block of nothing', Buffer.from([0]), Buffer.alloc(0)],
  ])('known fault 175: %s', async (_, stream, expected) => {
    for (const reader of [codec, snappyFrom(await scriptSnappy())]) {
      expect(Buffer.compare(reader.decompress(stream, upTo(1 << 20)), expected)).toBe(0)
      expect(Buffer.compare(await reader.decompressAsync(stream, upTo(1 << 20)), expected)).toBe(0)
    }
  })

  test.each([
    ['a header that is cut off', HEADER.subarray(0, 12)],
    ['a block length that is cut off', Buffer.concat([HEADER, Buffer.from([0, 0, 0])])],
    ['a negative block length', Buffer.concat([HEADER, Buffer.from('ffffffff00', 'hex')])],
    ['a block beyond the end', Buffer.concat([HEADER, Buffer.from('0000000a00', 'hex')])],
    ['a block without a length', Buffer.concat([HEADER, Buffer.from('00000000', 'hex')])],
  ])('refuses %s', (_, stream) => {
    expect(ourError(() => codec.decompress(stream, upTo(1 << 20)))).toMatchObject({
      code: 'ERR_CORRUPT',
      kind: 'compression',
    })
  })
})

describe('a raw block', () => {
  test.each([
    ['nothing', '00', 0, true],
    ['a literal', '0308616263', 3, true],
    ['a literal with a length byte', `3df03c${'61'.repeat(61)}`, 61, true],
    ['a literal with two length bytes', `3df43c00${'61'.repeat(61)}`, 61, true],
    ['a literal with four length bytes', `3dfc3c000000${'61'.repeat(61)}`, 61, true],
    ['a copy with 11 bits of offset', '0500610101', 5, true],
    ['a copy with 16 bits of offset', '0500610e0100', 5, true],
    ['a copy with 32 bits of offset', '0500610f01000000', 5, true],
    ['offset 0', '0500610100', 5, false],
    ['an offset before the start', '0500610102', 5, false],
    ['a 32-bit offset with the top bit set', '0500610fffffffff', 5, false],
    ['less output than declared', '0408616263', 4, false],
    ['more output than declared', '0208616263', 2, false],
    ['a literal beyond the end', '030c616263', 3, false],
    ['a copy that is cut off', '05006102', 5, false],
    ['a literal length that is cut off', '3df0', -1, false],
  ])('%s', (_, hex, length, sound) => {
    const bytes = Buffer.from(hex, 'hex')
    if (length >= 0) expect(snappyBlockLength(bytes)).toBe(length)
    expect(isSnappyBlock(bytes)).toBe(sound)
    const read = (): Uint8Array => native.uncompress(bytes)
    if (sound) expect(read()).toHaveLength(length)
    else expect(read).toThrow()
  })

  test('declares no length, or one that cannot be', () => {
    for (const hex of ['', '80', 'ffffffffff01', 'ffffffff7f', 'ffffffff0f00']) {
      expect(snappyBlockLength(Buffer.from(hex, 'hex'))).toBe(-1)
    }
  })

  test('of the best compression there is passes', () => {
    const zeros = Buffer.alloc(60_000)
    expect(snappyBlockLength(native.compress(zeros))).toBe(60_000)
    expect(isSnappyBlock(native.compress(zeros))).toBe(true)
  })
})
