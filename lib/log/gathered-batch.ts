/**
 * Sends that become one batch: each is encoded when it is gathered, so that a
 * record that no batch could hold is refused alone, and the batch is ready when
 * it is to go.
 */

import type { LogConfig } from '../config/settings.js'
import { wrongType } from '../errors.js'
import { BatchEncoder, copyOfRecords, type EncodedRecords } from '../format/batch-encoder.js'
import { RECORDS_AT } from '../format/layout.js'
import type { RecordInput } from '../format/record.js'
import { checkKey, checkSize, checkTimestamp } from './append-check.js'

/** Who waits for a record. */
export interface Sender {
  resolve(sent: { offset: bigint }): void
  reject(error: unknown): void
}

/** Who waits, in the records' order, and the bytes of the records uncompressed. */
export interface Senders {
  readonly senders: readonly Sender[]
  readonly recordBytes: number
}

export interface GatheringLimits {
  readonly config: LogConfig
  /** Of a batch with its header; a single record may be larger. */
  readonly batchBytes: number
  /** Whether batches go as they are gathered, and a record that is larger than one may be is refused. */
  readonly isPlain: boolean
}

export class GatheredBatch {
  readonly #encoder = new BatchEncoder()
  #senders: Sender[] = []

  constructor() {
    this.#encoder.begin()
  }

  get isEmpty(): boolean {
    return this.#senders.length === 0
  }

  /** Bytes of the batch, uncompressed, with its header. */
  get sizeInBytes(): number {
    return this.#encoder.length
  }

  /**
   * Takes a record in. `full`: it has to go with the next batch; `no-room`: the records would take more than
   * `roomBytes`. Throws where no batch could hold it.
   */
  add(
    record: RecordInput,
    sender: Sender,
    limits: GatheringLimits,
    roomBytes: number,
    nowMs: number,
  ): 'taken' | 'full' | 'no-room' {
    const encoder = this.#encoder
    if (typeof record !== 'object' || record === null) throw wrongType('record', 'an object', record)
    encoder.add(record, nowMs)
    const refusal = refusalOf(encoder, limits, roomBytes)
    if (refusal !== undefined) {
      encoder.undo()
      return refusal
    }
    try {
      checkKey(record, 0, limits.config)
      checkTimestamp(encoder.lastTimestamp, nowMs, limits.config)
      // Behind others it is within the batch's own limit, which is none of the log's.
      if (limits.isPlain && encoder.count === 1) checkSize(encoder.length, limits.config)
    } catch (error) {
      encoder.undo()
      throw error
    }
    this.#senders.push(sender)
    return 'taken'
  }

  /** The batch, and who waits for it; the next one begins. The bytes are valid until then; with `own` for good. */
  take(own: boolean): Senders & { readonly records: EncodedRecords } {
    const records = this.#encoder.encoded()
    const taken = {
      senders: this.#senders,
      recordBytes: records.length - RECORDS_AT,
      records: own ? copyOfRecords(records) : records,
    }
    this.#senders = []
    this.#encoder.begin()
    return taken
  }
}

/** What speaks against the last record of a batch. */
function refusalOf(
  { count, length }: BatchEncoder,
  { batchBytes }: GatheringLimits,
  roomBytes: number,
): 'full' | 'no-room' | undefined {
  if (count > 1 && length > batchBytes) return 'full'
  return length - RECORDS_AT > roomBytes ? 'no-room' : undefined
}
