/**
 * What a segment is given to append, and its way into the files.
 */

import { MAGIC_AT } from '../format/layout.js'
import type { FlushMarks } from './flush-marks.js'
import { type BatchFacts, type IndexState, planIndexEntries, stateWithoutEntry } from './index-plan.js'
import type { SegmentHandles } from './segment-files.js'

/** Whole batches, `bytes[0, length)`, with the facts that the indexes need; `seal`: one whose checksum is still to be set. */
export interface SegmentAppend {
  readonly bytes: Uint8Array
  readonly length: number
  /** Of the first batch, where its place is worth to be remembered. */
  readonly firstOffset?: bigint
  readonly facts: readonly BatchFacts[]
  readonly seal: boolean
}

/** One batch of today's format, as every append of a leader. */
export function isOneBatch({ bytes, facts }: SegmentAppend): boolean {
  return facts.length === 1 && bytes[MAGIC_AT] === 2
}

export function lastOffsetOf({ facts }: Pick<SegmentAppend, 'facts'>): bigint {
  return (facts[facts.length - 1] as BatchFacts).lastOffset
}

/** What is told of a segment that is appended to. */
export interface AppendTarget {
  readonly baseOffset: bigint
  readonly indexIntervalBytes: number
  readonly marks: FlushMarks
}

/** Writes the batches with the index entries that come due; all or nothing. Gives the state of the indexes after it. */
export function appendTo(
  files: SegmentHandles,
  batches: SegmentAppend,
  before: IndexState,
  target: AppendTarget,
): IndexState {
  const { facts } = batches
  const after =
    facts.length === 1
      ? stateWithoutEntry(before, facts[0] as BatchFacts, target.indexIntervalBytes)
      : undefined
  if (after === undefined) return appendWithEntries(files, batches, before, target)
  files.log.append(batches, files.offsetIndex, files.timeIndex)
  target.marks.logChanged()
  return after
}

function appendWithEntries(
  { log, offsetIndex, timeIndex }: SegmentHandles,
  { bytes, length, facts, seal }: SegmentAppend,
  before: IndexState,
  { baseOffset, indexIntervalBytes, marks }: AppendTarget,
): IndexState {
  const { state, ...entries } = planIndexEntries(before, facts, {
    baseOffset,
    indexIntervalBytes,
    position: log.sizeInBytes,
    offsetRoom: offsetIndex.capacity - offsetIndex.entries,
    timeRoom: timeIndex.capacity - 1 - timeIndex.entries,
  })
  log.append({ bytes, length, seal, ...entries }, offsetIndex, timeIndex)
  marks.logChanged()
  if (entries.offsetEntries) marks.changed('offsetIndex')
  if (entries.timeEntries) marks.changed('timeIndex')
  return state
}
