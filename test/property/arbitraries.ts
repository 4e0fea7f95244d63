/** Random input for the format: the whole space that callers can give. */
import fc from 'fast-check'
import { INT32_MAX, INT64_MAX, INT64_MIN } from '../../lib/base/int64.js'
import { CODEC_NAMES } from '../../lib/format/compression.js'
import type { EncodeBatchOptions } from '../../lib/format/encode-batch.js'
import type { LogRecord, RecordInput } from '../../lib/format/record.js'

export const bytes = (maxLength = 40): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.uint8Array({ maxLength }) },
    { weight: 1, arbitrary: fc.constantFrom(63, 64, 8191, 8192).map((length) => Buffer.alloc(length, 7)) },
  )

const field = fc.oneof<fc.Arbitrary<Uint8Array | string | null>[]>(
  bytes(),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constant(null),
  fc.constant(''),
)

const int64 = (min: bigint, max: bigint): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt({ min, max }),
    fc.bigInt({ min: 0n, max: 100n }),
    fc.constantFrom(min, max, 1_700_000_000_000n),
  )

const timestamp = int64(-1n, INT64_MAX)

export const record: fc.Arbitrary<RecordInput> = fc.record(
  {
    key: field,
    value: field,
    headers: fc.array(fc.record({ key: fc.string({ unit: 'grapheme', maxLength: 10 }), value: field }), {
      maxLength: 4,
    }),
    timestamp: fc.oneof(
      timestamp,
      timestamp.map(String),
      fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }),
    ),
  },
  { requiredKeys: ['value', 'timestamp'] },
)

export const records = fc.array(record, { minLength: 1, maxLength: 12 })

const producer = fc.record({
  id: int64(0n, INT64_MAX),
  epoch: fc.integer({ min: 0, max: 32_767 }),
  baseSequence: fc.oneof(fc.integer({ min: 0, max: INT32_MAX }), fc.constant(INT32_MAX)),
  transactional: fc.boolean(),
})

export const options: fc.Arbitrary<EncodeBatchOptions> = fc.record(
  {
    baseOffset: int64(INT64_MIN, INT64_MAX - 20n),
    partitionLeaderEpoch: fc.integer({ min: -1, max: INT32_MAX }),
    compression: fc.constantFrom(...CODEC_NAMES),
    timestampType: fc.constantFrom('CreateTime' as const, 'LogAppendTime' as const),
    logAppendTime: timestamp,
    producer,
  },
  { requiredKeys: ['compression'] },
)

/** A record as plain values: what was given, or what was read. */
export function plain(record: LogRecord | RecordInput) {
  return {
    timestamp: BigInt(record.timestamp ?? -1),
    key: toHex(record.key),
    value: toHex(record.value),
    headers: (record.headers ?? []).map(({ key, value }) => ({
      key: Buffer.from(key).toString(),
      value: toHex(value),
    })),
  }
}

function toHex(field: Uint8Array | string | null | undefined): string | null {
  return field === null || field === undefined ? null : Buffer.from(field as Uint8Array).toString('hex')
}
