/**
 * Which records of a compacted log a cleaning may drop, worked out from what
 * was appended alone: all but the last of each key, those of aborted
 * transactions, and tombstones that are over their time.
 */
import type { RecordInput } from '../../../lib/format/record.js'
import type { Known, Superseded } from './law.js'

/** The filling of a tombstone's text. */
export const GONE = 'gone'

/** The record of a text: `v12 k3 xxxx`, or `v12 xxxx` without a key. */
export function recordOf(text: string): RecordInput {
  const key = keyOf(text)
  const isTombstone = text.endsWith(` ${GONE}`)
  return {
    ...(key === undefined ? {} : { key }),
    value: isTombstone ? null : text,
    ...(isTombstone ? { headers: [{ key: 'text', value: text }] } : {}),
  }
}

function keyOf(text: string): string | undefined {
  return /^v\d+ (k\w+) /.exec(text)?.[1]
}

/** What may be missing once a cleaning below `end` has begun; tombstones below `tombstonesBelow` too. */
export function supersededBelow(
  { timelines, superseded, aborted = [] }: Known,
  end: number,
  tombstonesBelow: number,
): Record<number, Superseded> {
  const timeline = timelines[0] ?? []
  const last = new Map<string, number>()
  const found: Record<number, Superseded> = {}
  const isAborted = new Set(aborted)
  for (let offset = end - 1; offset >= 0; offset--) {
    const text = timeline[offset]
    const key = text === undefined ? undefined : keyOf(text)
    if (text === undefined || key === undefined) continue
    if (isAborted.has(offset)) {
      found[offset] = { by: null, isGone: false }
      continue
    }
    const by = last.get(key)
    if (by !== undefined) found[offset] = { by, isGone: false }
    else if (text.endsWith(` ${GONE}`) && offset < tombstonesBelow)
      found[offset] = { by: null, isGone: false }
    last.set(key, offset)
  }
  return { ...found, ...superseded }
}

/** A cleaning below `end` has ended: what could go is gone for good. */
export function cleanedBelow({ superseded = {} }: Known, end: number): Record<number, Superseded> {
  return Object.fromEntries(
    Object.entries(superseded).map(([offset, { by, isGone }]) => [
      offset,
      { by, isGone: isGone || (Number(offset) < end && (by === null || by < end)) },
    ]),
  )
}
