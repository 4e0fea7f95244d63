/**
 * `leader-epoch-checkpoint` of a log: which leader epoch began at which
 * offset, `epoch startOffset` a line, both rising.
 */

import { INT32_MAX, INT64_MAX } from '../base/int64.js'
import { badLine, formatVersionedLines, parseVersionedLines } from './versioned-lines.js'

export const LEADER_EPOCH_FILE = 'leader-epoch-checkpoint'

export interface EpochEntry {
  readonly epoch: number
  readonly startOffset: bigint
}

export function parseLeaderEpochs(path: string, text: string): EpochEntry[] {
  const entries = parseVersionedLines(path, text, ([epoch = '', startOffset = '', ...rest]) => {
    if (rest.length > 0 || !/^\d{1,10}$/.test(epoch) || !/^\d{1,19}$/.test(startOffset)) return undefined
    if (Number(epoch) > INT32_MAX || BigInt(startOffset) > INT64_MAX) return undefined
    return { epoch: Number(epoch), startOffset: BigInt(startOffset) }
  })
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1]
    if (before !== undefined && (entry.epoch <= before.epoch || entry.startOffset < before.startOffset)) {
      throw badLine(path, index + 3, 'epochs and their start offsets must rise')
    }
  }
  return entries
}

export function formatLeaderEpochs(entries: readonly EpochEntry[]): string {
  return formatVersionedLines(entries.map(({ epoch, startOffset }) => `${epoch} ${startOffset}`))
}
