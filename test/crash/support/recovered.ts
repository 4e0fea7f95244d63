/**
 * Opens what a power failure left, with the real `openLog` or
 * `openLogManager`, and says what breaks the law. The work of the recovery is
 * traced too, so that it can be stopped in its turn.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import { openLogOn } from '../../../lib/manager/open-log.js'
import { openLogManagerOn } from '../../../lib/manager/open-log-manager.js'
import { memoryDir, removeDir } from '../../support/temp-dir.js'
import { DrivenLog, PRODUCER } from './driven-log.js'
import { foundIn, textOf } from './found.js'
import { type Image, lay } from './images.js'
import { breaches, type Found, holes, type Known } from './law.js'
import { type AllKnown, LOG, type Scenario, SMALL_SEGMENTS } from './stage.js'
import { type Step, TracingMachine } from './tracing-machine.js'

export interface Recovery {
  /** What breaks the law, log by log. */
  readonly breaches: readonly string[]
  /** Logs with a hole above what was durable: see docs/crash-safety.md, roll. */
  readonly holed: number
  /** The recovery's own trace, and that of an append, a flush and a close after it. */
  readonly steps: readonly Step<AllKnown>[]
}

/** A log that is cleaned again takes as long as three that are not. */
const CLEANED_AGAIN = 6
let recoveries = 0

export async function recover(image: Image, known: AllKnown, opens: Scenario['opens']): Promise<Recovery> {
  const root = memoryDir()
  lay(image, root)
  const logs: Record<string, DrivenLog> = Object.fromEntries(
    Object.entries(known).map(([name, of]) => [name, new DrivenLog(of)]),
  )
  const machine = new TracingMachine<AllKnown>(root, () =>
    Object.fromEntries(Object.entries(logs).map(([name, log]) => [name, log.known])),
  )
  const broken: string[] = []
  let holed = 0
  let steps: Recovery['steps'] = []
  try {
    const opened =
      opens === 'log' ? await openOne(machine, root, known) : await openAll(machine, root, known, broken)
    try {
      for (const [name, log] of opened.logs) {
        const of = known[name] as Known
        const found = await foundIn(log)
        if (holes(of, found).length > 0) holed++
        broken.push(
          ...[
            ...breaches(of, found),
            ...otherBreaches(of, log),
            ...(await lookupBreaches(of, log, found)),
            ...(await committedBreaches(of, log, found)),
            ...producerBreaches(of, log),
          ].map((text) => `${name}: ${text}`),
        )
        if (broken.length === 0)
          broken.push(
            ...(await goOn(log, of, found, (driven) => {
              logs[name] = driven
            })),
          )
      }
    } finally {
      await opened.close()
    }
  } catch (error) {
    broken.push(
      `refused: ${error instanceof Error ? `${(error as { code?: string }).code ?? error.stack} ${error.message}` : String(error)}`,
    )
  } finally {
    steps = machine.ended()
    removeDir(root)
  }
  return { breaches: broken, holed, steps }
}

interface Opened {
  readonly logs: readonly (readonly [name: string, log: PartitionLog])[]
  close(): Promise<void>
}

async function openOne(machine: TracingMachine<AllKnown>, root: string, known: AllKnown): Promise<Opened> {
  // Its settings have to come from the disk once the log was made.
  const options = known[LOG]?.exists === 'yes' ? {} : { config: SMALL_SEGMENTS }
  const log = await openLogOn(machine, join(root, 'data', LOG), options)
  return { logs: [[LOG, log]], close: () => log.close() }
}

async function openAll(
  machine: TracingMachine<AllKnown>,
  root: string,
  known: AllKnown,
  broken: string[],
): Promise<Opened> {
  mkdirSync(join(root, 'data'), { recursive: true })
  const manager = await openLogManagerOn(machine, { logDirs: [join(root, 'data')], config: SMALL_SEGMENTS })
  for (const { log, error } of manager.problems) broken.push(`${log}: ${error.code} ${error.message}`)
  const logs = manager.logs().map((log) => [log.name, log] as const)
  for (const [name, { exists }] of Object.entries(known)) {
    const isThere = logs.some(([other]) => other === name)
    if (exists === 'yes' && !isThere) broken.push(`${name}: is not there`)
    if (exists === 'no' && isThere) broken.push(`${name}: came back, or was never made`)
  }
  return { logs: logs.filter(([name]) => known[name] !== undefined), close: () => manager.close() }
}

function otherBreaches({ exists, retentionMs, epoch }: Known, log: PartitionLog): string[] {
  const broken: string[] = []
  if (exists === 'yes' && log.config.segmentIndexBytes !== SMALL_SEGMENTS.segmentIndexBytes)
    broken.push('its settings are gone')
  if (retentionMs !== undefined && !retentionMs.includes(log.config.retentionMs))
    broken.push(`retention.ms is ${log.config.retentionMs}`)
  const { logStartOffset, logEndOffset } = log.offsets
  const latest = log.leaderEpochs.at(-1)?.epoch ?? -1
  // An empty log keeps no epoch, as in Kafka.
  if (epoch !== undefined && logEndOffset > logStartOffset && latest < epoch)
    broken.push(`the latest leader epoch is ${latest}, not ${epoch}`)
  return broken
}

/** What the indexes say: they may be rebuilt or not, but must not mislead. */
async function lookupBreaches({ aborted }: Known, log: PartitionLog, { records }: Found): Promise<string[]> {
  const broken: string[] = []
  for (const { offset, value } of spread(records)) {
    for await (const first of log.read({ from: BigInt(offset), maxRecords: 1 })) {
      if (Number(first.offset) !== offset || textOf(first) !== value)
        broken.push(`reading from ${offset} gives ${first.offset}`)
      // Markers have the time of their append, which is later than all others.
      if (aborted !== undefined) continue
      const byTime = await log.offsetForTimestamp(first.timestamp)
      if (Number(byTime?.offset ?? -1n) !== offset)
        broken.push(`the time of ${offset} leads to ${byTime?.offset}`)
    }
  }
  return broken
}

/** Readers of committed data see everything below the last stable offset but what was aborted. */
async function committedBreaches({ aborted }: Known, log: PartitionLog, found: Found): Promise<string[]> {
  if (aborted === undefined) return []
  const { lastStableOffset } = log.offsets
  const committed = await foundIn(log, { isolation: 'committed' })
  const wanted = found.records.filter(
    ({ offset }) => offset < Number(lastStableOffset) && !aborted.includes(offset),
  )
  const [is, shall] = [committed.records, wanted].map((records) => records.map(({ offset }) => offset))
  return is?.join() === shall?.join() ? [] : [`committed are ${is}, not ${shall}`]
}

/** The producer goes on behind its last durable batch, or behind one of those that follow. */
function producerBreaches({ sequences, durableEnd }: Known, log: PartitionLog): string[] {
  if (sequences === undefined) return []
  const offsets = Object.keys(sequences).map(Number)
  const last = offsets.findLast((offset) => offset < durableEnd)
  const behind = offsets.filter((offset) => offset > (last ?? -1))
  const allowed = [last === undefined ? 0 : sequences[last], ...behind.map((offset) => sequences[offset])]
  const { nextSequence } = log.producer(PRODUCER)
  return allowed.includes(nextSequence) ? [] : [`the producer goes on with ${nextSequence}, not ${allowed}`]
}

/** From here on what was found is what counts, since it was served; and a record more. Some compacted logs are cleaned again. */
async function goOn(
  log: PartitionLog,
  known: Known,
  found: Found,
  takes: (driven: DrivenLog) => void,
): Promise<string[]> {
  const { records, logStartOffset, logEndOffset } = found
  const timeline = Array.from<string | undefined>({ length: logEndOffset })
  for (const { offset, value } of records) timeline[offset] = value
  const { retentionMs: _, epoch: __, sequences, ...rest } = known
  // A batch that was lost takes what was known of its producer with it.
  const nextSequence = sequences === undefined ? 0 : log.producer(PRODUCER).nextSequence
  const served = {
    timelines: [timeline],
    durableEnd: logEndOffset,
    startMin: logStartOffset,
    startMax: logStartOffset,
    ...(known.superseded === undefined ? {} : { superseded: {} }),
    ...(known.aborted === undefined ? {} : { aborted: known.aborted.filter((at) => at < logEndOffset) }),
    ...(sequences === undefined ? {} : { sequences: upTo(sequences, nextSequence) }),
  }
  const driven = new DrivenLog({ ...rest, exists: 'yes', ...served })
  await driven.open(() => Promise.resolve(log))
  takes(driven)
  if (!log.config.cleanupPolicy.includes('compact')) {
    driven.append()
    await driven.durable()
    return []
  }
  driven.append({ keys: ['k0'] })
  await driven.durable()
  if (recoveries++ % CLEANED_AGAIN > 0) return []
  await driven.rollAndClean()
  return breaches(driven.known, await foundIn(log)).map((text) => `cleaned again: ${text}`)
}

function upTo(sequences: Readonly<Record<number, number>>, nextSequence: number): Record<number, number> {
  return Object.fromEntries(Object.entries(sequences).filter(([, sequence]) => sequence <= nextSequence))
}

/** The first, the last and some between: each look-up costs a few reads. */
function spread<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.ceil(all.length / 4))
  return all.filter((_, index) => index % step === 0 || index === all.length - 1)
}
