/**
 * Times and settings as an explanation writes them.
 */

import { showTime } from '../table.js'

/** A time as an ISO date; with `nowMs`, how far that is from there. */
export function moment(ms: number, nowMs?: number): string {
  const date = showTime(BigInt(Math.floor(ms)))
  if (nowMs === undefined) return date
  return `${date} (${ms >= nowMs ? `in ${span(ms - nowMs)}` : `${span(nowMs - ms)} ago`})`
}

const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const

/** A length of time in the largest unit of which there are two or more. */
export function span(ms: number): string {
  const unit = UNITS.find((candidate) => ms >= 2 * candidate.ms)
  return unit === undefined ? `${ms} ms` : `${Number((ms / unit.ms).toFixed(1))} ${unit.name}`
}

/** As it stands in a file; a number without end is Kafka's largest. */
export function settingText(name: string, value: string | number): string {
  return `${name}=${value === Number.POSITIVE_INFINITY ? '9223372036854775807' : value}`
}
