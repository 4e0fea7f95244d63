/**
 * What is known of a log at one moment of a scenario, and the law: everything
 * acknowledged as durable is there, once, in order and at its offset, unless a
 * cleaning dropped it in favour of a later record that is there; what follows
 * is a prefix of what was appended; what was deleted for good does not come back.
 */

/** Values by offset, from offset 0 on; undefined where there is no record. */
export type Timeline = readonly (string | undefined)[]

export interface Known {
  /** 'maybe': being made or deleted just now. */
  readonly exists: 'no' | 'maybe' | 'yes'
  /** What the records may be: more than one while a truncation is under way or what follows it is not durable. */
  readonly timelines: readonly Timeline[]
  /** Records below are durable. */
  readonly durableEnd: number
  /** Records below are gone for good. */
  readonly startMin: number
  /** Records from here on have not been deleted; between the two a deletion is under way. */
  readonly startMax: number
  /** Closed, with everything in place: nothing may be missing. */
  readonly isClosed: boolean
  /** Settings that must be there, if any: `retention.ms` by its number. */
  readonly retentionMs?: readonly number[]
  /** The latest leader epoch that must be known, where the log has records. */
  readonly epoch?: number
  /** By offset: records that a cleaning was allowed to drop. */
  readonly superseded?: Readonly<Record<number, Superseded>>
  /** Records of transactions that were aborted. */
  readonly aborted?: readonly number[]
  /** By offset of a producer's last record in a batch: the sequence that it goes on with. */
  readonly sequences?: Readonly<Record<number, number>>
}

/** A record that need not be there. */
export interface Superseded {
  /** The record that has to be there instead, or may itself have been dropped; null for none. */
  readonly by: number | null
  /** It was dropped for good: it must not come back. */
  readonly isGone: boolean
}

export const NOT_THERE: Known = {
  exists: 'no',
  timelines: [[]],
  durableEnd: 0,
  startMin: 0,
  startMax: 0,
  isClosed: false,
}

/** What was found in a log after recovery. */
export interface Found {
  readonly logStartOffset: number
  readonly logEndOffset: number
  readonly records: readonly { readonly offset: number; readonly value: string }[]
}

/** What breaks the law; empty where nothing does. */
export function breaches(known: Known, found: Found): string[] {
  return [
    ...startBreaches(known, found),
    ...orderBreaches(found),
    ...lossBreaches(known, found),
    ...contentBreaches(known, found),
    ...returned(known, found),
  ]
}

/** A start above what was deleted is a loss where that was durable, else a hole. */
function startBreaches({ startMin }: Known, { logStartOffset }: Found): string[] {
  if (logStartOffset >= startMin) return []
  return [`starts at ${logStartOffset}, though records below ${startMin} were deleted`]
}

function orderBreaches({ records, logStartOffset, logEndOffset }: Found): string[] {
  const wrong = records.find(({ offset }, index) => offset <= (records[index - 1]?.offset ?? -1))
  const outside = records.find(({ offset }) => offset < logStartOffset || offset >= logEndOffset)
  return [
    ...(wrong === undefined ? [] : [`offset ${wrong.offset} comes twice or out of order`]),
    ...(outside === undefined
      ? []
      : [`offset ${outside.offset} is outside of ${logStartOffset}..${logEndOffset}`]),
  ]
}

function lossBreaches(known: Known, found: Found): string[] {
  const { logEndOffset } = found
  const wanted = Math.max(known.durableEnd, known.startMin)
  const lost = missing(known, found)
    .filter((offset) => offset < known.durableEnd)
    .map((offset) => `offset ${offset} was durable and is not there`)
  return logEndOffset < wanted ? [`ends at ${logEndOffset}, ${wanted} was durable`, ...lost] : lost
}

/** Offsets that are not there though one above them is, or must be. */
function missing(known: Known, { records, logEndOffset }: Found): number[] {
  const { startMax, durableEnd, timelines } = known
  const there = new Set(records.map(({ offset }) => offset))
  const offsets: number[] = []
  for (let offset = startMax; offset < Math.max(durableEnd, logEndOffset); offset++) {
    if (there.has(offset) || isExcused(known, there, offset)) continue
    if (timelines.some((timeline) => timeline[offset] !== undefined)) offsets.push(offset)
  }
  return offsets
}

/** Dropped in favour of a record that is there, or that was dropped in its turn. */
function isExcused(known: Known, there: ReadonlySet<number>, offset: number): boolean {
  const by = known.superseded?.[offset]?.by
  return by !== undefined && (by === null || there.has(by) || isExcused(known, there, by))
}

function returned({ superseded }: Known, { records }: Found): string[] {
  return records
    .filter(({ offset }) => superseded?.[offset]?.isGone === true)
    .map(({ offset }) => `offset ${offset} was cleaned away, and came back`)
}

/** Offsets that were not durable and are not there, though one above them is. */
export function holes(known: Known, found: Found): number[] {
  return missing(known, found).filter((offset) => offset >= known.durableEnd)
}

function contentBreaches({ timelines }: Known, { records, logEndOffset }: Found): string[] {
  const fits = timelines.some(
    (timeline) =>
      logEndOffset <= timeline.length && records.every(({ offset, value }) => timeline[offset] === value),
  )
  if (fits) return []
  const [timeline = []] = timelines
  const wrong = records.find(({ offset, value }) => timeline[offset] !== value)
  return [
    wrong === undefined
      ? `ends at ${logEndOffset}, behind all that was appended (${timeline.length})`
      : `offset ${wrong.offset} holds ${wrong.value}, not ${timeline[wrong.offset]}`,
  ]
}
