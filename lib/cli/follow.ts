/**
 * `plog read --follow`: reads to the end, then looks again when a file of the
 * log has changed, until it is told to stop. The log is opened anew each time,
 * so rolls and deletions by its writer are seen, and nothing is held in between.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { nodeFiles } from '../backend/files.js'
import type { LogRecord, ReadOptions } from '../index.js'
import { parseFileName } from '../segment/names.js'
import type { CommonFlags } from './context.js'
import { assertDirectory, openToRead } from './targets.js'

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
  let before: string | undefined
  await assertDirectory(path)
  while (left > 0) {
    const seen = await fingerprint(path)
    const log = await openToRead(path, flags)
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
    await pause(signal)
    // An append within the tick of the modification time seen leaves no trace: after a change the log is read twice.
    if (seen === before) await untilChanged(path, seen, signal)
    before = seen
  }
}

function startAt(from: ReadOptions['from']): ReadOptions {
  return from === undefined ? {} : { from }
}

async function untilChanged(path: string, seen: string, signal: AbortSignal): Promise<void> {
  while ((await fingerprint(path)) === seen) await pause(signal)
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
}

/** Changes with every append, roll and deletion. An append to a preallocated file leaves its length as it is. */
async function fingerprint(path: string): Promise<string> {
  const entries = await nodeFiles.list(path)
  return entries
    .filter(({ name }) => parseFileName(name)?.kind === 'log')
    .map(({ name, sizeInBytes, modifiedMs }) => `${name}:${sizeInBytes}:${modifiedMs}`)
    .sort()
    .join(' ')
}
