/** What a log gives to whoever reads all of it. */
import type { LogRecord } from '../../../lib/format/record.js'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import type { ReadOptions } from '../../../lib/log/read-options.js'
import type { Found } from './law.js'

export async function foundIn(
  log: Pick<PartitionLog, 'offsets' | 'read'>,
  options: ReadOptions = {},
): Promise<Found> {
  const { logStartOffset, logEndOffset } = log.offsets
  const records: { offset: number; value: string }[] = []
  for await (const record of log.read(options))
    records.push({ offset: Number(record.offset), value: textOf(record) })
  return { logStartOffset: Number(logStartOffset), logEndOffset: Number(logEndOffset), records }
}

/** A tombstone's text is in its header. */
export function textOf({ value, headers }: Pick<LogRecord, 'value' | 'headers'>): string {
  return String(value ?? headers.find(({ key }) => key === 'text')?.value)
}
