/**
 * A batch of magic 0 or 1 as a `Batch`: the one entry, with what its magic
 * lacks filled in. The constructor's caller has checked that the whole entry
 * is there. What a compressed entry holds is decompressed once, when first
 * asked for, and its first offset and count are known only then.
 */

import { type Batch, type BatchLimits, type BatchSource, batchError } from './batch.js'
import type { CodecName } from './compression.js'
import * as layout from './layout.js'
import { isLegacyCrcValid, type LegacyBatch, readLegacyBatch } from './legacy.js'
import { legacyRecordsOf, openMessageSet, openMessageSetAsync } from './legacy-records.js'
import type { LogRecord, RecordCursor, TimestampType } from './record.js'
import { ListCursor } from './record-iterator.js'

export class LegacyRecordBatch implements Batch {
  readonly bytes: Buffer
  readonly partitionLeaderEpoch = layout.NO_LEADER_EPOCH
  readonly baseTimestamp = layout.NO_TIMESTAMP
  readonly deleteHorizonMs = null
  readonly producerId = layout.NO_PRODUCER_ID
  readonly producerEpoch = layout.NO_PRODUCER_EPOCH
  readonly baseSequence = layout.NO_SEQUENCE
  readonly lastSequence = layout.NO_SEQUENCE
  readonly isTransactional = false
  readonly isControl = false
  readonly #entry: LegacyBatch
  readonly #limits: BatchLimits
  readonly #source: BatchSource | undefined
  #messageSet: Uint8Array | null | undefined

  /** `bytes` is exactly one whole entry. */
  constructor(bytes: Buffer, limits: BatchLimits, source?: BatchSource) {
    this.bytes = bytes
    this.#limits = limits
    this.#source = source
    this.#entry = readLegacyBatch(bytes, 0, bytes.length)
  }

  get magic(): 0 | 1 {
    return this.#entry.magic
  }

  get sizeInBytes(): number {
    return this.bytes.length
  }

  get baseOffset(): bigint {
    return this.codec === 'none' ? this.lastOffset : this.#opened()[0]!.offset
  }

  get lastOffset(): bigint {
    return this.#entry.offset
  }

  get crc(): number {
    return this.#entry.crc
  }

  get attributes(): number {
    return this.#entry.attributes
  }

  get codec(): CodecName {
    return this.#entry.codec
  }

  get timestampType(): TimestampType {
    return this.#entry.timestampType
  }

  get maxTimestamp(): bigint {
    return this.#entry.maxTimestamp
  }

  get count(): number {
    return this.codec === 'none' ? 1 : this.#opened().length
  }

  isValid(): boolean {
    return isLegacyCrcValid(this.#entry)
  }

  records(): Iterable<LogRecord> {
    return this.#opened()
  }

  cursor(): RecordCursor {
    return new ListCursor(this.#opened())
  }

  async load(): Promise<void> {
    if (this.#messageSet !== undefined) return
    try {
      this.#messageSet = await openMessageSetAsync(this.#entry, this.#limits)
    } catch (error) {
      throw batchError(error, this.#source)
    }
  }

  #opened(): LogRecord[] {
    try {
      if (this.#messageSet === undefined) this.#messageSet = openMessageSet(this.#entry, this.#limits)
      return legacyRecordsOf(this.#entry, this.#messageSet)
    } catch (error) {
      throw batchError(error, this.#source)
    }
  }
}
