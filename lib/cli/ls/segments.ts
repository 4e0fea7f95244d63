/**
 * The segments of one log, a row each.
 */

import type { ReadOnlyPartitionLog, SegmentSummary } from '../../index.js'
import type { Context } from '../context.js'
import { toJson } from '../json.js'
import { renderTable, showTime } from '../table.js'

interface Row extends SegmentSummary {
  /** First offset in it that can be read; null where all of it lies below the log start offset. */
  readonly startOffset: bigint | null
  /** Whether all of it lies in the section that was cleaned; null for a log that does not compact, or of which that is not known. */
  readonly clean: boolean | null
}

export async function listSegments(context: Context, log: ReadOnlyPartitionLog): Promise<void> {
  const { logStartOffset } = log.offsets
  const { cleaning } = log.explain()
  const rows = log.segments.map((segment) => ({
    ...segment,
    startOffset: startIn(segment, logStartOffset),
    clean: cleaning.kind === 'compacts' ? segment.nextOffset <= cleaning.firstDirtyOffset : null,
  }))
  if (context.json) {
    for (const row of rows) await context.out.line(toJson(row))
    return
  }
  const columns = [
    { name: 'base offset' },
    { name: 'next offset' },
    { name: 'size' },
    { name: 'index entries' },
    { name: 'time index entries' },
    { name: 'last timestamp' },
    { name: 'start offset' },
    ...(cleaning.kind === 'compacts' ? [{ name: 'cleaned', align: 'left' as const }] : []),
    { name: '', align: 'left' as const },
  ]
  await context.out.line(renderTable(context, columns, rows.map(cellsOf)))
}

/** The log start offset is in the active segment even where that is empty. */
function startIn({ baseOffset, nextOffset, active }: SegmentSummary, logStartOffset: bigint): bigint | null {
  if (logStartOffset <= baseOffset) return baseOffset
  return logStartOffset < nextOffset || active ? logStartOffset : null
}

function cellsOf(row: Row): string[] {
  return [
    String(row.baseOffset),
    String(row.nextOffset),
    String(row.sizeInBytes),
    String(row.offsetIndexEntries),
    String(row.timeIndexEntries),
    showTime(row.maxTimestamp),
    row.startOffset === null ? '-' : String(row.startOffset),
    ...(row.clean === null ? [] : [row.clean ? 'clean' : 'dirty']),
    row.active ? 'active' : '',
  ]
}
