/**
 * What a file is, by its name, as kafka-dump-log tells it: the suffix is the
 * kind, what is before the first dot the base offset.
 */

import { basename, dirname, join } from 'node:path'
import { INT64_MAX } from '../../base/int64.js'
import { LEADER_EPOCH_FILE } from '../../checkpoint/leader-epoch-checkpoint.js'
import { PARTITION_METADATA_FILE } from '../../checkpoint/partition-metadata.js'
import type { FileKind } from '../../segment/names.js'
import { UsageError } from '../failure.js'

export interface NamedFile {
  readonly path: string
  readonly baseOffset: bigint
  /** The file of another kind that belongs to the same segment. */
  sibling(kind: FileKind): string
}

export type NamedKind =
  | FileKind
  | 'metadata-snapshot'
  | 'bootstrap-snapshot'
  | 'leader-epochs'
  | 'partition-metadata'
  | 'offsets'

const SEGMENT_FILE = /\.(log|index|timeindex|txnindex|snapshot)(?:\.(?:deleted|cleaned|swap))?$/
const METADATA_SNAPSHOT = /^\d{20}-\d{10}\.checkpoint$/
const BOOTSTRAP_SNAPSHOT = 'bootstrap.checkpoint'
const OFFSET_CHECKPOINT = /^[a-z-]+-(?:offset|point)-checkpoint$/

/** Undefined for a file that is none of those that can be dumped. */
export function kindOf(path: string): NamedKind | undefined {
  const name = basename(path)
  const match = SEGMENT_FILE.exec(name)
  if (match !== null) return match[1] as FileKind
  if (METADATA_SNAPSHOT.test(name)) return 'metadata-snapshot'
  if (name === BOOTSTRAP_SNAPSHOT) return 'bootstrap-snapshot'
  if (name === LEADER_EPOCH_FILE) return 'leader-epochs'
  if (name === PARTITION_METADATA_FILE) return 'partition-metadata'
  return OFFSET_CHECKPOINT.test(name) ? 'offsets' : undefined
}

/** Takes the base offset from the name of a segment's file; a name without one is wrong usage. */
export function namedFile(path: string): NamedFile {
  const name = basename(path)
  const digits = name.slice(0, name.indexOf('.'))
  if (!/^\d+$/.test(digits) || BigInt(digits) > INT64_MAX)
    throw new UsageError(`${path}: a segment's file is named by its base offset, and "${digits}" is none`)
  const renamed = /\.(?:deleted|cleaned|swap)$/.exec(name)?.[0] ?? ''
  return {
    path,
    baseOffset: BigInt(digits),
    sibling: (kind) => join(dirname(path), `${digits}.${kind}${renamed}`),
  }
}

/** A path as Java's `File` has it, which is what kafka-dump-log prints: no slash twice, and none at the end. */
export function javaPath(path: string): string {
  return process.platform === 'win32' ? path : path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
}
