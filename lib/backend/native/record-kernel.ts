/**
 * Records of the native backend: one crossing a call. Columns hand native code
 * the memory that they are views of; nothing is held there between calls.
 */

import { badRow, checkCopy, checkParse } from '../record-arguments.js'
import { ColumnMemory } from '../record-columns.js'
import type { RecordColumns, RecordKernel, RecordRegion, RowRange, TimestampMove } from '../record-kernel.js'
import type { NativeAddon } from './addon.js'
import { type Answers, At } from './answers.js'
import { NativeOffsetMap } from './offset-map.js'

export function nativeRecords(addon: NativeAddon, answers: Answers): RecordKernel {
  function parse(records: RecordRegion, given: RecordColumns, row: number): number {
    const { memory } = checkParse(records, given, row)
    const { bytes, start, end, count, baseOffset } = records
    addon.record_parse(bytes, start, end, count, baseOffset, memory, row)
    return answers.number(At.position)
  }

  function copy(
    bytes: Uint8Array,
    given: RecordColumns,
    rows: RowRange,
    timestamps: TimestampMove,
    out: Uint8Array,
    outPosition: number,
  ): number {
    const { memory } = checkCopy(bytes, given, rows, timestamps, out, outPosition)
    const isShift = 'shift' in timestamps
    const amount = isShift ? timestamps.shift : timestamps.delta
    addon.record_copy(bytes, memory, rows.from, rows.count, isShift, amount, out, outPosition)
    const bad = answers.number(At.badRow)
    if (bad >= 0) throw badRow(bad)
    return answers.number(At.position)
  }

  return {
    columns: (capacity) => new ColumnMemory(capacity),
    parse,
    copy,
    openOffsetMap: (options) => new NativeOffsetMap(addon, answers, options),
  }
}
