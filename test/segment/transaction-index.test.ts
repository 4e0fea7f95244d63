/** Entries of aborted transactions, and every way in which their file can be wrong. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INT64_MAX } from '../../lib/base/int64.js'
import { parseTransactionIndex, transactionEntry } from '../../lib/segment/transaction-index.js'
import { fcOptions } from '../support/random.js'

const offset = fc.bigInt(0n, INT64_MAX)
const entry = fc.record({
  producerId: offset,
  firstOffset: offset,
  lastOffset: offset,
  lastStableOffset: offset,
})

describe('a transaction index', () => {
  it('gives back the entries that were written', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const sorted = [...entries].sort((a, b) => (a.lastOffset < b.lastOffset ? -1 : 1))
        const bytes = Buffer.concat(sorted.map(transactionEntry))
        expect(bytes).toHaveLength(sorted.length * 34)
        expect(parseTransactionIndex('FILE', bytes, 0n)).toEqual(sorted)
      }),
      fcOptions(100),
    )
  })

  const at = (lastOffset: bigint) =>
    transactionEntry({ producerId: 1n, firstOffset: 0n, lastOffset, lastStableOffset: 0n })
  const version = (n: number) => {
    const bytes = at(9n)
    bytes.writeInt16BE(n, 0)
    return bytes
  }

  it.each<[string, Buffer, number]>([
    ['is cut short', Buffer.concat([at(5n), at(6n).subarray(0, 33)]), 34],
    ['has a version of the future', Buffer.concat([at(5n), version(1)]), 34],
    ['has last offsets that fall', Buffer.concat([at(7n), at(6n)]), 34],
    ['has a last offset below the base', at(4n), 0],
  ])('known faults, area 18: is refused where it %s', (_, bytes, position) => {
    expect(() => parseTransactionIndex('FILE', bytes, 5n)).toThrow(
      expect.objectContaining({ code: 'ERR_CORRUPT', kind: 'index', path: 'FILE', position }),
    )
  })
})
