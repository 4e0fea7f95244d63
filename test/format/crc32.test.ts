import { crc32 as crc32OfNode } from 'node:zlib'
import { expect, test } from 'vitest'
import { crc32 } from '../../lib/format/crc32.js'
import { noise } from '../support/codecs.js'

test('the check value', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926)
})

test('equals zlib for every length, at any place', () => {
  const bytes = noise(300)
  for (let start = 0; start < 5; start++) {
    for (let end = start; end < 70; end++) {
      expect(crc32(bytes, start, end), `${start} to ${end}`).toBe(crc32OfNode(bytes.subarray(start, end)))
    }
  }
  expect(crc32(noise(100_001))).toBe(crc32OfNode(noise(100_001)))
})
