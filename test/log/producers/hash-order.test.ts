/** The order of a Java map of Longs, as `new HashMap<Long, …>` prints it. */
import { describe, expect, it } from 'vitest'
import { grownCapacity, inGatheredOrder, inHashOrder } from '../../../lib/log/producers/hash-order.js'

describe('the order of producers in a snapshot', () => {
  it('is by bucket, and within one by age', () => {
    expect(inHashOrder([32n, 5n, 16n, 0n, 3n], 16)).toEqual([32n, 16n, 0n, 3n, 5n])
  })

  it('takes both halves of the id, and folds the upper bits in', () => {
    // 2^32 + 1 hashes to 0; 65536 to 65537, which is bucket 1.
    expect(inHashOrder([1n, 4_294_967_297n, 65_536n], 16)).toEqual([4_294_967_297n, 1n, 65_536n])
  })

  it('is the newest first where one append brings several that meet in a bucket', () => {
    expect(inGatheredOrder([16n, 5n, 0n, 32n])).toEqual([32n, 0n, 16n, 5n])
  })

  it('is by more buckets once there are more than three quarters of them', () => {
    expect([12, 13, 24, 25].map((size) => grownCapacity(0, size))).toEqual([16, 32, 32, 64])
    expect(grownCapacity(64, 1)).toBe(64)
    expect(inHashOrder([16n, 0n], 16)).toEqual([16n, 0n])
    expect(inHashOrder([16n, 0n], 32)).toEqual([0n, 16n])
  })
})
