/**
 * `plog read --follow`: reads to the end, then looks again when a file of the
 * log has changed, until it is told to stop. The log is opened anew each time,
 * so rolls and deletions by its writer are seen, and nothing is held in between.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { nodeFiles } from '../backend/files.js'
import { CorruptionError } from '../errors.js'
import type { LogRecord, PartitionLog, ReadOptions } from '../index.js'
import { parseFileName } from '../segment/names.js'
import type { CommonFlags } from './context.js'
import { openToRead } from './targets.js'

const POLL_MS = 100

/** Records from `options.from` on, without end. Throws the signal's reason once it is aborted. */
export async function* followRecords(
  path: string,
  flags: CommonFlags,
  options: ReadOptions,
  signal: AbortSignal,
): AsyncGenerator<LogRecord, void, undefined> {
  let left = options.maxRecords ?? Number.POSITIVE_INFINITY
  let { from } = options
  while (left > 0) {
    const seen = await fingerprint(path)
    const log = await openUnlessTorn(path, flags)
    if (log !== undefined) {
      try {
        if (from === 'latest') from = log.offsets.highWatermark
        for await (const record of log.read({ ...options, ...startAt(from), signal })) {
          yield record
          from = record.offset + 1n
          if (--left === 0) return
        }
      } finally {
        await log.close()
      }
    }
    await untilChanged(path, seen, signal)
  }
}

function startAt(from: ReadOptions['from']): ReadOptions {
  return from === undefined ? {} : { from }
}

/** Undefined while the writer is in the middle of a batch. */
async function openUnlessTorn(path: string, flags: CommonFlags): Promise<PartitionLog | undefined> {
  try {
    return await openToRead(path, flags)
  } catch (error) {
    if (error instanceof CorruptionError && error.kind === 'torn-tail') return undefined
    throw error
  }
}

async function untilChanged(path: string, seen: string, signal: AbortSignal): Promise<void> {
  do {
    await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
  } while ((await fingerprint(path)) === seen)
}

/** Changes with every append, roll and deletion. */
async function fingerprint(path: string): Promise<string> {
  const entries = await nodeFiles.list(path)
  return entries
    .filter(({ name }) => parseFileName(name)?.kind === 'log')
    .map(({ name, sizeInBytes }) => `${name}:${sizeInBytes}`)
    .sort()
    .join(' ')
}
