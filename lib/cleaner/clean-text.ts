/** What a cleaner says, close to Kafka's words. Pure. */

import type { CleanJob } from './clean-job.js'

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export function beginText(log: string): string {
  return `Beginning cleaning of log ${log}`
}

export function mapText({ name, segments, firstDirtyOffset, firstUncleanableOffset }: CleanJob): string {
  const first = segments.findLastIndex(({ baseOffset }) => baseOffset <= firstDirtyOffset)
  const dirty = firstDirtyOffset === firstUncleanableOffset ? 0 : segments.length - Math.max(0, first)
  return `Building offset map for log ${name} for ${dirty} segments in offset range [${firstDirtyOffset}, ${firstUncleanableOffset}).`
}

/** The second time is that of tombstones of old formats; those of batches have their own. */
export function copyText({ name, segments, firstDirtyOffset, config }: CleanJob): string {
  const lastClean = segments.filter(({ baseOffset }) => baseOffset < firstDirtyOffset).at(-1)
  const horizonMs = lastClean === undefined ? 0 : lastClean.modifiedMs - config.deleteRetentionMs
  const upTo = segments.at(-1)?.modifiedMs ?? 0
  return `Cleaning log ${name} (cleaning prior to ${dateText(upTo)}, discarding tombstones prior to upper bound deletion horizon ${dateText(horizonMs)})...`
}

/** As Java prints a date, in UTC. */
function dateText(ms: number): string {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) return `${ms} ms`
  const two = (n: number) => String(n).padStart(2, '0')
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':')
  return `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate())} ${time} UTC ${date.getUTCFullYear()}`
}
