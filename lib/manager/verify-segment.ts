/**
 * Every check of one segment: each batch with its checksum and offsets, each
 * entry of its indexes against the batches. Changes nothing.
 */

import { join } from 'node:path'
import type { BatchColumns, ScanStop } from '../backend/contract.js'
import { MAX_CHECKPOINT_BYTES } from '../checkpoint/atomic-file.js'
import type { StoredSegment } from '../log/directory-plan.js'
import { NO_EPOCHS } from '../log/leader-epochs.js'
import { scanSegment } from '../log/recovery/scan-segment.js'
import { fileName } from '../segment/names.js'
import { parseTransactionIndex } from '../segment/transaction-index.js'
import { type Finding, findingOf } from './finding.js'
import type { LogLook } from './look-at-log.js'
import { IndexChecks } from './verify-indexes.js'

export interface VerifiedSegment {
  readonly baseOffset: bigint
  readonly sizeInBytes: number
  /** Sound up to here. */
  readonly validBytes: number
  /** Behind its last sound batch. */
  readonly nextOffset: bigint
  readonly batches: number
  readonly records: bigint
}

export async function verifySegment(
  look: LogLook,
  segment: StoredSegment,
  found: (finding: Finding) => void,
): Promise<VerifiedSegment> {
  const { env, config, lane } = look
  const { baseOffset, storedAs } = segment
  const path = join(env.directory, storedAs)
  const log = env.backend.openLogFile(path, { mode: 'read', baseOffset })
  const indexes = new IndexChecks(env, segment, log.sizeInBytes, found)
  const counts = { batches: 0, records: 0n }
  const each = (batches: BatchColumns) => {
    counts.batches += batches.count
    for (let row = 0; row < batches.count; row++) counts.records += BigInt(batches.counts[row] as number)
    indexes.check(batches)
  }
  try {
    const { stop, validBytes, nextOffset } = await scanSegment({ lane, log, config, epochs: NO_EPOCHS, each })
    if (stop !== 'end') found(damage(path, validBytes, stop, log.sizeInBytes))
    indexes.end(validBytes)
    await verifyTransactions(look, baseOffset, found)
    return { baseOffset, sizeInBytes: log.sizeInBytes, validBytes, nextOffset, ...counts }
  } finally {
    await Promise.all([log.close(), indexes.close()])
  }
}

function damage(path: string, position: number, stop: ScanStop, sizeInBytes: number): Finding {
  const kind = stop.startsWith('torn') ? 'torn-tail' : 'batch'
  const message = `no sound batch here (${stop}); ${sizeInBytes - position} bytes follow`
  return { kind, path, position, message }
}

async function verifyTransactions(
  { env }: LogLook,
  baseOffset: bigint,
  found: (finding: Finding) => void,
): Promise<void> {
  const path = join(env.directory, fileName(baseOffset, 'txnindex'))
  const bytes = await env.files.read(path, MAX_CHECKPOINT_BYTES)
  if (bytes === undefined) return
  try {
    parseTransactionIndex(path, bytes, baseOffset)
  } catch (error) {
    found(findingOf(error))
  }
}
