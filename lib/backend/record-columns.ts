/**
 * The memory of `RecordColumns`, the same for both backends: one ArrayBuffer,
 * so that native code needs nothing else to find every column. Its layout is
 * in native/core/record_columns.h too: the largest delta, two columns of
 * int64, five of int32, two of bytes, each `capacity` long.
 */

import { toInteger } from '../base/int64.js'
import { wrongType } from '../errors.js'
import { withMemory } from './no-memory.js'
import type { RecordColumns } from './record-kernel.js'

const MOST_ROWS = 2 ** 24
const BYTES_BEFORE = 8
const WIDE_COLUMNS = 2
const NARROW_COLUMNS = 5
const BYTE_COLUMNS = 2
const BYTES_A_ROW = 8 * WIDE_COLUMNS + 4 * NARROW_COLUMNS + BYTE_COLUMNS

export class ColumnMemory implements RecordColumns {
  readonly capacity: number
  /** What all columns are views of. */
  readonly memory: ArrayBuffer
  readonly largestTimestampDelta: BigInt64Array
  readonly offsets: BigInt64Array
  readonly timestampDeltas: BigInt64Array
  readonly positions: Int32Array
  readonly ends: Int32Array
  readonly keyPositions: Int32Array
  readonly keySizes: Int32Array
  readonly valueSizes: Int32Array
  readonly superseded: Uint8Array
  readonly keep: Uint8Array

  /** `capacity` rows of zeros; RangeError outside of 1 to 2^24. */
  constructor(capacity: number) {
    const rows = toInteger('capacity', capacity, 1, MOST_ROWS)
    const sizeInBytes = BYTES_BEFORE + rows * BYTES_A_ROW
    const memory = withMemory('columns', sizeInBytes, () => new ArrayBuffer(sizeInBytes))
    const narrowAt = BYTES_BEFORE + 8 * WIDE_COLUMNS * rows
    const bytesAt = narrowAt + 4 * NARROW_COLUMNS * rows
    const wide = (n: number) => new BigInt64Array(memory, BYTES_BEFORE + 8 * n * rows, rows)
    const narrow = (n: number) => new Int32Array(memory, narrowAt + 4 * n * rows, rows)
    this.capacity = rows
    this.memory = memory
    this.largestTimestampDelta = new BigInt64Array(memory, 0, 1)
    this.offsets = wide(0)
    this.timestampDeltas = wide(1)
    this.positions = narrow(0)
    this.ends = narrow(1)
    this.keyPositions = narrow(2)
    this.keySizes = narrow(3)
    this.valueSizes = narrow(4)
    this.superseded = new Uint8Array(memory, bytesAt, rows)
    this.keep = new Uint8Array(memory, bytesAt + rows, rows)
  }
}

/** Columns that a backend of ours made (either can use them); else a TypeError. */
export function asColumns(columns: unknown): ColumnMemory {
  if (columns instanceof ColumnMemory) return columns
  throw wrongType('columns', 'what records.columns() gave', columns)
}
