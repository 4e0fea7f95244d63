/** Records copied without those that are dropped: the bytes that Kafka's writer makes of the others. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../lib/backend/contract.js'
import type { RecordColumns, TimestampMove } from '../../lib/backend/record-kernel.js'
import { errorFrom } from '../support/errors.js'
import { fcOptions } from '../support/random.js'
import { type RawRecord, rawRecord, rawRecords } from '../support/record-bytes.js'

const SAME: TimestampMove = { shift: 0n }
const INT64_MIN = -(2n ** 63n)

const moves: fc.Arbitrary<TimestampMove> = fc.oneof(
  fc.constant(SAME),
  fc.bigInt(-300n, 300n).map((shift) => ({ shift })),
  fc.bigInt(INT64_MIN, -INT64_MIN - 1n).map((shift) => ({ shift })),
  fc.bigInt(-300n, 300n).map((delta) => ({ delta })),
)

export function describeRecordCopy(makeBackend: () => Backend): void {
  describe('records.copy', () => {
    const { records } = makeBackend()

    /** The records behind `gap` bytes, as parsed, with all to be kept. */
    function parsed(list: readonly RawRecord[], gap = 0): { bytes: Buffer; columns: RecordColumns } {
      const bytes = Buffer.concat([Buffer.alloc(gap), ...list.map(rawRecord)])
      const columns = records.columns(Math.max(1, list.length))
      const region = { bytes, start: gap, end: bytes.length, count: list.length, baseOffset: 0n }
      expect(records.parse(region, columns, 0)).toBe(-1)
      columns.keep.fill(1)
      return { bytes, columns }
    }

    test('known answers: attributes, numbers longer than need be, a delta that grows', () => {
      const key = Buffer.from('k')
      const odd = { key, value: null, attributes: 255, pad: 5, headers: [[key, key] as const] }
      const { bytes, columns } = parsed([odd, odd], 3)
      const out = Buffer.alloc(100, 0xee)
      columns.keep[0] = 0
      const rows = { from: 0, count: 2 }
      const end = records.copy(bytes, columns, rows, { shift: 64n }, out, 2)
      const body = [0, 0x80, 0x01, 0, 2, 0x6b, 1, 2, 2, 0x6b, 2, 0x6b]
      expect([...out.subarray(0, end + 1)]).toEqual([0xee, 0xee, 2 * body.length, ...body, 0xee])
      expect(columns.largestTimestampDelta[0]).toBe(0n)
    })

    test('random records', () => {
      const kept = fc.array(fc.tuple(rawRecords, fc.boolean()), { maxLength: 10 })
      fc.assert(
        fc.property(kept, moves, fc.nat(20), (list, move, gap) => {
          const { bytes, columns } = parsed(
            list.map(([record]) => record),
            gap,
          )
          list.forEach(([, keep], row) => {
            columns.keep[row] = keep ? 1 : 0
          })
          const left = list.filter(([, keep]) => keep).map(([record]) => record)
          const expected = Buffer.concat(left.map((record) => rawRecord(written(record, move))))
          const rows = { from: 0, count: list.length }
          const out = Buffer.alloc(expected.length + gap)
          expect(records.copy(bytes, columns, rows, move, out, gap)).toBe(out.length)
          expect(out.subarray(gap).equals(expected)).toBe(true)
          const deltas = left.map(({ timestampDelta = 0n }) => timestampDelta)
          expect(columns.largestTimestampDelta[0]).toBe(deltas.reduce((a, b) => (a > b ? a : b), INT64_MIN))
          const short = Buffer.alloc(Math.max(0, out.length - 1))
          const from = Math.min(gap, short.length)
          const room = records.copy(bytes, columns, rows, move, short, from)
          expect(room).toBe(expected.length > short.length - from ? -1 : from)
        }),
        fcOptions(200),
      )
    })

    test('only the rows that are asked for', () => {
      const list = [1, 2, 3].map((offsetDelta) => ({ offsetDelta, value: Buffer.from('v') }))
      const { bytes, columns } = parsed(list)
      const out = Buffer.alloc(50)
      const end = records.copy(bytes, columns, { from: 1, count: 1 }, SAME, out, 0)
      expect(out.subarray(0, end)).toEqual(rawRecord(list[1] as RawRecord))
      expect(records.copy(bytes, columns, { from: 3, count: 0 }, SAME, out, 50)).toBe(50)
    })

    test('rows that are none of the bytes are refused, whatever they say', () => {
      const record = { key: Buffer.from('key'), value: Buffer.from('value') }
      const wrong: ((columns: RecordColumns, bytes: Buffer) => void)[] = [
        (columns) => columns.positions.fill(-1),
        (columns) => columns.positions.fill(columns.ends[0] as number),
        (columns) => columns.positions.fill(1),
        (columns) => columns.positions.fill(-(2 ** 31)),
        (columns) => columns.ends.fill(2 ** 31 - 1),
        (columns) => columns.ends.fill((columns.ends[0] as number) - 1),
        (columns) => columns.ends.fill((columns.ends[0] as number) + 1),
        (_, bytes) => bytes.fill(0xff),
        (_, bytes) => bytes.fill(0),
      ]
      for (const spoil of wrong) {
        const { bytes, columns } = parsed([record])
        spoil(columns, bytes)
        const copied = () => records.copy(bytes, columns, { from: 0, count: 1 }, SAME, Buffer.alloc(99), 0)
        expect(errorFrom(copied)).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
        columns.keep[0] = 0
        expect(copied()).toBe(0)
      }
    })

    test('what does not fit is refused', () => {
      const { bytes, columns } = parsed([{}])
      const out = Buffer.alloc(20)
      const refused = [
        () => records.copy(bytes, columns, { from: 0, count: 2 }, SAME, out, 0),
        () => records.copy(bytes, columns, { from: 0, count: 1 }, { delta: 2n ** 63n }, out, 0),
        () => records.copy(bytes, columns, { from: 0, count: 1 }, SAME, out, 21),
        () => records.copy(bytes, columns, { from: 0, count: 1 }, SAME, out, -1),
      ]
      for (const call of refused) expect(errorFrom(call)).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
    })
  })
}

/** What a copy of the record says. */
function written(record: RawRecord, move: TimestampMove): RawRecord {
  const delta = 'shift' in move ? BigInt.asIntN(64, (record.timestampDelta ?? 0n) + move.shift) : move.delta
  return { ...record, attributes: 0, pad: 1, timestampDelta: delta }
}
