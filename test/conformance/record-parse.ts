/** Records of a batch as columns: what sound ones say, and where the first that is none lies. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../lib/backend/contract.js'
import type { RecordColumns } from '../../lib/backend/record-kernel.js'
import { errorFrom } from '../support/errors.js'
import { fcOptions } from '../support/random.js'
import { type RawRecord, rawRecord, rawRecords, varint } from '../support/record-bytes.js'

const KEY = Buffer.from('key')
const VALUE = Buffer.from('value')
const SOUND = rawRecord({ key: KEY, value: VALUE })

/** Bodies that are no record, each behind its right length. */
const BAD: [name: string, ...body: Uint8Array[]][] = [
  ['no attributes'],
  ['nothing behind the attributes', Buffer.of(0)],
  ['a timestamp delta of 11 bytes', Buffer.of(0), Buffer.alloc(10, 0x80), Buffer.of(0, 0, 1, 1, 0)],
  ['an offset delta of 6 bytes', Buffer.of(0, 0), Buffer.alloc(5, 0x80), Buffer.of(0, 1, 1, 0)],
  ['a key of -2 bytes', Buffer.of(0, 0, 0), varint(-2n), varint(-1n), varint(0n)],
  ['a key beyond the record', Buffer.of(0, 0, 0), varint(4n), Buffer.of(1, 1, 0)],
  ['a value of -2 bytes', Buffer.of(0, 0, 0), varint(-1n), varint(-2n), varint(0n)],
  ['a value beyond the record', Buffer.of(0, 0, 0, 1), varint(2n ** 31n - 1n), varint(0n)],
  ['no header count', Buffer.of(0, 0, 0, 1, 1)],
  ['-1 headers', Buffer.of(0, 0, 0, 1, 1), varint(-1n)],
  ['fewer headers than it says', Buffer.of(0, 0, 0, 1, 1), varint(2n), varint(0n), varint(-1n)],
  ['as many headers as an int holds', Buffer.of(0, 0, 0, 1, 1), varint(2n ** 31n - 1n)],
  ['a header without a key', Buffer.of(0, 0, 0, 1, 1), varint(1n), varint(-1n), varint(-1n)],
  ['a header value of -2 bytes', Buffer.of(0, 0, 0, 1, 1), varint(1n), varint(0n), varint(-2n)],
  ['bytes left over', Buffer.of(0, 0, 0, 1, 1, 0, 0)],
]

export function describeRecordParse(makeBackend: () => Backend): void {
  describe('records.parse', () => {
    const { records } = makeBackend()

    test('a record with everything', () => {
      const columns = records.columns(3)
      const headers = [[KEY, null] as const, [Buffer.alloc(0), VALUE] as const]
      const record = rawRecord({ timestampDelta: -5n, offsetDelta: 7, key: KEY, value: VALUE, headers })
      const bytes = Buffer.concat([Buffer.alloc(9), record])
      const region = { bytes, start: 9, end: bytes.length, count: 1, baseOffset: 2n ** 40n }
      expect(records.parse(region, columns, 1)).toBe(-1)
      expect(rowOf(columns, 1)).toEqual({
        offset: 2n ** 40n + 7n,
        timestampDelta: -5n,
        position: 9,
        end: bytes.length,
        keyPosition: 9 + 5,
        keySize: 3,
        valueSize: 5,
      })
      expect([rowOf(columns, 0), rowOf(columns, 2)].map(({ end }) => end)).toEqual([0, 0])
    })

    test('random records say what was written', () => {
      fc.assert(
        fc.property(fc.array(rawRecords, { maxLength: 12 }), fc.bigInt(0n, 2n ** 62n), (list, baseOffset) => {
          const columns = records.columns(12)
          const { bytes, rows } = laidOut(list, baseOffset)
          const region = { bytes, start: 0, end: bytes.length, count: list.length, baseOffset }
          expect(records.parse(region, columns, 0)).toBe(-1)
          expect(rows.map((_, row) => rowOf(columns, row))).toEqual(rows)
        }),
        fcOptions(200),
      )
    })

    test.each(BAD)('%s', (_, ...body) => {
      const content = Buffer.concat(body)
      const bytes = Buffer.concat([SOUND, varint(BigInt(content.length)), content, SOUND])
      const columns = records.columns(3)
      const region = { bytes, start: 0, end: bytes.length, count: 3, baseOffset: 0n }
      expect(records.parse(region, columns, 0)).toBe(SOUND.length)
    })

    test('lengths that lead out of the bytes, or are none', () => {
      const columns = records.columns(3)
      for (const length of [-1n, 0n, BigInt(SOUND.length), 2n ** 31n - 1n, -(2n ** 31n)]) {
        const bytes = Buffer.concat([SOUND, varint(length), SOUND.subarray(1)])
        const region = { bytes, start: 0, end: bytes.length, count: 2, baseOffset: 0n }
        expect(records.parse(region, columns, 0)).toBe(SOUND.length)
      }
    })

    test('more bytes than records, and fewer', () => {
      const columns = records.columns(4)
      const bytes = Buffer.concat([SOUND, SOUND, SOUND])
      const whole = { bytes, start: 0, end: bytes.length, baseOffset: 0n }
      expect(records.parse({ ...whole, count: 2 }, columns, 0)).toBe(2 * SOUND.length)
      expect(records.parse({ ...whole, count: 4 }, columns, 0)).toBe(bytes.length)
      expect(records.parse({ ...whole, end: bytes.length - 1, count: 3 }, columns, 0)).toBe(2 * SOUND.length)
      expect(records.parse({ ...whole, end: 0, count: 0 }, columns, 4)).toBe(-1)
    })

    test('what does not fit is refused', () => {
      const columns = records.columns(2)
      const region = { bytes: SOUND, start: 0, end: SOUND.length, count: 1, baseOffset: 0n }
      const refused = [
        () => records.parse({ ...region, count: 3 }, columns, 0),
        () => records.parse(region, columns, 2),
        () => records.parse(region, columns, -1),
        () => records.parse({ ...region, end: SOUND.length + 1 }, columns, 0),
        () => records.parse({ ...region, start: SOUND.length + 1 }, columns, 0),
        () => records.parse({ ...region, baseOffset: 2n ** 63n }, columns, 0),
        () => records.columns(0),
        () => records.columns(2 ** 24 + 1),
      ]
      for (const call of refused) expect(errorFrom(call)).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
      const foreign = { ...columns } as RecordColumns
      expect(errorFrom(() => records.parse(region, foreign, 0))).toBeInstanceOf(TypeError)
    })
  })
}

export function rowOf(columns: RecordColumns, row: number) {
  return {
    offset: columns.offsets[row],
    timestampDelta: columns.timestampDeltas[row],
    position: columns.positions[row],
    end: columns.ends[row],
    keyPosition: columns.keyPositions[row],
    keySize: columns.keySizes[row],
    valueSize: columns.valueSizes[row],
  }
}

/** The records back to back, and the rows that they have to give. */
function laidOut(list: readonly RawRecord[], baseOffset: bigint) {
  const parts = list.map(rawRecord)
  let position = 0
  const rows = list.map((record, i) => {
    const { timestampDelta = 0n, offsetDelta = 0, key, value, pad = 1 } = record
    const size = (n: bigint) => varint(n, pad).length
    const end = position + (parts[i] as Buffer).length
    const front = size(timestampDelta) + size(BigInt(offsetDelta)) + size(BigInt(key?.length ?? -1))
    const bodySize = [5, 4, 3, 2, 1].find((n) => n === size(bodyOf(end - position, pad))) ?? 0
    const row = {
      offset: baseOffset + BigInt(offsetDelta),
      timestampDelta,
      position,
      end,
      keyPosition: position + bodySize + 1 + front,
      keySize: key?.length ?? -1,
      valueSize: value?.length ?? -1,
    }
    position = end
    return row
  })
  return { bytes: Buffer.concat(parts), rows }
}

/** The body's size, of a record's: less the bytes that hold it. */
function bodyOf(sizeInBytes: number, pad: number): bigint {
  for (let n = 1; n <= 5; n++) {
    const body = BigInt(sizeInBytes - n)
    if (varint(body, pad).length === n) return body
  }
  throw new Error(`no body in a record of ${sizeInBytes} bytes`)
}
