/**
 * Offset checkpoints of a log directory: `topic partition offset` a line, one
 * for each log (`recovery-point-offset-checkpoint` and its brothers).
 */

import { INT32_MAX } from '../base/int64.js'
import { formatVersionedLines, parseVersionedLines } from './versioned-lines.js'

export const RECOVERY_POINT_FILE = 'recovery-point-offset-checkpoint'
export const LOG_START_FILE = 'log-start-offset-checkpoint'
export const HIGH_WATERMARK_FILE = 'replication-offset-checkpoint'
export const CLEANER_FILE = 'cleaner-offset-checkpoint'

/** Offset by directory name, `topic-partition`. */
export type OffsetCheckpoint = ReadonlyMap<string, bigint>

export function parseOffsetCheckpoint(path: string, text: string): Map<string, bigint> {
  return new Map(
    parseVersionedLines(path, text, ([topic = '', partition = '', offset = '', ...rest]) => {
      if (rest.length > 0 || topic === '' || !/^\d{1,10}$/.test(partition) || !/^-?\d{1,19}$/.test(offset))
        return undefined
      if (Number(partition) > INT32_MAX || BigInt.asIntN(64, BigInt(offset)) !== BigInt(offset))
        return undefined
      return [`${topic}-${Number(partition)}`, BigInt(offset)] as const
    }),
  )
}

export function formatOffsetCheckpoint(offsets: OffsetCheckpoint): string {
  return formatVersionedLines(
    [...offsets].map(([name, offset]) => {
      const dash = name.lastIndexOf('-')
      return `${name.slice(0, dash)} ${name.slice(dash + 1)} ${offset}`
    }),
  )
}
