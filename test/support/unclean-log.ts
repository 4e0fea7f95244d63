/** Logs as a killed process leaves them, and what can be done to their files. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { recordBatches } from '../../lib/format/batches.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { fileName } from '../../lib/segment/names.js'
import { testMachine } from './machine.js'
import { swiftBackend } from './swift-backend.js'
import { memoryDir } from './temp-dir.js'

/** A machine of the run's backend that waits for no disk. */
export function swiftMachine() {
  return testMachine({ backend: swiftBackend() })
}

export function openSwiftly(path: string, options: OpenLogOptions = {}): Promise<PartitionLog> {
  return openLogOn(swiftMachine(), path, options)
}

/** Fills a log with `fill`, and copies what lies there while it is open: what a killed process leaves. */
export async function killedLog(
  fill: (log: PartitionLog) => Promise<void> | void,
  config: LogConfigInput = {},
): Promise<string> {
  const path = join(memoryDir(), 'orders-0')
  const log = await openSwiftly(path, { config })
  await fill(log)
  const left = copyOf(path)
  await log.close()
  return left
}

/** A copy of the log's directory and of what lies above it, as it is now; nobody holds its lock. */
export function copyOf(path: string): string {
  const above = memoryDir()
  cpSync(dirname(path), above, { recursive: true, preserveTimestamps: true })
  for (const name of readdirSync(above)) if (name.startsWith('.lock')) rmSync(join(above, name))
  return join(above, basename(path))
}

export function setMarker(path: string, isThere: boolean): void {
  const marker = join(dirname(path), '.kafka_cleanshutdown')
  if (isThere) writeFileSync(marker, '{"version":0,"brokerEpoch":-1}')
  else rmSync(marker, { force: true })
}

export function hasMarker(path: string): boolean {
  return existsSync(join(dirname(path), '.kafka_cleanshutdown'))
}

/** Writes or, for null, removes the log's line in the recovery points. */
export function setRecoveryPoint(path: string, offset: number | null): void {
  setCheckpoint(path, 'recovery-point-offset-checkpoint', offset)
}

export function setLogStart(path: string, offset: number | null): void {
  setCheckpoint(path, 'log-start-offset-checkpoint', offset)
}

function setCheckpoint(path: string, file: string, offset: number | null): void {
  const name = basename(path)
  const dash = name.lastIndexOf('-')
  const line = `${name.slice(0, dash)} ${name.slice(dash + 1)} ${offset}\n`
  const to = join(dirname(path), file)
  if (offset === null) rmSync(to, { force: true })
  else writeFileSync(to, `0\n1\n${line}`)
}

export function logFile(
  path: string,
  baseOffset: number,
  kind: 'log' | 'index' | 'timeindex' = 'log',
): string {
  return join(path, fileName(BigInt(baseOffset), kind))
}

/** Flips the bits of a byte; a negative position counts from the end. */
export function flipByte(file: string, position: number): void {
  const bytes = readFileSync(file)
  const at = position < 0 ? bytes.length + position : position
  bytes[at] = (bytes[at] as number) ^ 0x55
  writeFileSync(file, bytes)
}

export function cutBytes(file: string, count: number): void {
  truncateSync(file, readFileSync(file).length - count)
}

/** Where the batches of a sound `.log` begin, and where the last one ends. */
export function batchPositions(file: string): number[] {
  const positions = [0]
  for (const { sizeInBytes } of recordBatches(readFileSync(file)))
    positions.push((positions.at(-1) as number) + sizeInBytes)
  return positions
}
