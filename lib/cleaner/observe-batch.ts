/**
 * Tells a transaction filter of the batches of a chunk.
 */

import { batchError } from '../format/batch.js'
import { type ControlType, parseControlKey } from '../format/control-record.js'
import * as layout from '../format/layout.js'
import { RecordBatch } from '../format/record-batch.js'
import type { BatchChunks } from './batch-chunks.js'
import type { TransactionFilter } from './transaction-filter.js'

/** Whether batch `index` is one of magic 2 with the attribute `bit`. */
export function hasAttribute({ bytes, starts }: BatchChunks, index: number, bit: number): boolean {
  const start = starts[index] as number
  // All bits that are asked for are in the low byte.
  return (
    bytes[start + layout.MAGIC_AT] === 2 && ((bytes[start + layout.ATTRIBUTES_AT + 1] as number) & bit) !== 0
  )
}

/**
 * Whether batch `index`, which comes behind all that the filter has seen,
 * belongs to an aborted transaction, or is a marker that nothing needs.
 */
export function observeBatch(
  filter: TransactionFilter,
  chunks: BatchChunks,
  index: number,
  maxDecompressedBytes: number,
): boolean {
  const isControl = hasAttribute(chunks, index, layout.CONTROL_BIT)
  if (!isControl && !hasAttribute(chunks, index, layout.TRANSACTIONAL_BIT)) return false
  const start = chunks.starts[index] as number
  const producerId = chunks.bytes.readBigInt64BE(start + layout.PRODUCER_ID_AT)
  const lastOffset = chunks.lastOffsetOf(index)
  if (!isControl) return filter.onBatch(producerId, lastOffset)
  return filter.onControlBatch(producerId, lastOffset, controlType(chunks, index, maxDecompressedBytes))
}

/** Undefined where a batch has no record left. */
function controlType(
  chunks: BatchChunks,
  index: number,
  maxDecompressedBytes: number,
): ControlType | undefined {
  const { bytes, starts, sizes, path } = chunks
  const start = starts[index] as number
  const source = { path, position: chunks.positionOf(index) }
  const batch = new RecordBatch(
    bytes.subarray(start, start + (sizes[index] as number)),
    { maxDecompressedBytes },
    source,
  )
  try {
    const [first] = batch.records()
    return first && parseControlKey(first.key).type
  } catch (error) {
    throw batchError(error, source)
  }
}
