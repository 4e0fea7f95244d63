/**
 * `plog read --follow`: reads to the end, then looks again when a file of the
 * log has grown, until it is told to stop. The log is opened anew each time, so
 * rolls and deletions by its writer are seen, and nothing is held in between.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { nodeFiles } from '../backend/files.js'
import { CorruptionError } from '../errors.js'
import type { LogRecord, ReadOptions } from '../index.js'
import { parseFileName } from '../segment/names.js'
import type { CommonFlags } from './context.js'
import { withLog } from './targets.js'

const POLL_MS = 100

/** Records from `options.from` on, without end. Throws the signal's reason once it is aborted. */
export async function* followRecords(
  path: string,
  flags: CommonFlags,
  options: ReadOptions,
  signal: AbortSignal,
): AsyncGenerator<LogRecord, void, undefined> {
  const { maxRecords = Number.POSITIVE_INFINITY, ...rest } = options
  let left = maxRecords
  let from = options.from
  while (left > 0) {
    const seen = await logFiles(path)
    const log = await openedOrTorn(path, flags)
    if (log !== undefined) {
      try {
        from = from === 'latest' ? log.offsets.highWatermark : from
        const limit = left === Number.POSITIVE_INFINITY ? {} : { maxRecords: left }
        for await (const record of log.read({ ...rest, ...(from === undefined ? {} : { from }), ...limit, signal })) {
          yield record
          left--
          from = record.offset + 1n
        }
      } finally {
        await log.close()
      }
    }
    if (left > 0) await untilChanged(path, seen, signal)
  }
}
