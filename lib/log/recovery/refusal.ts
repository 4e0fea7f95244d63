/**
 * The error for damage that may not be cut unasked: where it is, why it is not
 * cut, and what would be lost.
 */

import { type CorruptionError, corrupt } from '../../errors.js'
import type { SoundBehind } from './sound-behind.js'

export interface Refused {
  readonly path: string
  readonly position: number
  /** Behind the last sound batch. */
  readonly offset: bigint
  /** What the scan found there. */
  readonly stop: string
  readonly because: string
  readonly behind: SoundBehind
}

export const REMEDY =
  "restore the file, or open with onDamage: 'cut' (plog recover --on-damage cut) to go on without what lies behind; plog verify tells more"

export function refusalOf({ path, position, offset, stop, because, behind }: Refused): CorruptionError {
  const { bytes, firstOffset, nextOffset } = behind
  const sound =
    firstOffset === null
      ? 'no sound batch lies behind'
      : `sound batches lie behind, with offsets from ${firstOffset} up to ${(nextOffset as bigint) - 1n}`
  const kind = stop.startsWith('torn') ? 'torn-tail' : 'batch'
  const message = `no sound batch here (${stop}), and it is not cut, because ${because}. Cutting would take ${bytes} bytes, offsets from ${offset} on; ${sound}. To open it, ${REMEDY}`
  return corrupt(kind, path, message, {
    position,
    offset,
    validBytes: position,
    atStake: { bytes, firstOffset, nextOffset },
  })
}

/** A segment that is to be put in place must be whole; what it replaces may be gone. */
export function damagedSwap(
  path: string,
  { validBytes: position, stop }: { validBytes: number; stop: string },
) {
  const message = `no sound batch here (${stop}), in a segment that an interrupted cleaning or splitting left to be put in place; if the segments that it replaces are still there, remove the .swap files`
  return corrupt('batch', path, message, { position, validBytes: position })
}
