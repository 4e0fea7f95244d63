import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isCutShort } from '../../lib/backend/native/elf.js'

const binary = readFileSync(new URL('../../prebuilds/linux-x64/partition-log.glibc.node', import.meta.url))

test('a whole binary is whole, one that was cut anywhere is not', () => {
  expect(isCutShort(binary)).toBe(false)
  for (const length of [0, 10, 63, 64, 1_000, binary.length >> 1, binary.length - 3_000, binary.length - 1]) {
    expect(isCutShort(binary.subarray(0, length)), `${length} bytes`).toBe(true)
  }
})

test('of other formats nothing is said', () => {
  expect(isCutShort(Buffer.from('MZ and so on'))).toBe(false)
})
