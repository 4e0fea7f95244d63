import { describe, expect, test } from 'vitest'
import { importPackage } from '../../lib/backend/codecs/library.js'
import { bestXxh32 } from '../../lib/backend/codecs/lz4-libraries.js'
import { xxh32 } from '../../lib/format/xxh32.js'
import { noise } from '../support/codecs.js'

interface Addon {
  XXHash32: {
    new (seed: Buffer): { update(bytes: Buffer): void; digest(): Buffer }
    hash(bytes: Buffer): Buffer
  }
}

const addon = (await importPackage('xxhash-addon')) as Addon

describe('xxh32', () => {
  // From the description of the algorithm.
  test.each([
    ['', 0, 0x02cc5d05],
    ['a', 0, 0x550d7456],
    ['abc', 0, 0x32d153ff],
    ['Nobody inspects the spammish repetition', 0, 0xe2293b2f],
  ])('of %j', (text, seed, expected) => {
    expect(xxh32(Buffer.from(text), seed)).toBe(expected)
  })

  test('equals the native one for every length, at any place in memory', () => {
    const bytes = noise(600)
    for (let length = 0; length <= 300; length++) {
      const part = bytes.subarray(length % 7, (length % 7) + length)
      expect(xxh32(part), `${length} bytes`).toBe(addon.XXHash32.hash(Buffer.from(part)).readUInt32BE())
    }
    expect(xxh32(noise(100_003))).toBe(addon.XXHash32.hash(noise(100_003)).readUInt32BE())
  })

  test('equals the native one for any seed', () => {
    for (const seed of [1, 0x7fffffff, 0x80000000, 0xffffffff, 0x9e3779b1]) {
      const seedBytes = Buffer.alloc(4)
      seedBytes.writeUInt32BE(seed)
      for (const length of [0, 3, 15, 16, 100]) {
        const native = new addon.XXHash32(seedBytes)
        native.update(noise(length))
        expect(xxh32(noise(length), seed)).toBe(native.digest().readUInt32BE())
      }
    }
  })

  test('is the same whoever computes it', async () => {
    const best = await bestXxh32()
    for (const length of [0, 2, 511, 512, 513, 70_000]) {
      const bytes = noise(length + 3).subarray(3)
      expect(best(bytes)).toBe(xxh32(bytes))
      expect(best(Uint8Array.from(bytes))).toBe(xxh32(bytes))
    }
  })
})
