/**
 * A segment's `.txnindex`: made with the first aborted transaction, appended to
 * behind the append of a marker, cut with the log.
 */

import { join } from 'node:path'
import { fileName } from '../../segment/names.js'
import type { Segment } from '../../segment/segment.js'
import {
  type AbortedTransaction,
  parseTransactionIndex,
  TRANSACTION_ENTRY_BYTES,
  transactionEntry,
} from '../../segment/transaction-index.js'
import type { LogCore } from '../log-core.js'
import type { LogEnvironment } from '../log-environment.js'

const MAX_INDEX_BYTES = 2 ** 31 - 1

function pathOf({ directory }: LogEnvironment, { baseOffset }: Segment): string {
  return join(directory, fileName(baseOffset, 'txnindex'))
}

/** The entry counts from now on, and is written behind this turn. */
export function addAborted(core: LogCore, segment: Segment, entry: AbortedTransaction): void {
  const { env, producers } = core
  const number = producers.aborted.add(segment, entry)
  const path = pathOf(env, segment)
  if (number === 0) core.directoryChanges++
  core.sideFiles.write(path, async () => {
    await env.files.writeAt(path, number * TRANSACTION_ENTRY_BYTES, transactionEntry(entry))
    return true
  })
}

export function hasTransactionIndex(env: LogEnvironment, segment: Segment): Promise<boolean> {
  return env.files.exists(pathOf(env, segment))
}

/** The file holds `entries` on return, on disk. */
export async function writeTransactionIndex(
  env: LogEnvironment,
  segment: Segment,
  entries: readonly AbortedTransaction[],
): Promise<void> {
  const path = pathOf(env, segment)
  await env.files.write(path, Buffer.concat(entries.map(transactionEntry)))
  await env.flushLane.flushPath(path)
}

/** Empty where there is no file. A writer may be amid an entry of a log that is only read: that one does not count. */
export async function readTransactionIndex(
  env: LogEnvironment,
  segment: Segment,
): Promise<readonly AbortedTransaction[]> {
  const path = pathOf(env, segment)
  const bytes = await env.files.read(path, MAX_INDEX_BYTES)
  if (bytes === undefined) return []
  const odd = env.readOnly ? bytes.length % TRANSACTION_ENTRY_BYTES : 0
  return parseTransactionIndex(path, bytes.subarray(0, bytes.length - odd), segment.baseOffset)
}
