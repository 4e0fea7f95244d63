/** Checksums: known answers, and every length and alignment that a fast path could get wrong. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../lib/backend/contract.js'
import { referenceCrc32c } from '../support/crc-reference.js'
import { fcOptions } from '../support/random.js'

/** From RFC 3720, appendix B.4, and the check value of the algorithm's definition. */
const KNOWN: [name: string, bytes: Buffer, crc: number][] = [
  ['nothing', Buffer.alloc(0), 0],
  ['"123456789"', Buffer.from('123456789'), 0xe3069283],
  ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['0 to 31', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  ['31 to 0', Buffer.from(Array.from({ length: 32 }, (_, i) => 31 - i)), 0x113fdb5c],
]

export function describeCrc32c(makeBackend: () => Backend): void {
  describe('crc32c', () => {
    const backend = makeBackend()

    test.each(KNOWN)('of %s', (_, bytes, crc) => {
      expect(backend.crc32c(bytes, 0, bytes.length)).toBe(crc)
    })

    test('every length from 0 to 300 at every alignment', () => {
      const bytes = Uint8Array.from({ length: 320 }, (_, i) => (i * 131 + 7) & 255)
      for (let start = 0; start < 16; start++) {
        for (let length = 0; length <= 300; length++) {
          const expected = referenceCrc32c(bytes.subarray(start, start + length))
          const actual = backend.crc32c(bytes, start, start + length)
          if (actual !== expected) expect.fail(`${length} bytes at ${start}: ${actual}, not ${expected}`)
        }
      }
    })

    test('views that begin within their memory', () => {
      const memory = new Uint8Array(4096).map((_, i) => i * 7)
      const view = memory.subarray(13, 3000)
      expect(backend.crc32c(view, 5, 2500)).toBe(referenceCrc32c(memory.subarray(18, 2513)))
    })

    test('random bytes around the block sizes of the fast paths', () => {
      const around = fc.constantFrom(64, 128, 256, 512, 1024, 4096, 8192, 65536)
      fc.assert(
        fc.property(
          around,
          fc.integer({ min: -17, max: 17 }),
          fc.nat(255),
          fc.nat(63),
          (size, off, seed, start) => {
            const length = size + off
            const bytes = Uint8Array.from({ length: start + length }, (_, i) => (i * i + i * seed) >>> 3)
            return backend.crc32c(bytes, start, start + length) === referenceCrc32c(bytes.subarray(start))
          },
        ),
        fcOptions(60),
      )
    })
  })
}
