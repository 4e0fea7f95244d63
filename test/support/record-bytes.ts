/** Records of magic 2 as bytes, also such as no writer of ours makes: other attributes, numbers longer than need be. */
import fc from 'fast-check'

export interface RawRecord {
  readonly attributes?: number
  readonly timestampDelta?: bigint
  readonly offsetDelta?: number
  readonly key?: Uint8Array | null
  readonly value?: Uint8Array | null
  readonly headers?: readonly (readonly [key: Uint8Array, value: Uint8Array | null])[]
  /** Bytes that each number takes at least, 1 to 5. */
  readonly pad?: number
}

export function rawRecord(record: RawRecord): Buffer {
  const { attributes = 0, timestampDelta = 0n, offsetDelta = 0, key = null, value = null } = record
  const { headers = [], pad = 1 } = record
  const field = (bytes: Uint8Array | null) => [
    varint(BigInt(bytes?.length ?? -1), pad),
    Buffer.from(bytes ?? []),
  ]
  const body = Buffer.concat([
    Buffer.of(attributes),
    varint(timestampDelta, pad),
    varint(BigInt(offsetDelta), pad),
    ...field(key),
    ...field(value),
    varint(BigInt(headers.length), pad),
    ...headers.flatMap(([name, content]) => [...field(name), ...field(content)]),
  ])
  return Buffer.concat([varint(BigInt(body.length), pad), body])
}

/** Zig-zag, base 128; at least `pad` bytes. */
export function varint(value: bigint, pad = 1): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))
  while (rest > 0x7fn || bytes.length + 1 < pad) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength })
const field = (maxLength: number) => fc.option(bytes(maxLength), { freq: 4 })

/** Any record; some have numbers that are longer than need be. */
export const rawRecords: fc.Arbitrary<RawRecord> = fc.record({
  attributes: fc.constantFrom(0, 0, 0, 1, 255),
  timestampDelta: fc.oneof(fc.bigInt(-200n, 200n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
  offsetDelta: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer()),
  key: field(70),
  value: field(200),
  headers: fc.array(fc.tuple(bytes(5), field(5)), { maxLength: 3 }),
  pad: fc.constantFrom(1, 1, 1, 2, 5),
})
