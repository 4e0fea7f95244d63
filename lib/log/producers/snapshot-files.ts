/**
 * Producer snapshots on disk: written on roll, on close and after a rebuild;
 * those that no segment needs any more removed, as Kafka's loader does.
 */

import { join } from 'node:path'
import { CorruptionError } from '../../errors.js'
import {
  type ProducerEntry,
  parseProducerSnapshot,
  producerSnapshot,
} from '../../format/producer-snapshot.js'
import { fileName, parseFileName } from '../../segment/names.js'
import type { LogCore } from '../log-core.js'
import type { LogEnvironment } from '../log-environment.js'
import { asLogError } from '../log-error.js'
import { maxOffset } from '../log-state.js'
import type { LogProducers, TakenSnapshot } from './log-producers.js'

/** 46 bytes a producer: more than forty million of them. */
const MAX_SNAPSHOT_BYTES = 2 ** 31 - 1

export function snapshotPath({ directory }: LogEnvironment, offset: bigint): string {
  return join(directory, fileName(offset, 'snapshot'))
}

export interface ProducerFiles {
  /** Offsets of the snapshots, rising. */
  readonly snapshots: readonly bigint[]
  /** Base offsets of segments that have a transaction index. */
  readonly transactionIndexes: ReadonlySet<bigint>
}

const OF_PRODUCERS = /\.(snapshot|txnindex)$/

/** What of producers lies in the log's directory, by names alone. */
export async function listProducerFiles(env: LogEnvironment): Promise<ProducerFiles> {
  const snapshots: bigint[] = []
  const transactionIndexes = new Set<bigint>()
  for (const { name, isDirectory } of await env.files.list(env.directory, () => false)) {
    const parsed = isDirectory || !OF_PRODUCERS.test(name) ? undefined : parseFileName(name)
    if (parsed === undefined || parsed.transition !== undefined) continue
    if (parsed.kind === 'snapshot') snapshots.push(parsed.baseOffset)
    if (parsed.kind === 'txnindex') transactionIndexes.add(parsed.baseOffset)
  }
  return { snapshots: snapshots.sort((a, b) => (a < b ? -1 : 1)), transactionIndexes }
}

/**
 * Snapshots without a segment of that base: all but the last of them, and that
 * one too unless it lies above every segment's base (it is what a clean close
 * left). Pure; follows Kafka's removeStraySnapshots.
 */
export function straySnapshots(offsets: readonly bigint[], baseOffsets: readonly bigint[]): bigint[] {
  const bases = new Set(baseOffsets)
  const strays = offsets.filter((offset) => !bases.has(offset)).sort((a, b) => (a < b ? -1 : 1))
  const last = strays.at(-1)
  const highestBase = baseOffsets.reduce<bigint | undefined>(
    (highest, base) => (highest === undefined ? base : maxOffset(highest, base)),
    undefined,
  )
  if (last === undefined || highestBase === undefined || last < highestBase) return strays
  return strays.slice(0, -1)
}

/** Writes `snapshot`; on disk on return. Thousands of logs that are closed at once have few descriptors between them. */
export function writeSnapshot(env: LogEnvironment, snapshot: TakenSnapshot): Promise<void> {
  const path = snapshotPath(env, snapshot.offset)
  return env.openSegments.flushes.pass(async () => {
    await env.files.write(path, producerSnapshot(snapshot.entries))
    await env.flushLane.flushPath(path)
    tellWritten(env, snapshot)
  })
}

/** Takes the snapshot that is due, to be written behind this turn. On a full disk it is left out: the state is then read from an older one and the log. */
export function snapshotBehind(core: LogCore): void {
  const { producers, env } = core
  const snapshot = producers.takeSnapshot()
  if (snapshot === undefined) return
  const path = snapshotPath(env, snapshot.offset)
  core.directoryChanges++
  core.sideFiles.write(path, async () => {
    try {
      await env.files.write(path, producerSnapshot(snapshot.entries))
      tellWritten(env, snapshot)
      return true
    } catch (error) {
      const { code, message } = asLogError(error)
      if (code !== 'ERR_DISK_FULL') throw error
      core.warn({ path, error }, `a producer snapshot is left out: ${message}`)
      await removeSnapshot(env, producers, snapshot.offset)
      return false
    }
  })
}

export async function removeSnapshot(
  env: LogEnvironment,
  producers: LogProducers,
  offset: bigint,
): Promise<void> {
  producers.snapshots.delete(offset)
  await env.files.remove(snapshotPath(env, offset))
}

/** Undefined where the snapshot is missing, or damaged, which is told: an older one has to do. */
export async function readSnapshot(
  env: LogEnvironment,
  offset: bigint,
): Promise<readonly ProducerEntry[] | undefined> {
  const path = snapshotPath(env, offset)
  try {
    const bytes = await env.files.read(path, MAX_SNAPSHOT_BYTES)
    return bytes && parseProducerSnapshot(path, bytes)
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    env.logger.warn(
      { log: env.name, path, error },
      `${env.name}: a producer snapshot is damaged: ${error.message}`,
    )
    return undefined
  }
}

function tellWritten({ logger, name }: LogEnvironment, { offset, entries }: TakenSnapshot): void {
  logger.debug(
    { log: name, offset, producers: entries.length },
    `Wrote producer snapshot at offset ${offset} with ${entries.length} producer ids`,
  )
}
