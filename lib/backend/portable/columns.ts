/**
 * Collects batch headers as columns. Rows grow by doubling, so that a scan of
 * few batches stays small whatever its limit.
 */

import * as layout from '../../format/layout.js'
import type { BatchColumns, BatchPlace } from '../contract.js'

const FIRST_ROWS = 128

type Columns = { -readonly [Name in Exclude<keyof BatchColumns, 'count'>]: BatchColumns[Name] }

export class ColumnBuilder {
  #rows: number
  #count = 0
  #columns: Columns

  constructor(maxBatches: number) {
    this.#rows = Math.min(FIRST_ROWS, maxBatches)
    this.#columns = emptyColumns(this.#rows)
  }

  get count(): number {
    return this.#count
  }

  /** Adds the batch whose header lies at `at`. */
  add(batch: BatchPlace, bytes: Buffer, at: number): void {
    if (this.#count === this.#rows) this.#grow()
    const row = this.#count++
    const columns = this.#columns
    columns.positions[row] = batch.position
    columns.sizes[row] = batch.sizeInBytes
    columns.magics[row] = batch.magic
    columns.baseOffsets[row] = batch.baseOffset
    columns.lastOffsets[row] = batch.lastOffset
    columns.maxTimestamps[row] = maxTimestampOf(batch, bytes, at)
    if (batch.magic === 2) fillCurrent(columns, row, bytes, at)
    else fillLegacy(columns, row, bytes, at)
  }

  columns(): BatchColumns {
    return { count: this.#count, ...this.#columns }
  }

  #grow(): void {
    this.#rows *= 2
    const larger = emptyColumns(this.#rows)
    for (const name of Object.keys(larger) as (keyof Columns)[]) {
      ;(larger[name] as Int32Array).set(this.#columns[name] as Int32Array)
    }
    this.#columns = larger
  }
}

/** A header's largest timestamp; magic 0 has none (-1). */
export function maxTimestampOf(batch: BatchPlace, bytes: Buffer, at: number): bigint {
  if (batch.magic === 2) return bytes.readBigInt64BE(at + layout.MAX_TIMESTAMP_AT)
  return batch.magic === 1 ? bytes.readBigInt64BE(at + layout.LEGACY_TIMESTAMP_AT) : layout.NO_TIMESTAMP
}

function fillCurrent(columns: Columns, row: number, bytes: Buffer, at: number): void {
  columns.leaderEpochs[row] = bytes.readInt32BE(at + layout.LEADER_EPOCH_AT)
  columns.crcs[row] = bytes.readUInt32BE(at + layout.CRC_AT)
  columns.attributes[row] = bytes.readInt16BE(at + layout.ATTRIBUTES_AT)
  columns.baseTimestamps[row] = bytes.readBigInt64BE(at + layout.BASE_TIMESTAMP_AT)
  columns.producerIds[row] = bytes.readBigInt64BE(at + layout.PRODUCER_ID_AT)
  columns.producerEpochs[row] = bytes.readInt16BE(at + layout.PRODUCER_EPOCH_AT)
  columns.baseSequences[row] = bytes.readInt32BE(at + layout.BASE_SEQUENCE_AT)
  columns.counts[row] = bytes.readInt32BE(at + layout.RECORD_COUNT_AT)
}

function fillLegacy(columns: Columns, row: number, bytes: Buffer, at: number): void {
  columns.leaderEpochs[row] = layout.NO_LEADER_EPOCH
  columns.crcs[row] = bytes.readUInt32BE(at + layout.LEGACY_CRC_AT)
  columns.attributes[row] = bytes.readInt8(at + layout.LEGACY_ATTRIBUTES_AT)
  columns.baseTimestamps[row] = columns.maxTimestamps[row] as bigint
  columns.producerIds[row] = layout.NO_PRODUCER_ID
  columns.producerEpochs[row] = layout.NO_PRODUCER_EPOCH
  columns.baseSequences[row] = layout.NO_SEQUENCE
  columns.counts[row] = 1
}

function emptyColumns(rows: number): Columns {
  return {
    positions: new Int32Array(rows),
    sizes: new Int32Array(rows),
    magics: new Int32Array(rows),
    attributes: new Int32Array(rows),
    leaderEpochs: new Int32Array(rows),
    crcs: new Uint32Array(rows),
    counts: new Int32Array(rows),
    producerEpochs: new Int32Array(rows),
    baseSequences: new Int32Array(rows),
    baseOffsets: new BigInt64Array(rows),
    lastOffsets: new BigInt64Array(rows),
    baseTimestamps: new BigInt64Array(rows),
    maxTimestamps: new BigInt64Array(rows),
    producerIds: new BigInt64Array(rows),
  }
}
