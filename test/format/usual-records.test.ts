/** The short ways for usual records do what the long ones do. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordBatches } from '../../lib/format/batches.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { RECORDS_AT } from '../../lib/format/layout.js'
import type { RecordInput } from '../../lib/format/record.js'
import { resealed } from '../support/batches.js'
import { fcOptions } from '../support/random.js'
import { decodeRecords } from '../support/reference-records.js'

const short = fc.uint8Array({ maxLength: 12 })
/** Either side of where a length takes another group, alone and with the rest of the record. */
const long = fc
  .constantFrom(50, 56, 57, 58, 62, 63, 64, 8_170, 8_180, 8_190, 8_191, 8_192)
  .map((n) => Buffer.alloc(n, n))
const timestamp = fc.constantFrom(0, 1, 63, 64, 8_191, 8_192, 1_700_000_000_000)

function recordsOf(bytes: fc.Arbitrary<Uint8Array>, minLength: number, maxLength: number) {
  const field = fc.option(bytes)
  const record: fc.Arbitrary<RecordInput> = fc
    .tuple(field, field, timestamp)
    .map(([key, value, timestamp]) => ({ key, value, timestamp }))
  return fc.array(record, { minLength, maxLength })
}

const usualRecords = fc.oneof(
  { weight: 20, arbitrary: recordsOf(fc.oneof(short, long), 1, 4) },
  // Offsets of two groups.
  { weight: 1, arbitrary: recordsOf(fc.uint8Array({ maxLength: 1 }), 65, 70) },
)

describe('usual records', () => {
  it('are written as those with headers are, of which there are none', () => {
    fc.assert(
      fc.property(usualRecords, (records) => {
        const others = records.map((record) => ({ ...record, headers: [] }))
        expect(encodeBatch(records).equals(encodeBatch(others))).toBe(true)
      }),
      fcOptions(200),
    )
  })

  it('are read as a plain reading of the format gives, whole or damaged', () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 })
    fc.assert(
      fc.property(usualRecords, damage, fc.boolean(), (records, changes, withHeader) => {
        const headers = withHeader ? [{ key: 'h', value: 'v' }] : []
        const batch = encodeBatch(records.map((record, n) => (n === 1 ? { ...record, headers } : record)))
        for (const [at, byte] of changes) batch[RECORDS_AT + (at % (batch.length - RECORDS_AT))] = byte
        expect(text(read(resealed(batch)))).toBe(text(decodeRecords(batch)))
      }),
      fcOptions(1_000),
    )
  })
})

/** What there is to see of the records, or that they are none. */
function read(bytes: Buffer) {
  try {
    const [batch] = recordBatches(bytes)
    return [...(batch?.records() ?? [])].map(({ offset, timestamp, key, value, headers }) => ({
      ...{ offset, timestamp, key, value },
      headers: headers.map(({ key, value }) => ({ key, value })),
    }))
  } catch {
    return 'none'
  }
}

/** Bytes as hex: comparing them one by one takes its time. */
function text(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'bigint' ? `${one}` : isBytes(one) ? Buffer.from(one.data).toString('hex') : one,
  )
}

function isBytes(value: unknown): value is { readonly data: number[] } {
  return (value as { type?: unknown } | null)?.type === 'Buffer'
}
