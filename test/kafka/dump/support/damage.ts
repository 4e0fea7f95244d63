/** Faults in a file's bytes. */
import fc from 'fast-check'

/** Where a fault is, as a part of the file's length. */
const place = fc.noBias(fc.nat({ max: 99_999 })).map((part) => part / 100_000)

export type Damage =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'byte'; readonly at: number; readonly value: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'zeros'; readonly at: number; readonly length: number }
  | { readonly kind: 'grow'; readonly bytes: Uint8Array }

export const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: place, bit: fc.nat({ max: 7 }) }),
  fc.record({ kind: fc.constant('byte' as const), at: place, value: fc.nat({ max: 255 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constant('zeros' as const), at: place, length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('grow' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 100 }) }),
)

/** A copy of `bytes` with the faults in it. */
export function damaged(bytes: Buffer, faults: readonly Damage[]): Buffer {
  return faults.reduce<Buffer>(withFault, bytes)
}

function withFault(bytes: Buffer, fault: Damage): Buffer {
  if (fault.kind === 'grow') return Buffer.concat([bytes, fault.bytes])
  const at = Math.floor(fault.at * bytes.length)
  if (fault.kind === 'cut') return bytes.subarray(0, at)
  if (at >= bytes.length) return bytes
  const changed = Buffer.from(bytes)
  if (fault.kind === 'flip') changed[at] = (changed[at] ?? 0) ^ (1 << fault.bit)
  else if (fault.kind === 'byte') changed[at] = fault.value
  else changed.fill(0, at, Math.min(at + fault.length, bytes.length))
  return changed
}
