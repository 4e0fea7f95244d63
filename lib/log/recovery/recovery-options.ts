/**
 * How a log is to be opened after whatever stop came before.
 */

import type { Lane } from '../../backend/contract.js'
import type { RecoveryListener } from './listener.js'

/** Damage below the recovery point, or where none is known: refuse to open, or cut there as a broker would. */
export type DamagePolicy = 'refuse' | 'cut'

export interface RecoveryOptions {
  /** The directory had its marker, and the log was not given up since. */
  readonly wasClean: boolean
  readonly onDamage: DamagePolicy
  /** Directory that takes copies of what is cut or removed. */
  readonly quarantine: string | undefined
  /** Where segments are scanned. */
  readonly scanLane: Lane
  /** Bytes of the log that are scanned, of those that have to be. */
  readonly onProgress: ((done: number, total: number) => void) | undefined
  readonly signal: AbortSignal | undefined
  readonly listener: RecoveryListener
}
