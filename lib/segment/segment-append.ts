/**
 * What a segment is given to append.
 */

import { MAGIC_AT } from '../format/layout.js'
import type { BatchFacts } from './index-plan.js'

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
