/**
 * What a log that is only read knows of its files, and what another look at
 * them means. Pure: names, lengths, times and identities, no file is opened.
 */

import type { FileLook } from '../../backend/contract.js'
import type { StoredSegment } from '../directory-plan.js'
import type { SegmentTail } from '../tail.js'

export interface SeenFiles {
  /** The log's directory, from before it was listed. */
  readonly directory: FileLook
  /** When that was, ms since the epoch. */
  readonly seenMs: number
  /** Segments, by rising base offset; those of the log's state, one for one. */
  readonly stored: readonly StoredSegment[]
  /** Of the last of them. */
  readonly tail: SegmentTail
  /** Which opening of that one's files the tail was read from. */
  readonly openings: number
}

/** File systems tell times in ticks of up to two seconds: a change within the tick that was seen leaves no trace. */
const TICK_MS = 2_000

/** Whether a change since `seenMs` would show in the time of the file. */
export function isSettled({ modifiedMs }: Pick<FileLook, 'modifiedMs'>, seenMs: number): boolean {
  return seenMs - modifiedMs > TICK_MS
}

/** Whether no name in a directory has changed, as far as its time can tell. */
export function isSameDirectory(before: FileLook, now: FileLook | undefined): boolean {
  return before.identity === now?.identity && before.modifiedMs === now.modifiedMs
}

/** The segments go on as they were known. */
export interface Growth {
  /** So many of the first known ones are gone. */
  readonly dropped: number
  /** The last known one may hold more. */
  readonly hasGrown: boolean
  /** Those behind it. */
  readonly added: readonly StoredSegment[]
}

/** `anew` where bytes that were known may be gone or replaced: a cut, a swap, other files. `found` is not empty. */
export function planLook(
  { stored, tail, seenMs }: SeenFiles,
  found: readonly StoredSegment[],
): Growth | 'anew' {
  const dropped = stored.findIndex(({ baseOffset }) => baseOffset === found[0]?.baseOffset)
  if (dropped < 0) return 'anew'
  const kept = stored.slice(dropped)
  const active = kept.at(-1) as StoredSegment
  const activeNow = found[kept.length - 1]
  const areSealedSame = kept.slice(0, -1).every((known, index) => isSameFile(known, found[index]))
  if (!areSealedSame || activeNow === undefined || !goesOn(active, activeNow, tail)) return 'anew'
  return {
    dropped,
    hasGrown: !isSameFile(active, activeNow) || !isSettled(active, seenMs),
    added: found.slice(kept.length),
  }
}

function isSameFile(known: StoredSegment, now: StoredSegment | undefined): boolean {
  return (
    known.baseOffset === now?.baseOffset &&
    known.identity === now.identity &&
    known.sizeInBytes === now.sizeInBytes &&
    known.modifiedMs === now.modifiedMs
  )
}

/** What lay behind the last whole batch may have been cut. */
function goesOn(known: StoredSegment, now: StoredSegment, { endPosition }: SegmentTail): boolean {
  return (
    known.baseOffset === now.baseOffset && known.identity === now.identity && now.sizeInBytes >= endPosition
  )
}

/** Whether two listings show the same segments; what is written to them meanwhile makes no difference. */
export function areSameSegments(one: readonly StoredSegment[], other: readonly StoredSegment[]): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ baseOffset, identity }, index) =>
        baseOffset === other[index]?.baseOffset && identity === other[index]?.identity,
    )
  )
}
