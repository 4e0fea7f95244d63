/**
 * The logs of a log directory, a row each; one that cannot be opened is a row
 * with its reason. With `all`, what else lies there under a name of Kafka's, or
 * under none.
 */

import type { CleanupPolicy, ReadOnlyPartitionLog } from '../../index.js'
import type { CommonFlags, Context } from '../context.js'
import { forEachLog } from '../each-log.js'
import { fieldsOf } from '../failure.js'
import { toJson } from '../json.js'
import { renderTable } from '../table.js'
import { hasOwnSettings, holdsLogs, nameOfLog } from '../targets.js'
import { type OtherDirectory, otherDirectories, whatItIs } from './other-directories.js'

interface LogRow {
  readonly name: string
  readonly kind: 'log'
  readonly segments: number
  /** Bytes of records. */
  readonly sizeInBytes: number
  readonly logStartOffset: bigint
  readonly logEndOffset: bigint
  /** Null for a log that somebody else made: what its settings are is not known here. */
  readonly cleanupPolicy: readonly CleanupPolicy[] | null
  /** Cleanable bytes of the clean and cleanable ones, 0 to 1; null for a log that does not compact, or of which that is not known. */
  readonly dirtyRatio: number | null
}

interface ProblemRow {
  readonly name: string
  readonly kind: 'log'
  readonly error: { readonly code: string; readonly message: string }
}

type Row = LogRow | ProblemRow | OtherDirectory

export async function listLogs(
  context: Context,
  path: string,
  flags: CommonFlags & { readonly all?: boolean },
): Promise<void> {
  const rows: Row[] = []
  const others = flags.all === true ? await otherDirectories(path) : []
  if (others.length === 0 || (await holdsLogs(path))) {
    await forEachLog(
      context,
      path,
      flags,
      async (logPath, log) => void rows.push(await rowOf(logPath, log)),
      (logPath, error) => void rows.push({ name: nameOfLog(logPath), kind: 'log', error: fieldsOf(error) }),
    )
  }
  await print(context, [...rows, ...others])
}

async function rowOf(path: string, log: ReadOnlyPartitionLog): Promise<LogRow> {
  const { segments, offsets, config } = log
  const { cleaning } = log.explain()
  return {
    name: nameOfLog(path),
    kind: 'log',
    segments: segments.length,
    sizeInBytes: segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0),
    logStartOffset: offsets.logStartOffset,
    logEndOffset: offsets.logEndOffset,
    cleanupPolicy: (await hasOwnSettings(path)) ? config.cleanupPolicy : null,
    dirtyRatio: cleaning.kind === 'compacts' ? cleaning.dirtyRatio : null,
  }
}

async function print(context: Context, rows: readonly Row[]): Promise<void> {
  if (context.json) {
    for (const row of rows) await context.out.line(toJson(row))
    return
  }
  const left = 'left' as const
  const showsDirty = rows.some((row) => 'dirtyRatio' in row && row.dirtyRatio !== null)
  const columns = [
    { name: 'log', align: left },
    { name: 'segments' },
    { name: 'size' },
    { name: 'start offset' },
    { name: 'end offset' },
    { name: 'policy', align: left },
    ...(showsDirty ? [{ name: 'dirty' }] : []),
    { name: '', align: left },
  ]
  await context.out.line(
    renderTable(
      context,
      columns,
      rows.map((row) => cellsOf(row, showsDirty)),
    ),
  )
}

function cellsOf(row: Row, showsDirty: boolean): string[] {
  const dirty = (text: string) => (showsDirty ? [text] : [])
  if ('error' in row)
    return [row.name, '', '', '', '', '', ...dirty(''), `${row.error.code}: ${row.error.message}`]
  if (row.kind !== 'log') return [row.name, '', '', '', '', '', ...dirty(''), whatItIs(row.kind)]
  return [
    row.name,
    String(row.segments),
    String(row.sizeInBytes),
    String(row.logStartOffset),
    String(row.logEndOffset),
    row.cleanupPolicy?.join(',') ?? '-',
    ...dirty(row.dirtyRatio === null ? '-' : `${Math.round(row.dirtyRatio * 100)} %`),
    '',
  ]
}
