/**
 * Records of control batches: what kind one is, by its key, and what the
 * markers of transactions hold. Pure; what is in KRaft's own is a dump's affair.
 *
 *   key               int16 version | int16 type
 *   marker's value    int16 version | int32 coordinator epoch
 *
 * Later versions only add fields behind these, so a newer version is read as
 * the known part of it; a negative one is no version.
 */

import { invalidBatch } from './batch.js'

export type ControlType =
  | 'ABORT'
  | 'COMMIT'
  | 'LEADER_CHANGE'
  | 'SNAPSHOT_HEADER'
  | 'SNAPSHOT_FOOTER'
  | 'KRAFT_VERSION'
  | 'KRAFT_VOTERS'
  | 'UNKNOWN'

/** Position in this list = the type's id. */
const TYPES: readonly ControlType[] = [
  'ABORT',
  'COMMIT',
  'LEADER_CHANGE',
  'SNAPSHOT_HEADER',
  'SNAPSHOT_FOOTER',
  'KRAFT_VERSION',
  'KRAFT_VOTERS',
]

export interface ControlKey {
  readonly version: number
  readonly typeId: number
  /** `UNKNOWN` for an id that is not given out yet: such a record is neither commit nor abort. */
  readonly type: ControlType
}

export interface EndTransactionMarker {
  readonly version: number
  /** -1 where there was no coordinator. */
  readonly coordinatorEpoch: number
}

const KEY_BYTES = 4
const MARKER_BYTES = 6

/** The key of a record of a control batch; `ERR_INVALID_BATCH` where it is too short for one or its version negative. */
export function parseControlKey(key: Buffer | null): ControlKey {
  if (key === null || key.length < KEY_BYTES)
    throw invalidBatch(`a control record's key has ${key?.length ?? 0} bytes, fewer than ${KEY_BYTES}`)
  const version = checkedVersion(key.readInt16BE(0))
  const typeId = key.readInt16BE(2)
  return { version, typeId, type: TYPES[typeId] ?? 'UNKNOWN' }
}

/** The value of a record whose type is `COMMIT` or `ABORT`. */
export function parseEndTransactionMarker(value: Buffer | null): EndTransactionMarker {
  if (value === null || value.length < MARKER_BYTES)
    throw invalidBatch(`a transaction marker has ${value?.length ?? 0} bytes, fewer than ${MARKER_BYTES}`)
  return { version: checkedVersion(value.readInt16BE(0)), coordinatorEpoch: value.readInt32BE(2) }
}

function checkedVersion(version: number): number {
  if (version < 0) throw invalidBatch(`a control record has version ${version}`)
  return version
}
