/** The hashes of our own against Node's and the reference library: every length around the ends of blocks. */
import { createHash, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { md5 } from '../../lib/backend/portable/md5.js'
import { xxh3 } from '../../lib/backend/portable/xxh3.js'

type Reference = (bytes: Uint8Array) => Buffer

/** XXH3, which is an optional package; undefined where it is not installed or does not load. */
function referenceXxh3(): Reference | undefined {
  try {
    const { XXHash128 } = createRequire(import.meta.url)('xxhash-addon')
    return (bytes) => XXHash128.hash(Buffer.from(bytes))
  } catch {
    return undefined
  }
}

const longSizes = [500, 1023, 1024, 1025, 1087, 1088, 2048, 2049, 5000]
const sizes = [...Array(301).keys(), ...longSizes]

function compare(hash: typeof md5, reference: Reference): void {
  const bytes = randomBytes(6000)
  const words = new Int32Array(4)
  for (const size of sizes) {
    const from = size % 17
    hash(bytes, from, size, words)
    const expected = reference(bytes.subarray(from, from + size))
    expect([size, ...words]).toEqual([size, ...[0, 4, 8, 12].map((at) => expected.readInt32BE(at))])
  }
}

test('MD5 of every length, wherever it lies', () => {
  compare(md5, (bytes) => createHash('md5').update(bytes).digest())
})

const reference = referenceXxh3()

test.skipIf(reference === undefined)('XXH3 of every length, wherever it lies', () => {
  compare(xxh3, reference ?? expect.fail())
})
