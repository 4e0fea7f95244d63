/** The map of keys, beside a plain Map; and rows that lie about where their keys are. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../lib/backend/contract.js'
import type { OffsetMapOptions, RecordColumns } from '../../lib/backend/record-kernel.js'
import { errorFrom } from '../support/errors.js'
import { fcOptions } from '../support/random.js'

type Row = readonly [key: string | null, offset: bigint]

const HASHES = ['md5', 'xxh3'] as const
const SLOT = 24

/** Few keys, so that they come again; some longer than a block of either hash. */
const keys = fc.oneof(
  fc.constant(null),
  fc.nat(15).map((n) => `k${n}`),
  fc.nat(60).map((n) => 'x'.repeat(n)),
  fc.nat(3).map((n) => 'y'.repeat(250 + n)),
)
const row: fc.Arbitrary<Row> = fc.tuple(keys, fc.bigInt(-5n, 100n))
const operation = fc.oneof(
  fc.record({
    rows: fc.array(row, { maxLength: 80 }),
    fromOffset: fc.bigInt(-5n, 20n),
    maxSize: fc.nat(39),
  }),
  fc.array(row, { maxLength: 80 }).map((marked) => ({ marked })),
  fc.constant({ clear: true as const }),
)

export function describeOffsetMap(makeBackend: () => Backend): void {
  describe('records.openOffsetMap', () => {
    const { records } = makeBackend()

    function laidOut(rows: readonly Row[]): { bytes: Buffer; columns: RecordColumns } {
      const columns = records.columns(Math.max(1, rows.length))
      const bytes = Buffer.from(rows.map(([key]) => key ?? '').join(''))
      let position = 0
      rows.forEach(([key, offset], n) => {
        columns.offsets[n] = offset
        columns.keyPositions[n] = position
        columns.keySizes[n] = key?.length ?? -1
        position += key?.length ?? 0
      })
      return { bytes, columns }
    }

    function marked(map: ReturnType<typeof records.openOffsetMap>, rows: readonly Row[]): number[] {
      const { bytes, columns } = laidOut(rows)
      columns.superseded.fill(7)
      map.markSuperseded(bytes, columns, { from: 0, count: rows.length })
      return [...columns.superseded.subarray(0, rows.length)]
    }

    test.each(HASHES)('%s: any operations, beside a plain map', (hash) => {
      fc.assert(
        fc.property(fc.array(operation, { maxLength: 12 }), (operations) => {
          const map = records.openOffsetMap({ memoryBytes: 40 * SLOT, hash })
          const model = new Map<string, bigint>()
          for (const next of operations) {
            if ('clear' in next) {
              map.clear()
              model.clear()
            } else if ('marked' in next) {
              const higher = (key: string | null, offset: bigint) =>
                key !== null && (model.get(key) ?? offset) > offset
              const expected = next.marked.map(([key, offset]) => (higher(key, offset) ? 1 : 0))
              expect(marked(map, next.marked)).toEqual(expected)
            } else {
              const { bytes, columns } = laidOut(next.rows)
              const rows = { from: 0, count: next.rows.length }
              const taken = map.put(bytes, columns, rows, next.fromOffset, next.maxSize)
              expect(taken).toBe(putInto(model, next.rows, next.fromOffset, next.maxSize))
            }
            expect(map.size).toBe(model.size)
          }
          map.close()
        }),
        fcOptions(200),
      )
    })

    test.each(HASHES)('%s: full but for one slot, every key is found and no other', (hash) => {
      const slots = 1000
      const map = records.openOffsetMap({ memoryBytes: slots * SLOT + SLOT - 1, hash })
      expect(map.slots).toBe(slots)
      const rows = Array.from({ length: slots }, (_, n): Row => [`key ${n}`, BigInt(n + 1)])
      const { bytes, columns } = laidOut(rows)
      expect(map.put(bytes, columns, { from: 0, count: slots }, 0n, slots - 1)).toBe(slots - 1)
      expect(map.size).toBe(slots - 1)
      const below = rows.map(([key, offset]): Row => [key, offset - 1n])
      expect(marked(map, below)).toEqual([...Array(slots - 1).fill(1), 0])
      expect(marked(map, rows)).toEqual(Array(slots).fill(0))
      map.clear()
      expect([map.size, ...marked(map, below)]).toEqual([0, ...Array(slots).fill(0)])
      map.close()
    })

    test('a map of one slot takes nothing', () => {
      const map = records.openOffsetMap({ memoryBytes: SLOT, hash: 'md5' })
      const { bytes, columns } = laidOut([
        [null, 1n],
        ['a', 1n],
      ])
      expect(map.put(bytes, columns, { from: 0, count: 2 }, 0n, 0)).toBe(1)
      expect(marked(map, [['a', 0n]])).toEqual([0])
      map.close()
    })

    test('the rows that are asked for, from where they begin', () => {
      const map = records.openOffsetMap({ memoryBytes: 9 * SLOT, hash: 'md5' })
      const rows: Row[] = ['a', 'b', 'c', 'd'].map((key, n) => [key, BigInt(n)])
      const { bytes, columns } = laidOut(rows)
      expect(map.put(bytes, columns, { from: 1, count: 2 }, 0n, 1)).toBe(1)
      expect(map.put(bytes, columns, { from: 2, count: 2 }, 3n, 8)).toBe(2)
      expect(marked(map, [...rows.map(([key]): Row => [key, -9n])])).toEqual([0, 1, 0, 1])
      columns.superseded.fill(7)
      map.markSuperseded(bytes, columns, { from: 1, count: 1 })
      expect([...columns.superseded]).toEqual([7, 0, 7, 7])
      map.close()
    })

    test('keys that lie outside of the bytes are refused, whatever the row says', () => {
      const map = records.openOffsetMap({ memoryBytes: 100 * SLOT, hash: 'md5' })
      const places: [position: number, size: number][] = [
        [-1, 1],
        [0, 4],
        [3, 1],
        [2 ** 31 - 1, 2 ** 31 - 1],
        [-(2 ** 31), 2 ** 31 - 1],
      ]
      for (const [position, size] of places) {
        const { bytes, columns } = laidOut([
          ['abc', 1n],
          ['', 2n],
        ])
        columns.keyPositions[1] = position
        columns.keySizes[1] = size
        const rows = { from: 0, count: 2 }
        const refused = { code: 'ERR_OUT_OF_RANGE', message: expect.stringContaining('row 1 ') }
        expect(errorFrom(() => map.put(bytes, columns, rows, 0n, 9))).toMatchObject(refused)
        expect(errorFrom(() => map.markSuperseded(bytes, columns, rows))).toMatchObject(refused)
        expect(map.size).toBe(1)
        expect(map.put(bytes, columns, rows, 0n, 0)).toBe(0)
      }
      map.close()
    })

    test('wrong options and arguments are refused', () => {
      const open = (options: unknown) => () => records.openOffsetMap(options as OffsetMapOptions).close()
      expect(errorFrom(open({ memoryBytes: SLOT - 1, hash: 'md5' }))).toBeInstanceOf(RangeError)
      expect(errorFrom(open({ memoryBytes: 99.5, hash: 'md5' }))).toBeInstanceOf(RangeError)
      expect(errorFrom(open({ memoryBytes: 99, hash: 'sha' }))).toBeInstanceOf(TypeError)
      const map = records.openOffsetMap({ memoryBytes: 9 * SLOT, hash: 'md5' })
      const { bytes, columns } = laidOut([['a', 1n]])
      const refused = [
        () => map.put(bytes, columns, { from: 0, count: 2 }, 0n, 1),
        () => map.put(bytes, columns, { from: 0, count: 1 }, 0n, 9),
        () => map.put(bytes, columns, { from: 0, count: 1 }, 2n ** 63n, 1),
        () => map.markSuperseded(bytes, columns, { from: 2, count: 0 }),
      ]
      for (const call of refused) expect(errorFrom(call)).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
      map.close()
    })

    test('a closed map says so, and closes again', () => {
      const map = records.openOffsetMap({ memoryBytes: 9 * SLOT, hash: 'md5' })
      const { bytes, columns } = laidOut([['a', 1n]])
      map.close()
      map.close()
      const rows = { from: 0, count: 1 }
      for (const call of [
        () => map.put(bytes, columns, rows, 0n, 1),
        () => map.markSuperseded(bytes, columns, rows),
        () => map.clear(),
      ]) {
        expect(errorFrom(call)).toMatchObject({ code: 'ERR_CLOSED' })
      }
    })
  })
}

/** What the map has to do, on a plain one. */
function putInto(model: Map<string, bigint>, rows: readonly Row[], from: bigint, maxSize: number): number {
  for (const [n, [key, offset]] of rows.entries()) {
    if (key === null || offset < from) continue
    if (model.size >= maxSize) return n
    model.set(key, offset)
  }
  return rows.length
}
