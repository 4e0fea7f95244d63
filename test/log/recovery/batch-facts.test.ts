import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BatchColumns } from '../../../lib/backend/contract.js'
import { factsOf } from '../../../lib/log/recovery/batch-facts.js'
import { emptyIndexState, type IndexState, planIndexEntries } from '../../../lib/segment/index-plan.js'

const INTERVAL = 100

interface Batch {
  readonly size: number
  readonly time: bigint
}

const time = fc.oneof(fc.bigInt(-1n, 30n), fc.bigInt(2n ** 53n - 2n, 2n ** 53n + 2n))
const batch = fc.record({ size: fc.integer({ min: 26, max: 150 }), time })
const chunks = fc.array(fc.array(batch, { maxLength: 40 }), { maxLength: 4 })

function columnsOf(batches: readonly Batch[], firstOffset: number): BatchColumns {
  const count = batches.length
  return {
    count,
    sizes: Int32Array.from(batches, ({ size }) => size),
    maxTimestamps: BigInt64Array.from(batches, (one) => one.time),
    lastOffsets: BigInt64Array.from(batches, (_, n) => BigInt(firstOffset + n)),
  } as BatchColumns
}

function input(position: number, [offsetRoom, timeRoom]: readonly [number, number]) {
  return { baseOffset: 0n, indexIntervalBytes: INTERVAL, position, offsetRoom, timeRoom }
}

test('batches told as one where none brings an entry come to the same plan', () => {
  const rooms = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 }))
  fc.assert(
    fc.property(chunks, rooms, (given, room) => {
      let [merged, single]: IndexState[] = [emptyIndexState(0n), emptyIndexState(0n)]
      let [position, offset] = [0, 0]
      for (const batches of given) {
        const columns = columnsOf(batches, offset)
        const all = batches.map((one, n) => ({
          sizeInBytes: one.size,
          lastOffset: BigInt(offset + n),
          maxTimestamp: one.time,
        }))
        const { state: mergedState, ...few } = planIndexEntries(
          merged as IndexState,
          factsOf(columns, merged as IndexState, INTERVAL),
          input(position, room),
        )
        const { state, ...entries } = planIndexEntries(single as IndexState, all, input(position, room))
        expect(few).toEqual(entries)
        expect(mergedState).toEqual(state)
        merged = mergedState
        single = state
        position += batches.reduce((sum, { size }) => sum + size, 0)
        offset += batches.length
      }
    }),
  )
})
