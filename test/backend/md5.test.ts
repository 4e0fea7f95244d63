/** MD5 of our own against Node's: every length around the ends of blocks. */
import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { md5 } from '../../lib/backend/portable/md5.js'

test('every length up to 300 bytes, wherever it lies', () => {
  const bytes = randomBytes(400)
  const words = new Int32Array(4)
  for (let size = 0; size <= 300; size++) {
    const from = size % 17
    md5(bytes, from, size, words)
    const digest = createHash('md5')
      .update(bytes.subarray(from, from + size))
      .digest()
    expect([...words]).toEqual([0, 4, 8, 12].map((at) => digest.readInt32BE(at)))
  }
})
