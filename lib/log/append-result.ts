/**
 * What `append` and `appendBatches` give back.
 */

import type { Rejection } from './append-batches.js'

export interface AppendResult {
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  /** The producer had appended this batch before; its offsets then are given. */
  readonly duplicate: boolean
  /** Resolves when the batch is on disk; appends in flight share one fsync. */
  readonly durable: () => Promise<void>
  /** Offsets as decimal text. */
  toJSON(): object
}

export interface AppendBatchesResult extends AppendResult {
  /** Bytes that were taken. */
  readonly appendedBytes: number
  readonly rejected: Rejection | null
}

export class AppendReceipt implements AppendResult {
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  readonly duplicate: boolean
  readonly durable: () => Promise<void>

  constructor(
    { baseOffset, lastOffset, duplicate }: Omit<AppendResult, 'durable' | 'toJSON'>,
    durable: () => Promise<void>,
  ) {
    this.baseOffset = baseOffset
    this.lastOffset = lastOffset
    this.duplicate = duplicate
    this.durable = durable
  }

  toJSON(): object {
    const { baseOffset, lastOffset, ...rest } = this
    return { baseOffset: baseOffset.toString(), lastOffset: lastOffset.toString(), ...rest }
  }
}
