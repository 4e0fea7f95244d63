/**
 * Ways in which a producer's bytes can be wrong, one at a time. `by` picks
 * the place or the amount where there is a choice.
 */
import {
  BASE_OFFSET_AT,
  CRC_AT,
  LAST_OFFSET_DELTA_AT,
  LENGTH_AT,
  MAGIC_AT,
  RECORD_COUNT_AT,
} from '../../../lib/format/layout.js'
import { resealed } from '../../support/batches.js'

const DAMAGE = {
  /** A byte behind the checksum is another. */
  'flipped byte': (bytes, by) => {
    const covered = bytes.length - CRC_AT - 4
    const at = CRC_AT + 4 + (by % covered)
    bytes[at] = (bytes[at] as number) ^ (1 << (by % 8))
    return bytes
  },
  'other checksum': (bytes) => {
    bytes.writeUInt32BE((bytes.readUInt32BE(CRC_AT) ^ 1) >>> 0, CRC_AT)
    return bytes
  },
  /** Its end is missing, down to all of it. */
  cut: (bytes, by) => bytes.subarray(0, by % bytes.length),
  'no bytes': () => Buffer.alloc(0),
  'wrong count': (bytes, by) => {
    bytes.writeInt32BE(bytes.readInt32BE(RECORD_COUNT_AT) + (by % 2 === 0 ? 1 : -1), RECORD_COUNT_AT)
    return resealed(bytes)
  },
  'no records': (bytes) => {
    bytes.writeInt32BE(0, RECORD_COUNT_AT)
    return resealed(bytes)
  },
  'wrong last offset': (bytes, by) => {
    bytes.writeInt32BE(
      bytes.readInt32BE(LAST_OFFSET_DELTA_AT) + (by % 2 === 0 ? 1 : -1),
      LAST_OFFSET_DELTA_AT,
    )
    return resealed(bytes)
  },
  /** Count and last offset agree, and the records are fewer. */
  'one record too few': (bytes) => {
    bytes.writeInt32BE(bytes.readInt32BE(RECORD_COUNT_AT) + 1, RECORD_COUNT_AT)
    bytes.writeInt32BE(bytes.readInt32BE(LAST_OFFSET_DELTA_AT) + 1, LAST_OFFSET_DELTA_AT)
    return resealed(bytes)
  },
  'other base offset': (bytes, by) => {
    bytes.writeBigInt64BE(BigInt(by) + 1n, BASE_OFFSET_AT)
    return bytes
  },
  'wrong magic': (bytes, by) => {
    bytes.writeInt8(by % 2 === 0 ? 3 : -1, MAGIC_AT)
    return bytes
  },
  'impossible length': (bytes, by) => {
    bytes.writeInt32BE([13, 0, -1, 48][by % 4] as number, LENGTH_AT)
    return bytes
  },
  'two batches': (bytes) => Buffer.concat([bytes, bytes]),
} satisfies Record<string, (bytes: Buffer, by: number) => Buffer>

export type Damage = keyof typeof DAMAGE

export const damages = Object.keys(DAMAGE) as readonly Damage[]

/** A damaged copy. */
export function damaged(bytes: Buffer, damage: Damage, by: number): Buffer {
  return DAMAGE[damage](Buffer.from(bytes), by)
}
