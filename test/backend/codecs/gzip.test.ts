import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { gzipCodec } from '../../../lib/backend/codecs/gzip.js'
import { lines, noise, ourError, upTo } from '../../support/codecs.js'

const codec = gzipCodec()
const member = (bytes: Uint8Array): Buffer => zlib.gzipSync(bytes)
const [one, two] = [lines(5000), noise(3000)]

describe('gzip', () => {
  test.each([
    ['several members', Buffer.concat([member(one), member(two)]), Buffer.concat([one, two])],
    [
      'an empty member between',
      Buffer.concat([member(one), member(Buffer.alloc(0)), member(two)]),
      Buffer.concat([one, two]),
    ],
    ['bytes that are no member behind, as in Kafka', Buffer.concat([member(one), Buffer.alloc(20)]), one],
    [
      'a large member behind a small one',
      Buffer.concat([member(two), member(lines(3 << 20))]),
      Buffer.concat([two, lines(3 << 20)]),
    ],
  ])('reads %s', async (_, bytes, expected) => {
    for (const maxBytes of [expected.length, 2 ** 40]) {
      expect(Buffer.compare(codec.decompress(bytes, upTo(maxBytes)), expected)).toBe(0)
      expect(Buffer.compare(await codec.decompressAsync(bytes, upTo(maxBytes)), expected)).toBe(0)
    }
    expect(ourError(() => codec.decompress(bytes, upTo(expected.length - 1))).code).toBe(
      'ERR_BATCH_TOO_LARGE',
    )
  })

  test.each([0, 0xffffffff])('does not believe a trailer that says %i bytes', (declared) => {
    const bytes = member(one)
    bytes.writeUInt32LE(declared, bytes.length - 4)
    expect(ourError(() => codec.decompress(bytes, upTo(2 ** 31)))).toMatchObject({
      code: 'ERR_CORRUPT',
      kind: 'compression',
    })
  })

  test('refuses a wrong checksum', () => {
    const bytes = member(one)
    bytes[bytes.length - 8]! ^= 1
    expect(ourError(() => codec.decompress(bytes, upTo(5000))).message).toContain('gzip data is damaged')
  })

  test('writes one member that any reader takes', () => {
    expect(zlib.gunzipSync(codec.compress(one)).equals(one)).toBe(true)
  })
})
