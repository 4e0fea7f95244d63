/**
 * Names of the files in a partition directory: 20 digits of the base offset,
 * so that they sort as their offsets do, then a suffix.
 */

import { INT64_MAX } from '../base/int64.js'

export type FileKind = 'log' | 'index' | 'timeindex' | 'txnindex' | 'snapshot'

/** Appended to a whole name: to be deleted; being written by a cleaning; complete, to be swapped in. */
export type Transition = 'deleted' | 'cleaned' | 'swap'

export const SEGMENT_FILE_KINDS: readonly FileKind[] = ['log', 'index', 'timeindex', 'txnindex']

export interface FileName {
  readonly baseOffset: bigint
  readonly kind: FileKind
  readonly transition?: Transition
}

const NAME = /^(\d{20})\.(log|index|timeindex|txnindex|snapshot)(?:\.(deleted|cleaned|swap))?$/

export function fileName(baseOffset: bigint, kind: FileKind, transition?: Transition): string {
  const name = `${baseOffset.toString().padStart(20, '0')}.${kind}`
  return transition === undefined ? name : `${name}.${transition}`
}

/** Undefined for a name that is not of this form, or whose offset is beyond int64. */
export function parseFileName(name: string): FileName | undefined {
  const match = NAME.exec(name)
  if (match === null) return undefined
  const baseOffset = BigInt(match[1] as string)
  if (baseOffset > INT64_MAX) return undefined
  const kind = match[2] as FileKind
  return match[3] === undefined
    ? { baseOffset, kind }
    : { baseOffset, kind, transition: match[3] as Transition }
}
