/** Which differences of an answer are the meant ones: conditions on what was asked and what was answered. */
import type { LogState, Outcome } from './contender.js'
import { faultsOf } from './faults.js'
import type { Operation, Settings } from './operation.js'
import { logConfigOf } from './split-settings.js'

export interface Context {
  readonly operation: Operation
  readonly kafka: Outcome
  readonly ours: Outcome
  readonly settings: Settings
  readonly nowMs: number
}

/** A record by its time. */
interface Found {
  readonly offset: string
  readonly timestamp: string
}

interface Appended {
  readonly baseOffset: string
  readonly lastOffset: string
}

/** Both refuse the batch, each for something that really is wrong with it. */
export function isOneOfSeveralFaults({ operation, kafka, ours, settings, nowMs }: Context): boolean {
  if (operation.op !== 'append' && operation.op !== 'leader') return false
  if (kafka.refused === undefined || ours.refused === undefined) return false
  const faults = faultsOf(operation, logConfigOf(settings), nowMs)
  return faults.has(kafka.refused.code) && faults.has(ours.refused.code)
}

/** Kafka finds nothing in the segment it chose and asks no other; ours lies behind that one. */
export function stopsInFirstSegment({ operation, kafka, ours }: Context): boolean {
  if (operation.op !== 'time' || kafka.result !== null || !isFound(ours.result)) return false
  const { segments } = ours.state
  const chosen = segments.findIndex(({ largestTimestamp }) =>
    mayBeChosen(largestTimestamp, operation.timestamp),
  )
  const next = segments[chosen + 1]
  return chosen >= 0 && next !== undefined && BigInt(ours.result.offset) >= BigInt(next.baseOffset)
}

/** A segment without times has its file's time in Kafka. */
function mayBeChosen(largestTimestamp: string, target: string): boolean {
  return largestTimestamp === '-1' || BigInt(largestTimestamp) >= BigInt(target)
}

/** Kafka looks at all that is in the files: its answer lies below the start, or nothing is left of it at the high watermark. */
export function isNotForReaders({ operation, kafka, ours }: Context): boolean {
  if (operation.op !== 'maxTime') return false
  if (kafka.result === null) return isFound(ours.result) && hasUnreadable(ours.state)
  if (!isFound(kafka.result) || BigInt(kafka.result.offset) >= BigInt(ours.state.logStartOffset)) return false
  return (
    ours.result === null ||
    (isFound(ours.result) && BigInt(ours.result.timestamp) <= BigInt(kafka.result.timestamp))
  )
}

/** Kafka's answer is a record with the time -1, which means none. */
export function answeredTime({ operation, kafka, ours }: Context): boolean {
  return (
    operation.op === 'maxTime' &&
    isFound(kafka.result) &&
    kafka.result.timestamp === '-1' &&
    ours.result === null
  )
}

/** Kafka leaves out what only an opened batch would tell. */
export function hasNoFirstOffset({ operation, kafka, ours }: Context): boolean {
  if (operation.op !== 'follower' || kafka.result === undefined || kafka.result === null) return false
  const { baseOffset, lastOffset } = kafka.result as Appended
  return baseOffset === '-1' && lastOffset === (ours.result as Appended | null | undefined)?.lastOffset
}

function hasUnreadable({ highWatermark, logEndOffset }: LogState): boolean {
  return BigInt(highWatermark) < BigInt(logEndOffset)
}

function isFound(result: unknown): result is Found {
  return typeof result === 'object' && result !== null && 'timestamp' in result
}
