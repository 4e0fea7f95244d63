/** What a log gives to whoever reads all of it. */
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import type { Found } from './law.js'

export async function foundIn(log: PartitionLog): Promise<Found> {
  const { logStartOffset, logEndOffset } = log.offsets
  const records: { offset: number; value: string }[] = []
  for await (const { offset, value } of log.read())
    records.push({ offset: Number(offset), value: String(value) })
  return { logStartOffset: Number(logStartOffset), logEndOffset: Number(logEndOffset), records }
}
